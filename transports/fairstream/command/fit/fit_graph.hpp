#pragma once
/// `fairstream fit` for a graph, which is clustered as a whole and not as a stream.

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/fit/fit.hpp>

namespace fairstream::command {

/// The input of `options` is a graph, `model` what they say of the model; outputs are checked. 0, or throws, also for a
/// model that takes no graphs and for options that are of streams. From the first output on it is not stopped by
/// `signals`.
int fit_graph(const FitOptions& options, const ModelOptions& model, StopSignals& signals);

}  // namespace fairstream::command
