#pragma once
/// `fairstream fit` for a model that gives clusters.

#include <string>

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/fit/fit_stream.hpp>

namespace fairstream::command {

/// Fits the model; returns what `judge_targets` does, or throws. `signals` do not stop it from the first output on.
int fit_clusters(FitOptions options, const ModelOptions& model, StopSignals& signals);

/// Return the report as JSON, and as a summary for people. `engine` has one model.
[[nodiscard]] std::string clusters_json(const FitOptions& options, const Engine& engine, const FitFigures& figures);
[[nodiscard]] std::string clusters_summary(const FitOptions& options, const Engine& engine, const FitFigures& figures);

}  // namespace fairstream::command
