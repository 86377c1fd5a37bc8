#pragma once
/// `fairstream fit` for a model of predictions: a network that is given, or trained on one part of a file. It is judged
/// on every part before and after the adjustment of its last layer.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/fit/stages/adjusted_network.hpp>

namespace fairstream::fit {

/// The results of a fit for its report.
struct PredictionFit {
    std::vector<Attribute> attributes;     ///< protected attributes of the points
    std::uint32_t dimensions = 0;          ///< number of features
    std::size_t retained = 0, window = 0;  ///< points in the engine at the end, and its capacity
    PreparationFigures preparation;
    FitFigures figures;
    Solve solve;               ///< last solution
    std::vector<Figure> own;   ///< the model's own figures
    double solve_seconds = 0;  ///< duration of one further solution
    files::PartScores predictions, unadjusted_predictions;
    files::PartPredictionFairness after, before;
    std::string network;  ///< contents of the adjusted network's file
    std::optional<NetworkCurve> curve;

    [[nodiscard]] double seconds() const { return figures.ingest_seconds + figures.refine_seconds; }
};

/// Return the report as JSON, and as a summary for people.
[[nodiscard]] std::string predictions_json(const FitOptions& options, const ModelOptions& model,
                                           const PredictionFit& fit);
[[nodiscard]] std::string predictions_summary(const FitOptions& options, const ModelOptions& model,
                                              const PredictionFit& fit);

}  // namespace fairstream::fit
