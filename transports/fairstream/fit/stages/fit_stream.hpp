#pragma once
/// The common part of fits of points: a table streamed through an engine with one model.

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

/// Measurements of a fit that the engine's state does not hold, and its events if they are to be saved.
struct FitFigures {
    SavedFit* saved = nullptr;  ///< keeps the events it passes to the engine; null: none are kept
    std::size_t batch = 0;      ///< points per event
    std::uint64_t points = 0;   ///< points sent, counting each pass
    std::uint64_t steps = 0;    ///< events that stepped the model
    double churn = 0;           ///< mean over the events that stepped the model
    double ingest_seconds = 0;  ///< seconds in `Engine::ingest`, for batches
    double refine_seconds = 0;  ///< seconds in `Engine::ingest`, for the refinement
    double refine_churn = 0;
    Solve refinement;  ///< how the refinement ended; unchanged without a refinement
    bool refined = false;
    bool is_cut = false;                      ///< whether the refinement ended at its limit on work
    bool stopped = false;                     ///< stopped before its end by the callback of progress
    std::vector<Figure> totals;               ///< the model's additive figures, summed over all events that stepped it
    EqualPoints equal;                        ///< equal points of a clustering, at the end
    std::optional<FeatureProfiles> profiles;  ///< profiles of the clusters
    std::optional<ClassAgreement> agreement;  ///< agreement of the labels with the true classes; nothing: unknown
};

/// Loads the points of a fit (`load_table`), and sets the names of their features.
[[nodiscard]] files::Table load_points(FitOptions& options, Listener& listener);
/// Loads the points of a fit (`load_points`) whose report describes only the points that its window retains. If the
/// file describes the stream, removes groups without a retained point, together with their points.
[[nodiscard]] files::Table load_streamed(FitOptions& options, Listener& listener);
/// Returns the options of an engine for `table` with one model, named after its kind. Throws `InvalidInput` if no
/// window can hold all points, and if there are fewer points than clusters.
[[nodiscard]] EngineOptions engine_options(const FitOptions& options, const ModelOptions& model,
                                           const files::Table& table);
/// Passes an event to the engine of a fit.
const Update& ingest_event(Engine& engine, const Event& event, const FitFigures& figures);
/// Streams the table, in the passes and batches of `options`; fills all figures except those of a refinement. Ends
/// early if `progress` asks for it; `progress` is also called within an event.
void stream(const FitOptions& options, const files::Table& table, Engine& engine, const FitProgress& progress,
            FitFigures& figures);
/// Writes `--save-config`, if given: the configuration of an engine process for this stream and this model, with a
/// window of `capacity` points.
void write_config(const FitOptions& options, const ModelOptions& model, Slot capacity, Listener& listener);
/// Returns whether a fit ends with a refinement: if the model has one, unless `options` turn it off.
[[nodiscard]] bool is_refined(const FitOptions& options, const ModelOptions& model);
/// Runs the final refinement of a fit, if it has one and was not stopped; ends early if `progress` asks for it.
void refine(const FitOptions& options, Engine& engine, FitFigures& figures, const FitProgress& progress);
/// Returns a callback for the part of the work from share `from` to share `to`. Borrows `progress`.
[[nodiscard]] FitProgress part_of(const FitProgress& progress, double from, double to);

}  // namespace fairstream::fit
