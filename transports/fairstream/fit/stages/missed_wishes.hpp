#pragma once
/// Bounds that scores or predictions were asked to keep, and miss.

#include <optional>
#include <span>
#include <string>

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/fit/stages/fitted_scorer.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Returns by how much scores are above kappa on the points that they were learned from, which enforcing it on these
/// keeps to; nothing where it is not above rounding.
[[nodiscard]] std::optional<double> excess_over_kappa(const FittedScorer& scorer);

/// Return a line that says by how much scores miss kappa on the points that they were learned from, or predictions
/// `ks_at_most` on those held back to choose by; empty where they keep to it, or are not asked to.
[[nodiscard]] std::string missed_kappa(const FitOptions& options, const ModelOptions& model,
                                       const FittedScorer& scorer);
[[nodiscard]] std::string missed_distance(const FitOptions& options, const ModelOptions& model,
                                          std::span<const Figure> figures);

/// Judges by such a line.
[[nodiscard]] Judgement judge_wish(std::string missed);

}  // namespace fairstream::fit
