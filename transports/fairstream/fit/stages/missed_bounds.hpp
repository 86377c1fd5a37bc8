#pragma once
/// Bounds on scores or predictions that a result misses.

#include <optional>
#include <span>
#include <string>

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/fit/stages/fitted_scorer.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Returns how far the bounded figure exceeds kappa on the training points; nothing if it does not, except for
/// rounding.
[[nodiscard]] std::optional<double> excess_over_kappa(const FittedScorer& scorer);

/// Return a line on the missed bound; empty if it is kept or not set. For scores: by how much the bounded figure
/// exceeds kappa on the training points. For predictions: by how much the distance exceeds `ks_at_most` on the points
/// held back for choosing.
[[nodiscard]] std::string missed_kappa(const FitOptions& options, const ModelOptions& model,
                                       const FittedScorer& scorer);
[[nodiscard]] std::string missed_distance(const FitOptions& options, const ModelOptions& model,
                                          std::span<const Figure> figures);

/// Returns the judgement for a line of `missed_kappa` or `missed_distance`.
[[nodiscard]] Judgement judge_missed_bound(std::string missed);

}  // namespace fairstream::fit
