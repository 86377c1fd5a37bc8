#include <algorithm>
#include <optional>
#include <utility>

#include <fairstream/command/live/activity_line.hpp>
#include <fairstream/command/predict/asked_engine.hpp>
#include <fairstream/options.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/described_options.hpp>

namespace fairstream::command {
namespace {

/// Returns the result of `ask`. The error of a timeout also says what the engine is doing.
template <class Ask> auto answer(const zmq::ControlOptions& options, const Ask& ask) {
    try {
        return ask();
    } catch (const zmq::ControlTimeout& timeout) {
        throw zmq::ControlTimeout(explained(timeout, options));
    }
}

/// Sums the masses of the groups over all clusters; zeros while the model warms.
GroupMasses masses_of(const wire::ModelReport& report, const StreamFormat& format) {
    GroupMasses masses;
    for (const Attribute& attribute : format.attributes) {
        masses.known.push_back(static_cast<int>(attribute.known_groups()));
        std::vector<double>& of_groups = masses.by_group.emplace_back(attribute.groups.size());
        const std::size_t a = masses.by_group.size() - 1;
        if (a >= report.fairness.attributes().size()) continue;
        const wire::AttributeReport& figures = report.fairness.attributes()[a];
        for (std::size_t i = 0; i < figures.counts.size(); ++i)
            of_groups[i % of_groups.size()] +=
                figures.weights.empty() ? static_cast<double>(figures.counts[i]) : figures.weights[i];
    }
    return masses;
}

/// Returns the groups of all points of a cluster, n x a. Reports count each attribute separately, so the combination of
/// groups in one point is arbitrary; figures use one attribute at a time.
std::vector<GroupId> groups_in(std::size_t cluster, const std::vector<wire::AttributeReport>& attributes,
                               const StreamFormat& format) {
    const std::size_t width = format.attributes.size();
    std::vector<GroupId> table;
    for (std::size_t a = 0; a < width; ++a) {
        const std::size_t groups = format.attributes[a].groups.size();
        std::size_t points = 0;
        for (std::size_t j = 0; j < groups; ++j)
            for (auto left = attributes[a].counts[cluster * groups + j]; left > 0; --left, ++points) {
                if (table.size() <= points * width) table.resize((points + 1) * width);
                table[points * width + a] = static_cast<GroupId>(j);
            }
    }
    return table;
}

/// Returns the tally of a report; nothing when some weight is not 1.
std::optional<FairnessTally> tally_of(const wire::ModelReport& report, const StreamFormat& format) {
    const std::vector<wire::AttributeReport>& attributes = report.fairness.attributes();
    if (format.has_weights || attributes.empty() || attributes.size() != format.attributes.size()) return {};
    const std::size_t clusters = attributes[0].counts.size() / format.attributes[0].groups.size();
    FairnessTally tally = empty_tally(static_cast<int>(clusters), format);
    for (std::size_t cluster = 0; cluster < clusters; ++cluster) {
        const std::vector<GroupId> groups = groups_in(cluster, attributes, format);
        const std::vector<ClusterId> labels(groups.size() / attributes.size(), static_cast<ClusterId>(cluster));
        tally.add(labels, groups.data());
    }
    return tally;
}

class RunningEngine final : public AskedEngine {
public:
    explicit RunningEngine(const zmq::ControlOptions& options) : options_(options), client_(options) {
        wire::Description description = answer(options_, [&] { return client_.description(); });
        format_ = std::move(description.format);
        reader_settings_ = std::move(description.reader_settings);
        constexpr std::uint64_t of_the_rest = 1024;  // bytes of a request besides rows and groups
        if (description.max_message_bytes > of_the_rest)
            most_bytes_at_once_ = description.max_message_bytes - of_the_rest;
        for (const wire::ModelDescription& model : description.models) {
            const std::optional<ModelOptions> described = zmq::described_options(model, format_);
            models_.push_back(
                {model.name, described ? *described : default_options(model.kind)});  // refuses an unknown kind
        }
    }

    const StreamFormat& format() const override { return format_; }
    const files::ReaderSettings& reader_settings() const override { return reader_settings_; }
    const std::vector<AskedModel>& models() const override { return models_; }
    Sequence sequence() override {
        return answer(options_, [&] { return client_.health(); }).sequence;
    }
    std::uint64_t retained_points() override {
        return answer(options_, [&] { return client_.health(); }).retained;
    }

    std::vector<ClusterId> assign(const std::string& model, ConstRows rows) override {
        return answer(options_, [&] { return client_.assign(model, rows); });
    }
    std::vector<ClusterId> assign_fair(const std::string& model, ConstRows rows,
                                       std::span<const GroupId> groups) override {
        return answer(options_, [&] { return client_.assign(model, rows, groups); });
    }
    std::size_t most_bytes_at_once() const override { return most_bytes_at_once_; }
    Retained retained(const std::string& model) override {
        const wire::ModelReport report = answer(options_, [&] { return client_.report(model); });
        return {masses_of(report, format_), tally_of(report, format_), 1};
    }
    std::vector<Score> score(const std::string& model, ConstRows rows, std::span<const GroupId> groups) override {
        return answer(options_, [&] { return client_.score(model, rows, groups); });
    }
    std::vector<float> rows(const std::string& model, RowKind kind, ConstRows features) override {
        return answer(options_, [&] { return client_.rows(model, kind, features); });
    }

private:
    zmq::ControlOptions options_;
    zmq::ControlClient client_;
    StreamFormat format_;
    files::ReaderSettings reader_settings_;
    std::size_t most_bytes_at_once_ = std::size_t{256} << 10;  // old engines do not tell it
    std::vector<AskedModel> models_;
};

}  // namespace

std::unique_ptr<AskedEngine> ask_engine_at(const zmq::ControlOptions& options) {
    return std::make_unique<RunningEngine>(options);
}

}  // namespace fairstream::command
