#pragma once
/// Figures and options of models as JSON. Infinite numbers and NaN become null.

#include <span>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::figures {

/// Add each figure by its name. Scores add their intervals, if there are any. Predictions add no "mse" when the points
/// have no targets.
void add_figures(const ClusterFairness& fairness, nlohmann::ordered_json& json);
void add_figures(const ScoreFairness& fairness, nlohmann::ordered_json& json);
void add_figures(const PredictionFairness& fairness, nlohmann::ordered_json& json);
/// Adds each rate that eop and eod could not measure, with its group: [{"rate": "true_positive_rate", "group_names":
/// ["b"]}, ...]. Adds nothing when all rates were measured.
void add_missing_rates(const ScoreFairness& fairness, nlohmann::ordered_json& json);
/// Returns the figures of all points as `all`, and those of every attribute and intersection in the list `comparisons`.
/// A missing figure is null.
[[nodiscard]] nlohmann::ordered_json group_metrics_json(const GroupMetrics& metrics);

/// Returns all fairness figures of attribute `index`, with its name, its groups, and the counts by cluster and group.
[[nodiscard]] nlohmann::ordered_json attribute_json(const FairnessTally& tally, const Attribute& attribute, int index);
/// Returns the published figures: cost, churn, outcome, the model's own figures, and the figures of the attributes,
/// with counts, or of the scores.
[[nodiscard]] nlohmann::ordered_json figures_json(const wire::FairnessReport& report);
/// Returns {"front": [{"kmeans_updates": 64, ..., "published": true}, ...]}.
[[nodiscard]] nlohmann::ordered_json front_json(std::span<const OperatingPoint> front);
/// Returns a model's options with their types, attributes by name: {"clusters": 10, "attribute": "sex", ...}.
[[nodiscard]] nlohmann::ordered_json options_json(const ModelOptions& options, std::span<const Attribute> attributes);
/// Returns the k x J counts of attribute `index`.
[[nodiscard]] nlohmann::ordered_json counts_json(const FairnessTally& tally, int index);
/// Adds the sums of weights by cluster and, if `index` is an attribute, by cluster and group. Adds nothing when all
/// weights are 1.
void add_weights(const FairnessTally& tally, int index, nlohmann::ordered_json& json);
[[nodiscard]] nlohmann::ordered_json sizes_json(const FairnessTally& tally);

/// Adds `late_points`, `scale_renewals`, `drift` and `drift_column`: the column's name, its number if it has no name,
/// or null without drift.
void add_condition(const wire::Condition& condition, nlohmann::ordered_json& json);

}  // namespace fairstream::figures
