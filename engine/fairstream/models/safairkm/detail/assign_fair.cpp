#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <fairstream/fair_assignment/fair_labels.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/target_notes.hpp>
#include <fairstream/targets/targets_among.hpp>

namespace fairstream::safairkm {
namespace {

StreamFormat format_of_balanced(const Options& options, const StreamFormat& format, std::size_t dimensions) {
    StreamFormat balanced{.dimensions = static_cast<std::uint32_t>(dimensions)};
    for (const int attribute : options.targets.attribute)
        balanced.attributes.push_back(format.attributes[static_cast<std::size_t>(attribute)]);
    return balanced;
}

// Labels points so that they meet these targets among themselves.
void assign_together(const ClusterTargets& of_all, const ClusterTargets& of_common, const State& state,
                     const StreamFormat& format, ConstRows rows, std::span<const GroupId> groups,
                     std::span<ClusterId> out) {
    Window window(format, {.capacity = static_cast<Slot>(out.size())});
    std::vector<PointId> ids(out.size());
    std::iota(ids.begin(), ids.end(), PointId{0});
    window.apply({.ids = ids, .features = rows, .groups = groups});
    const FairLabels fair(of_all, window);
    const std::vector<ClusterId> labels = fair.with_relaxed_demands(state.centres, of_common);
    for (Slot slot = 0; slot < window.size(); ++slot) out[window.id(slot)] = labels[slot];
}

// Counts the points of each cluster by group: the points of a state, and points added later, which have weight 1.
class Composition {
public:
    Composition(const Options& options, const State& state)
        : targets_(targets_of(options)), masses_(group_masses(state.tally, state.weight_unit())) {
        const double unit = state.weight_unit();
        for (ClusterId l = 0; l < state.tally.clusters(); ++l) {
            sizes_.push_back(state.tally.weight(l) / unit);
            for (int a = 0; a < state.tally.attributes(); ++a) {
                std::vector<double>& weights = weights_.emplace_back();
                for (const double weight : state.tally.weights(l, a)) weights.push_back(weight / unit);
            }
        }
    }

    // Returns the demands of the targets on clusters of all these points.
    [[nodiscard]] Demands demands() const { return demands_for(targets_, masses_); }
    // Shortfalls of a cluster, at present and with one more point.
    struct Shortfall {
        double now = 0, after = 0;
        [[nodiscard]] bool is_kept() const { return after <= 0 || after <= now; }
    };
    [[nodiscard]] Shortfall with(std::size_t cluster, const GroupId* groups, const Demands& demands) const {
        Shortfall total{shortfall(demands.of_sizes, sizes_[cluster]), shortfall(demands.of_sizes, sizes_[cluster] + 1)};
        for (const Demand& demand : demands.of_groups) {
            const std::span<const double> known =
                of(cluster, demand.attribute).first(masses_.of(demand.attribute).size());
            total.now += shortfall(demand, known);
            total.after += shortfall(demand, known, no_group, static_cast<int>(groups[place(demand.attribute)]));
        }
        return total;
    }
    void add(std::size_t cluster, const GroupId* groups) {
        sizes_[cluster] += 1;
        for (const int attribute : targets_.attribute) {
            const auto a = static_cast<std::size_t>(attribute);
            const GroupId group = groups[place(a)];
            of(cluster, a)[group] += 1;
            masses_.by_group[a][group] += 1;
        }
    }

private:
    [[nodiscard]] std::span<double> of(std::size_t cluster, std::size_t attribute) {
        return weights_[cluster * masses_.by_group.size() + attribute];
    }
    [[nodiscard]] std::span<const double> of(std::size_t cluster, std::size_t attribute) const {
        return weights_[cluster * masses_.by_group.size() + attribute];
    }
    // Returns the position of an attribute among the balanced ones.
    [[nodiscard]] std::size_t place(std::size_t attribute) const {
        return static_cast<std::size_t>(std::ranges::find(targets_.attribute, static_cast<int>(attribute)) -
                                        targets_.attribute.begin());
    }

    ClusterTargets targets_;
    GroupMasses masses_;
    std::vector<double> sizes_;                 // k
    std::vector<std::vector<double>> weights_;  // k x attributes of the stream, each with its groups
};

void assign_one_by_one(const Options& options, const State& state, ConstRows rows, std::span<const GroupId> groups,
                       std::span<ClusterId> out) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t d = state.centres.size() / k, attributes = options.targets.attribute.size();
    std::vector<float> packed(packed_size(k, d)), away(k + centre_lanes);
    pack_centres(state.centres.data(), k, d, packed.data());
    Composition clusters(options, state);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (i % 1024 == 0) check_interrupted();
        kernels().distances(rows.data() + i * d, d, packed.data(), k, away.data());
        const GroupId* const of_point = &groups[i * attributes];
        const Demands demands = clusters.demands();
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t l = 0; l < k; ++l) {
            const Composition::Shortfall with = clusters.with(l, of_point, demands);
            const double added = with.is_kept() ? 0 : with.after - with.now;
            if (added < least || (added == least && away[l] < away[best])) best = l, least = added;
        }
        out[i] = static_cast<ClusterId>(best);
        clusters.add(best, of_point);
    }
}

}  // namespace

void Model::assign_fair(const Options& options, const State& state, const StreamFormat& format, ConstRows rows,
                        std::span<const GroupId> groups, std::span<ClusterId> out) {
    const ClusterTargets targets = targets_of(options);
    if (!state.started || out.empty() || !has_target(targets, format.attributes.size()))
        return predict(options, state, rows, out);
    const StreamFormat balanced = format_of_balanced(options, format, rows.size() / out.size());
    const GroupMasses of_window = group_masses(state.tally, state.weight_unit());
    const GroupMasses masses = group_masses(group_totals(groups, balanced.attributes), balanced.attributes);
    if (!can_meet_among(targets, of_window, masses)) return assign_one_by_one(options, state, rows, groups, out);
    assign_together(targets_among(targets, of_window, masses, GroupsAmong::all),
                    targets_among(targets, of_window, masses, GroupsAmong::common), state, balanced, rows, groups, out);
}

}  // namespace fairstream::safairkm
