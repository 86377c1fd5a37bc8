#pragma once
/// `fairstream fit` for a model without outputs: figures of the predictions in a file.

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/fit/fit_options.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::command {

/// Measures a file's predictions; returns 0, or throws. `signals` do not stop it from the first output on.
int fit_groups(const FitOptions& options, const ModelOptions& model, StopSignals& signals);

}  // namespace fairstream::command
