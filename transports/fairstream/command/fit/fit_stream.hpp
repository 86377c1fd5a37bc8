#pragma once
/// What fits of points have in common: a table that goes through an engine of one model.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <fairstream/command/fit/fit.hpp>
#include <fairstream/csv/table.hpp>

namespace fairstream::command {

/// Told the share done, in [0, 1], and what has been done.
using FitProgress = std::function<void(double, std::string_view)>;

/// The number of clusters that a model looks for; nothing of a model of scores.
[[nodiscard]] std::optional<std::int64_t> clusters_of(const ModelOptions& model);

/// An engine for `table` whose one model has the name of its kind. Throws `InvalidInput` when no window holds so many
/// points, and when there are fewer than clusters.
[[nodiscard]] EngineOptions engine_options(const FitOptions& options, const ModelOptions& model,
                                           const csv::Table& table);
/// Sends the table, as often and in batches as `options` say; fills the figures but those of a refinement.
void stream(const FitOptions& options, const csv::Table& table, Engine& engine, const FitProgress& progress,
            FitFigures& figures);
/// The rounds at the end, unless `options` want none. Progress, where anyone wants it, is told by models that know it.
void refine(const FitOptions& options, Engine& engine, FitFigures& figures, const FitProgress& progress = {});

}  // namespace fairstream::command
