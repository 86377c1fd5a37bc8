#include <fairstream/core/detail/queried_model.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <fairstream/data/detail/check_points.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::core {

void check_rows(const StreamFormat& format, ConstRows rows, std::size_t points) {
    if (rows.size() != points * format.dimensions)
        throw InvalidInput(Reason::wrong_shape, std::to_string(rows.size()) + " features for " +
                                                    std::to_string(points) + " points: must be " +
                                                    std::to_string(points * format.dimensions));
    check_features(format, rows, [](std::size_t row) { return "row " + std::to_string(row); });
}

namespace {

// Rows of features as models see them; a borrowed view if nothing is prepared.
class Prepared {
public:
    Prepared(const Preparer& preparer, ConstRows rows) : rows_(rows) {
        if (!preparer.is_active()) return;
        copy_.resize(preparer.prepared_size(rows.size()));
        preparer.prepare(rows, copy_);
        rows_ = copy_;
    }
    [[nodiscard]] ConstRows rows() const noexcept { return rows_; }

private:
    ConstRows rows_;
    std::vector<float> copy_;
};

// Calls `work(first, count)` for parts of the points in order; an interruption ends the work between two parts.
template <class Work> void for_each_part(std::size_t points, const Work& work) {
    constexpr std::size_t largest = 4096;
    for (std::size_t first = 0; first < points; first += largest) {
        check_interrupted();
        work(first, std::min(largest, points - first));
    }
}

// Throws `InvalidInput` unless `groups` has `points` rows with a column for each of `attributes`, which are indices
// into the format's attributes.
void check_groups(const StreamFormat& format, std::span<const int> attributes, std::span<const GroupId> groups,
                  std::size_t points) {
    if (groups.size() != points * attributes.size())
        throw InvalidInput(Reason::wrong_shape, std::to_string(groups.size()) + " groups for " +
                                                    std::to_string(points) + " points and " +
                                                    std::to_string(attributes.size()) +
                                                    " attributes: must be one group per point and attribute");
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto attribute = static_cast<std::size_t>(attributes[i % attributes.size()]);
        const std::size_t known = format.attributes.empty() ? 0 : format.attributes[attribute].groups.size();
        if (groups[i] >= known)
            throw InvalidInput(Reason::unknown_group, "group " + std::to_string(groups[i]) + " of row " +
                                                          std::to_string(i / attributes.size()) + ", attribute " +
                                                          (known == 0 ? std::to_string(attribute)
                                                                      : "'" + format.attributes[attribute].name + "'") +
                                                          ": must be below " + std::to_string(known));
    }
}

}  // namespace

void QueriedModel::refuse(bool for_numbers) const {
    if (clusterer == nullptr && scorer == nullptr)
        throw InvalidInput(Reason::unknown_request,
                           "model " + std::string(name) + " gives neither labels nor scores: request its report");
    throw InvalidInput(Reason::unknown_request, "model " + std::string(name) +
                                                    (for_numbers ? " gives labels, not scores: request labels"
                                                                 : " gives scores, not labels: request scores"));
}

const Clusterer& QueriedModel::clustering() const {
    if (clusterer == nullptr) refuse(false);
    return *clusterer;
}

const Scorer& QueriedModel::scoring() const {
    if (scorer == nullptr) refuse(true);
    return *scorer;
}

const Clusterer& QueriedModel::clustering_with(RowKind kind) const {
    const Clusterer& model = clustering();
    if (options.kind().gives(kind)) return model;
    const RowRules& rules = rules_of(kind);
    throw InvalidInput(Reason::unknown_request, "model " + std::string(name) + " has no " + std::string(rules.name) +
                                                    ": " + std::string(options.kind().name()) +
                                                    " gives each point a cluster, and " + std::string(rules.lack));
}

namespace {

void label_nearest(const Clusterer& model, ConstRows prepared, std::span<ClusterId> out) {
    const std::size_t d = out.empty() ? 0 : prepared.size() / out.size();
    for_each_part(out.size(), [&](std::size_t first, std::size_t count) {
        model.predict(prepared.subspan(first * d, count * d), {}, out.subspan(first, count));
    });
}

}  // namespace

void QueriedModel::assign(ConstRows rows, std::span<ClusterId> out) const {
    const Clusterer& model = clustering();
    check_rows(format, rows, out.size());
    label_nearest(model, Prepared(preparer, rows).rows(), out);
}

void QueriedModel::assign_fair(ConstRows rows, std::span<const GroupId> groups, std::span<ClusterId> out) const {
    const Clusterer& model = clustering();
    check_rows(format, rows, out.size());
    check_groups(prepared, options.kind().protected_attributes(options), groups, out.size());
    const Prepared points(preparer, rows);
    if (options.kind().assigns_fairly())
        model.assign_fair(prepared, points.rows(), groups, out);
    else
        label_nearest(model, points.rows(), out);
}

void QueriedModel::assign_retained(const Window& window, std::span<ClusterId> out) const {
    const Clusterer& model = clustering();
    if (out.size() != window.size())
        throw InvalidInput(Reason::wrong_shape, "output of " + std::to_string(out.size()) +
                                                    " labels: must have room for " + std::to_string(window.size()) +
                                                    " retained points");
    label_nearest(model, window.points().features, out);
}

void QueriedModel::predict_rows(RowKind kind, ConstRows features, std::span<float> out) const {
    const Clusterer& model = clustering_with(kind);
    const auto k = static_cast<std::size_t>(options.kind().cluster_count(options));
    if (out.size() % k != 0)
        throw InvalidInput(Reason::wrong_shape, "output of " + std::to_string(out.size()) + " " +
                                                    std::string(rules_of(kind).name) + ": must be a multiple of " +
                                                    std::to_string(k) + ", the number of clusters");
    check_rows(format, features, out.size() / k);
    const Prepared points(preparer, features);
    const std::size_t d = prepared.dimensions;
    for_each_part(out.size() / k, [&](std::size_t first, std::size_t count) {
        model.predict_rows(kind, points.rows().subspan(first * d, count * d), out.subspan(first * k, count * k));
    });
}

void QueriedModel::score(ConstRows rows, std::span<const GroupId> groups, std::span<Score> out) const {
    const Scorer& model = scoring();
    check_rows(format, rows, out.size());
    if (!groups.empty() || model.needs_groups()) {
        std::vector<int> attributes(prepared.attributes.size());
        std::iota(attributes.begin(), attributes.end(), 0);
        check_groups(prepared, attributes, groups, out.size());
    }
    model.predict(Prepared(preparer, rows).rows(), groups, out);
}

}  // namespace fairstream::core
