#pragma once
/// A model of scores after its fit: its scores of every part, and figures of the fit.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include <fairstream/files/input/score_parts.hpp>
#include <fairstream/fit/stages/fit_stream.hpp>

namespace fairstream::fit {

struct FittedScorer {
    FitFigures figures;
    Solve solve;  ///< the last solve
    double cost = 0;
    std::vector<Figure> own;  ///< the model's own figures; those that add up are of all steps
    files::PartScores scores;
    files::PartFairness fairness;

    [[nodiscard]] double seconds() const { return figures.ingest_seconds + figures.refine_seconds; }
    /// Returns one of `own`; nothing where the model does not have it.
    [[nodiscard]] std::optional<double> figure(std::string_view name) const;
};

/// Returns an engine trained on these points. Throws `InvalidInput` (not_ready) when the window never held a positive
/// and a negative one; ends the process where that is because it was stopped.
[[nodiscard]] Engine trained(const FitOptions& options, const ModelOptions& model, const files::Table& training,
                             const FitStop& stop, const FitProgress& progress, FitFigures& figures);
/// Adds how well the last problem was solved, and the iterations, of a model that has such figures.
void add_solve(const FittedScorer& scorer, nlohmann::ordered_json& json);
/// Returns the fit of an engine with one model, with its scores of `points`.
[[nodiscard]] FittedScorer fitted(const FitOptions& options, const Engine& engine, const files::PartPoints& points,
                                  const FitFigures& figures);

}  // namespace fairstream::fit
