#pragma once
/// `fairstream fit` for a model of scores, which learns from one part of a file and is judged on others.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/fit/outputs/fit_curve.hpp>

namespace fairstream::fit {

/// The results of a fit for its report.
struct ScoreFit {
    std::vector<Attribute> attributes;     ///< protected attributes of the points
    std::uint32_t dimensions = 0;          ///< number of features
    std::size_t retained = 0, window = 0;  ///< points in the engine at the end, and its capacity
    PreparationFigures preparation;
    FittedScorer scorer;
    std::optional<Curve> curve;
};

/// Returns the attribute whose groups the model compares.
[[nodiscard]] const Attribute& compared(const ModelOptions& model, const ScoreFit& fit);
/// Return the report as JSON, and as a summary for people.
[[nodiscard]] std::string scores_json(const FitOptions& options, const ModelOptions& model, const ScoreFit& fit);
[[nodiscard]] std::string scores_summary(const FitOptions& options, const ModelOptions& model, const ScoreFit& fit);

}  // namespace fairstream::fit
