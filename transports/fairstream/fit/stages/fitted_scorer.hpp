#pragma once
/// A fitted model of scores: its scores on every part, and figures of the fit.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include <fairstream/fit/stages/fit_stream.hpp>
#include <fairstream/input/score_parts.hpp>

namespace fairstream::fit {

struct FittedScorer {
    FitFigures figures;
    Solve solve;  ///< last solve
    double cost = 0;
    std::vector<Figure> own;  ///< the model's own figures; additive ones are summed over all steps
    files::PartScores scores;
    files::PartFairness fairness;

    [[nodiscard]] double seconds() const { return figures.ingest_seconds + figures.refine_seconds; }
    /// Returns the figure of this name in `own`; nothing if the model does not have it.
    [[nodiscard]] std::optional<double> figure(std::string_view name) const;
};

/// Returns an engine trained on these points. If the window never held a positive and a negative point, throws
/// `Interrupted` after a stop, otherwise `InvalidInput` (not_ready).
[[nodiscard]] Engine trained(const FitOptions& options, const ModelOptions& model, const files::Table& training,
                             const FitStop& stop, const FitProgress& progress, FitFigures& figures);
/// Adds the quality of the last solution and the iterations, for a model with such figures.
void add_solve(const FittedScorer& scorer, nlohmann::ordered_json& json);
/// Adds the figures of each existing part as an object.
void add_parts(const files::PartFairness& fairness, nlohmann::ordered_json& json);
/// Returns the fit of an engine with one model, with its scores of `points`.
[[nodiscard]] FittedScorer fitted(const FitOptions& options, const Engine& engine, const files::PartPoints& points,
                                  const FitFigures& figures);

}  // namespace fairstream::fit
