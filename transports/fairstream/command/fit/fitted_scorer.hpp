#pragma once
/// A model of scores after its fit: what it scores every part, and how it came about.

#include <optional>
#include <string_view>
#include <vector>

#include <fairstream/command/fit/fit_stream.hpp>
#include <fairstream/command/input/score_parts.hpp>

namespace fairstream::command {

struct FittedScorer {
    FitFigures figures;
    Solve solve;  ///< the last
    double loss = 0;
    std::vector<Figure> own;  ///< the model's
    PartScores scores;
    PartFairness fairness;

    [[nodiscard]] double seconds() const { return figures.ingest_seconds + figures.refine_seconds; }
    /// One of `own`; nothing where the model does not tell it.
    [[nodiscard]] std::optional<double> figure(std::string_view name) const;
};

/// An engine that has learned from these points. Throws `InvalidInput` (not_ready) when the window never held a
/// positive and a negative one.
[[nodiscard]] Engine trained(const FitOptions& options, const ModelOptions& model, const csv::Table& training,
                             const FitProgress& progress, FitFigures& figures);
/// What an engine of one model has come to, by how it scores `points`.
[[nodiscard]] FittedScorer fitted(const FitOptions& options, const Engine& engine, const PartPoints& points,
                                  const FitFigures& figures);

}  // namespace fairstream::command
