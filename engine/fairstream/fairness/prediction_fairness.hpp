#pragma once
/// Errors of predicted targets, and distances between groups' predictions.

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include <fairstream/fairness/figure.hpp>
#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/fairness/score_tally.hpp>

namespace fairstream {

/// Figures of predictions. Distances are the largest over pairs of groups that have points, 0 with fewer than two such
/// groups. Ties and weights are handled as in `DistributionGaps`.
struct PredictionFairness {
    std::int64_t points = 0;
    std::optional<double>
        mse{};               ///< weighted mean of the squared errors over all groups; empty without targets or points
    double ks = 0;           ///< Kolmogorov-Smirnov distance, in [0, 1]
    double wasserstein = 0;  ///< Wasserstein-1 distance, in the targets' unit
    double mean_gap = 0;     ///< difference of means, in the targets' unit: demographic parity of the mean
    /// Largest, over pairs of groups, of the mean KS distance that two groups of these sizes have if their
    /// distributions are equal (`ks_by_chance`). A smaller `ks` cannot be told from 0.
    double ks_by_chance = 0;
    bool operator==(const PredictionFairness&) const = default;
};

/// Fairness of a number per point: of scores of a class, or of predictions.
using NumberFairness = std::variant<ScoreFairness, PredictionFairness>;

/// All figures except the number of points and the error, which may be missing.
inline constexpr std::array<MemberFigure<PredictionFairness>, 4> prediction_figures{
    {{"ks", "number", "largest Kolmogorov-Smirnov distance between two groups, in [0, 1]", &PredictionFairness::ks},
     {"wasserstein", "number", "largest Wasserstein-1 distance between two groups", &PredictionFairness::wasserstein},
     {"mean_gap", "number", "largest difference between two groups' means", &PredictionFairness::mean_gap},
     {"ks_by_chance", "number", "mean of ks if all groups had the same distribution",
      &PredictionFairness::ks_by_chance}}};

/// Returns the mean KS distance of two groups of these numbers of points if their distributions are equal: .8687
/// sqrt(1/n_1 + 1/n_2), the mean of Kolmogorov's distribution. No network can be expected to have less.
[[nodiscard]] double ks_by_chance(double points, double other_points);

/// Measures predictions, against targets if the points have them. `tally` must be settled. O(n) for n points and a
/// fixed number of groups.
[[nodiscard]] PredictionFairness prediction_fairness(const ScoreTally& tally, bool have_targets);

}  // namespace fairstream
