/// Conversion of the engine's values to the published figures.

#include <fairstream/fairness/measures.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::wire {

namespace {

void check_attributes(const FairnessTally& tally, const StreamFormat& format) {
    const auto counted = static_cast<std::size_t>(tally.attributes());
    // A model that is warming may have an empty tally.
    if (counted == 0 || counted == format.attributes.size()) return;
    throw InvalidInput(Reason::wrong_shape, "a tally of " + std::to_string(counted) + " attributes for a stream of " +
                                                std::to_string(format.attributes.size()));
}

AttributeReport attribute_report(const FairnessTally& tally, int attribute, const std::string& name) {
    const AttributeFairness fairness = attribute_fairness(tally, attribute);
    AttributeReport report{.attribute = name,
                           .balance = fairness.balance,
                           .average_balance = fairness.average_balance,
                           .best_balance = fairness.best_balance,
                           .cluster_balance = fairness.cluster_balance,
                           .demographic_parity_difference = fairness.demographic_parity_difference,
                           .worst_gap = fairness.worst_gap,
                           .kl_fairness_error = fairness.kl_fairness_error,
                           .cluster_entropy = fairness.cluster_entropy,
                           .parity = fairness.parity,
                           .best_parity = fairness.best_parity,
                           .counts = {}};
    report.counts.reserve(static_cast<std::size_t>(tally.clusters()) * tally.groups(attribute));
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) {
        const auto counts = tally.counts(cluster, attribute);
        report.counts.insert(report.counts.end(), counts.begin(), counts.end());
    }
    return report;
}

template <class Figures> FairnessReport figures(const Figures& from, const StreamFormat& format) {
    check_attributes(from.tally, format);
    FairnessReport report{.cost = from.cost,
                          .churn = from.churn,
                          .outcome = from.solve.outcome,
                          .moves = from.solve.moves,
                          .swaps = from.solve.swaps,
                          .points = from.tally.total(),
                          .attributes = {},
                          .plain_cost = from.plain_cost};
    for (int a = 0; a < from.tally.attributes(); ++a) {
        report.attributes.push_back(attribute_report(from.tally, a, format.attributes[a].name));
    }
    return report;
}

template <class Figures> ScoreFairnessReport score_figures(const Figures& from) {
    return {.loss = from.cost,
            .churn = from.churn,
            .outcome = from.solve.outcome,
            .iterations = from.solve.iterations,
            .figures = from.score_fairness.value_or(ScoreFairness{})};
}

}  // namespace

FairnessReport fairness_report(const ModelUpdate& update, const StreamFormat& format) {
    return figures(update, format);
}
FairnessReport fairness_report(const fairstream::ModelReport& report, const StreamFormat& format) {
    return figures(report, format);
}

ScoreFairnessReport score_fairness_report(const ModelUpdate& update) {
    return score_figures(update);
}
ScoreFairnessReport score_fairness_report(const fairstream::ModelReport& report) {
    return score_figures(report);
}

ClusterReport cluster_report(const fairstream::ModelReport& report, const StreamFormat& format) {
    ClusterReport out{.clusters = static_cast<std::uint32_t>(report.clusters.size()),
                      .dimensions = format.dimensions,
                      .sizes = {},
                      .centres = {}};
    out.sizes.reserve(report.clusters.size());
    out.centres.reserve(report.clusters.size() * format.dimensions);
    for (const ClusterSummary& cluster : report.clusters) {
        if (cluster.centre.size() != format.dimensions) {
            throw InvalidInput(Reason::wrong_shape, "a centre of " + std::to_string(cluster.centre.size()) +
                                                        " coordinates in a stream of " +
                                                        std::to_string(format.dimensions));
        }
        out.sizes.push_back(cluster.size);
        out.centres.insert(out.centres.end(), cluster.centre.begin(), cluster.centre.end());
    }
    return out;
}

}  // namespace fairstream::wire
