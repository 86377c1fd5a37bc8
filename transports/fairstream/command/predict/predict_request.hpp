#pragma once
/// What `fairstream predict` asks of a model.

#include <vector>

#include <fairstream/command/predict/asked_engine.hpp>
#include <fairstream/command/predict/predict.hpp>

namespace fairstream::command {

/// Returns the model that the options name, or the only one. Throws `InvalidInput` (unknown_model).
[[nodiscard]] const AskedModel& asked_model(const PredictOptions& options, const std::vector<AskedModel>& models);

/// Returns the options with the output that goes to standard output where they name none. Throws `InvalidInput`
/// (bad_option) for what the model does not give: labels of a model of scores, probabilities or a fair assignment of
/// one without, anything of a model without outputs.
[[nodiscard]] PredictOptions completed(PredictOptions options, const AskedModel& model, const StreamFormat& format);

/// Says whether a model has targets on groups.
[[nodiscard]] bool has_group_targets(const AskedModel& model, const StreamFormat& format);
/// Says whether labels are to keep the model's targets: asked for, or usual where the model can and has some.
[[nodiscard]] bool asks_for_fair_labels(const PredictOptions& options, const AskedModel& model,
                                        const StreamFormat& format);

/// Returns the attributes whose groups a point must come with, in the order in which the engine takes them.
[[nodiscard]] std::vector<int> needed_attributes(bool fair, const AskedModel& model, const StreamFormat& format);

}  // namespace fairstream::command
