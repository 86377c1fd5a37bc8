#pragma once
/// Resolution of the outputs that `fairstream predict` asks of a model.

#include <vector>

#include <fairstream/command/predict/asked_engine.hpp>
#include <fairstream/command/predict/predict.hpp>

namespace fairstream::command {

/// Returns the model that the options name, or the only one. Throws `InvalidInput` (unknown_model).
[[nodiscard]] const AskedModel& asked_model(const PredictOptions& options, const std::vector<AskedModel>& models);

/// Returns the options; when they name no output, adds the model's usual one on standard output. Throws `InvalidInput`
/// (bad_option) for an output that the model does not have: labels from a model of scores, probabilities or a fair
/// assignment from a model without them, any output from a model without outputs.
[[nodiscard]] PredictOptions completed(PredictOptions options, const AskedModel& model, const StreamFormat& format);

/// Returns whether a model has targets on groups.
[[nodiscard]] bool has_group_targets(const AskedModel& model, const StreamFormat& format);
/// Returns whether labels have to keep the model's targets: when asked for, or by default when the model has targets
/// and can keep them.
[[nodiscard]] bool asks_for_fair_labels(const PredictOptions& options, const AskedModel& model,
                                        const StreamFormat& format);

/// Returns the attributes whose groups each point needs, in the engine's order.
[[nodiscard]] std::vector<int> needed_attributes(bool fair, const AskedModel& model, const StreamFormat& format);

}  // namespace fairstream::command
