#pragma once
/// The common part of fits of points: streaming a table through an engine with one model.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/files/points/table.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/fit/stages/class_agreement.hpp>
#include <fairstream/fit/stages/equal_points.hpp>
#include <fairstream/fit/stages/feature_profiles.hpp>
#include <fairstream/fit/stages/fit_stop.hpp>
#include <fairstream/fit/stages/saved_fit.hpp>

namespace fairstream::fit {

/// Measurements of a fit that are not in the engine's state, and its events where they are to be saved.
struct FitFigures {
    SavedFit* saved = nullptr;  ///< takes in the events in place of the engine alone; null: they are not kept
    std::size_t batch = 0;      ///< points per event
    std::uint64_t points = 0;   ///< sent, each pass counted
    std::uint64_t steps = 0;    ///< events that stepped the model
    double churn = 0;           ///< mean over these events
    double ingest_seconds = 0;  ///< in `Engine::ingest` of batches
    double refine_seconds = 0;  ///< in `Engine::ingest` of the refinement
    double refine_churn = 0;
    Solve refinement;  ///< how it ended; untouched without one
    bool refined = false;
    bool stopped = false;                     ///< before the end, by whoever was told of the progress
    std::vector<Figure> totals;               ///< the model's figures that add up, over all events that stepped it
    EqualPoints equal;                        ///< of a clustering, at the end
    std::optional<FeatureProfiles> profiles;  ///< of its clusters
    std::optional<ClassAgreement> agreement;  ///< of the labels with the true classes; empty: they are not known
};

/// Loads the points of a fit (`load_table`), and notes the names of their features.
[[nodiscard]] files::Table load_points(FitOptions& options, Listener& listener);
/// Loads the points of a fit that is about those that are retained at its end (`load_points`): of a described stream
/// without the groups of which `options.window` retains none.
[[nodiscard]] files::Table load_streamed(FitOptions& options, Listener& listener);
/// Returns the options of an engine for `table`, with one model, named as its kind. Throws `InvalidInput` when no
/// window holds so many points, and when there are fewer points than clusters.
[[nodiscard]] EngineOptions engine_options(const FitOptions& options, const ModelOptions& model,
                                           const files::Table& table);
/// Lets the engine of a fit take in an event.
const Update& take_in(Engine& engine, const Event& event, const FitFigures& figures);
/// Streams the table, in the passes and batches that `options` specify; fills all figures but those of a refinement.
/// Ends early where `progress`, also told within an event, says so.
void stream(const FitOptions& options, const files::Table& table, Engine& engine, const FitProgress& progress,
            FitFigures& figures);
/// Writes `--save-config`, where it is given: an engine process of this stream and this model, which retains `capacity`
/// points.
void write_config(const FitOptions& options, const ModelOptions& model, Slot capacity, Listener& listener);
/// Says whether a fit ends with a refinement: unless `options` specify none, or the model has none.
[[nodiscard]] bool is_refined(const FitOptions& options, const ModelOptions& model);
/// Runs the final refinement of a fit that has one and was not stopped; ends early likewise.
void refine(const FitOptions& options, Engine& engine, FitFigures& figures, const FitProgress& progress);
/// Returns the callback of the part of work from share `from` to `to`. Borrows `progress`.
[[nodiscard]] FitProgress part_of(const FitProgress& progress, double from, double to);

}  // namespace fairstream::fit
