#pragma once
/// Figures of models, and their options and input, as JSON. Numbers that are not finite become null.

#include <span>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/command/input/input.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::command {

/// Returns all fairness figures of attribute `index`, with its name, its groups and the counts by cluster and group.
[[nodiscard]] nlohmann::ordered_json attribute_json(const FairnessTally& tally, const Attribute& attribute, int index);
/// Returns figures as published: cost, churn, outcome, the model's own figures, and those of the attributes, counts
/// included, or of the scores.
[[nodiscard]] nlohmann::ordered_json figures_json(const wire::FairnessReport& report);
/// {"front": [{"kmeans_updates": 64, ..., "published": true}, ...]}.
[[nodiscard]] nlohmann::ordered_json front_json(std::span<const OperatingPoint> front);
/// Returns a model's options with their types, attributes by name: {"clusters": 10, "attribute": "sex", ...}.
[[nodiscard]] nlohmann::ordered_json options_json(const ModelOptions& options, std::span<const Attribute> attributes);
/// Returns the k x J counts of attribute `index`.
[[nodiscard]] nlohmann::ordered_json counts_json(const FairnessTally& tally, int index);
/// Adds the sums of the points' weights by cluster, and by cluster and group of an attribute, if there is such; nothing
/// where all points weigh 1.
void add_weights(const FairnessTally& tally, int index, nlohmann::ordered_json& json);
[[nodiscard]] nlohmann::ordered_json sizes_json(const FairnessTally& tally);
/// Returns the source of the points and their preprocessing.
[[nodiscard]] nlohmann::ordered_json input_json(const InputOptions& input);

}  // namespace fairstream::command
