#pragma once
/// `fairstream fit` for a graph, which is clustered as a whole and not as a stream.

#include <string_view>

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/fit/fit_options.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::command {

/// Says whether the model of this name clusters graphs.
[[nodiscard]] bool takes_graphs(std::string_view model);

/// Fits a graph. `options` have a graph as input and checked outputs; `model` are their model options. Returns 0;
/// throws, also for a model that takes no graphs and for options of streams. `signals` do not stop it from the first
/// output on.
int fit_graph(const FitOptions& options, const ModelOptions& model, StopSignals& signals);

}  // namespace fairstream::command
