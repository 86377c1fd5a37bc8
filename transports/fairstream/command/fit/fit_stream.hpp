#pragma once
/// The common part of fits of points: streaming a table through an engine with one model.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <fairstream/command/fit/fit.hpp>
#include <fairstream/csv/table.hpp>

namespace fairstream::command {

/// Callback with the share done, in [0, 1], and a text about it.
using FitProgress = std::function<void(double, std::string_view)>;

/// Returns the number of clusters of a model; nothing for a model of scores.
[[nodiscard]] std::optional<std::int64_t> clusters_of(const ModelOptions& model);

/// Returns the options of an engine for `table`, with one model, named as its kind. Throws `InvalidInput` when no
/// window holds so many points, and when there are fewer points than clusters.
[[nodiscard]] EngineOptions engine_options(const FitOptions& options, const ModelOptions& model,
                                           const csv::Table& table);
/// Streams the table, in the passes and batches that `options` specify; fills all figures but those of a refinement.
void stream(const FitOptions& options, const csv::Table& table, Engine& engine, const FitProgress& progress,
            FitFigures& figures);
/// Says whether a fit ends with a refinement: unless `options` specify none, or the model has none.
[[nodiscard]] bool is_refined(const FitOptions& options, const ModelOptions& model);
/// Runs the final refinement of a fit that has one. Calls `progress`, if set, for models that report it.
void refine(const FitOptions& options, Engine& engine, FitFigures& figures, const FitProgress& progress = {});

}  // namespace fairstream::command
