#pragma once
/// `fairstream fit` for a model without outputs: figures of the predictions in a file.

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/fit/fit_options.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::command {

/// Reads of a file's features the predictions alone, where neither a configuration nor the options name others.
void read_predictions_alone(const ModelOptions& model, InputOptions& input);
/// Measures a file's predictions; returns 0, `target_missed` where a figure left its bound, or
/// `met_in_part` where not all of a bounded one could be measured, or throws. `signals` do
/// not stop it from the first output on.
int fit_groups(const FitOptions& options, const ModelOptions& model, StopSignals& signals);

}  // namespace fairstream::command
