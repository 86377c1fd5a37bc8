#pragma once
/// `fairstream fit` for a model that gives clusters.

#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/fit/clustering_report.hpp>
#include <fairstream/command/fit/fit_stream.hpp>

namespace fairstream::command {

/// Fits the model; returns what `judge_targets` does, or throws. `signals` do not stop it from the first output on.
int fit_clusters(FitOptions options, const ModelOptions& model, StopSignals& signals);

/// Writes what `options` ask for, and the report, as JSON or as a summary for people. `engine` has one model.
void write_clusters(const FitOptions& options, const Engine& engine, const FitFigures& figures,
                    const FittedPoints& points);

}  // namespace fairstream::command
