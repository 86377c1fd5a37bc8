/// Conversion of the engine's values to the published figures.

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::wire {

namespace {

void check_attributes(const FairnessTally& tally, const StreamFormat& format) {
    const auto counted = static_cast<std::size_t>(tally.attributes());
    // A warming model may have an empty tally.
    if (counted == 0 || counted == format.attributes.size()) return;
    throw InvalidInput(Reason::wrong_shape, "a tally of " + std::to_string(counted) + " attributes for a stream of " +
                                                std::to_string(format.attributes.size()));
}

AttributeReport attribute_report(const FairnessTally& tally, int attribute, const std::string& name) {
    const ClusterFairness& figures = attribute_fairness(tally, attribute);
    AttributeReport report{figures, name};
    report.counts.reserve(static_cast<std::size_t>(tally.clusters()) * tally.groups(attribute));
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) {
        const auto counts = tally.counts(cluster, attribute);
        report.counts.insert(report.counts.end(), counts.begin(), counts.end());
        if (!tally.is_weighted()) continue;
        const auto weights = tally.weights(cluster, attribute);
        report.weights.insert(report.weights.end(), weights.begin(), weights.end());
    }
    if (tally.known_groups(attribute) != tally.groups(attribute))
        report.known = static_cast<std::uint32_t>(tally.known_groups(attribute));
    return report;
}

std::vector<AttributeReport> attribute_reports(const FairnessTally& tally, const StreamFormat& format) {
    check_attributes(tally, format);
    std::vector<AttributeReport> reports;
    for (int a = 0; a < tally.attributes(); ++a)
        reports.push_back(attribute_report(tally, a, format.attributes[static_cast<std::size_t>(a)].name));
    return reports;
}

}  // namespace

const std::vector<AttributeReport>& FairnessReport::attributes() const {
    static const std::vector<AttributeReport> none;
    const auto* of_labels = std::get_if<std::vector<AttributeReport>>(&fairness);
    return of_labels == nullptr ? none : *of_labels;
}

std::optional<double> FairnessReport::figure(std::string_view name) const {
    return value_of(figures, name);
}

FairnessReport fairness_report(const ModelFigures& figures, const StreamFormat& format) {
    FairnessReport report{.cost = figures.cost,
                          .churn = figures.churn,
                          .outcome = figures.solve.outcome,
                          .iterations = figures.solve.iterations,
                          .moves = figures.solve.moves,
                          .swaps = figures.solve.swaps,
                          .points = 0,
                          .fairness = {},
                          .figures = {}};
    if (const auto* scores = std::get_if<ScoreFairness>(&figures.fairness)) {
        report.points = scores->points;
        report.fairness = *scores;
    } else if (const auto* predictions = std::get_if<PredictionFairness>(&figures.fairness)) {
        report.points = predictions->points;
        report.fairness = *predictions;
    } else if (const auto* groups = std::get_if<GroupMetrics>(&figures.fairness)) {
        report.points = groups->all.points;
        report.fairness = *groups;
    } else {
        report.points = figures.tally().total();
        report.fairness = attribute_reports(figures.tally(), format);
    }
    for (const Figure& figure : figures.figures)
        report.figures.push_back({std::string(figure.name), figure.value, std::string(figure.unit)});
    return report;
}

ClusterReport cluster_report(const fairstream::ModelReport& report, std::uint32_t dimensions) {
    if (report.centres.empty()) return {.clusters = 0, .dimensions = dimensions, .sizes = {}, .centres = {}};
    const FairnessTally& tally = report.tally();
    ClusterReport out{.clusters = static_cast<std::uint32_t>(tally.clusters()),
                      .dimensions = dimensions,
                      .sizes = {},
                      .centres = report.centres};
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) {
        out.sizes.push_back(tally.size(cluster));
        if (tally.is_weighted()) out.weights.push_back(tally.weight(cluster));
    }
    return out;
}

ModelReport model_report(const fairstream::ModelReport& report, const ModelOptions& options, const StreamFormat& format,
                         std::uint32_t dimensions) {
    const ModelAbout& about = options.kind().about();
    ModelReport out{fairness_report(report, format), cluster_report(report, dimensions), std::string(about.cost), {}};
    for (const FigureText& figure : about.figures)
        out.figures.push_back({std::string(figure.name), std::string(figure.unit), std::string(figure.meaning)});
    return out;
}

ModelDescription model_description(const ModelSetup& configured, const ModelOptions& now, const StreamFormat& format) {
    constexpr std::size_t most_shown = 1024;
    const auto shown = [&](const OptionText& option) {
        if (option.name == attribute_option) return attribute_names(option.value, format.attributes);
        const bool from_file = option.from_file && option.value != "none";
        return from_file || option.value.size() > most_shown ? std::string("given") : option.value;
    };
    ModelDescription out{
        configured.name, std::string(model_name(configured.options)), {}, configured.schedule.every, 0};
    const std::vector<OptionText> before = list_options(configured.options);
    for (const OptionText& option : list_options(now)) {
        const auto same = std::ranges::find(before, option.name, &OptionText::name);
        out.options.push_back({option.name, shown(option), same == before.end() ? "" : shown(*same), option.live});
    }
    return out;
}

}  // namespace fairstream::wire
