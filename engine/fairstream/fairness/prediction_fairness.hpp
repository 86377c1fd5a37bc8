#pragma once
/// Errors of predicted targets, and how far groups' predictions are apart.

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include <fairstream/fairness/figure.hpp>
#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/fairness/score_tally.hpp>

namespace fairstream {

/// Figures of predictions. Distances are the largest of any two groups that have points, 0 where fewer than two have;
/// they are defined with ties and weights as in `DistributionGaps`.
struct PredictionFairness {
    std::int64_t points = 0;
    std::optional<double>
        mse{};               ///< weighted mean of the squared errors, of all groups; empty without targets or points
    double ks = 0;           ///< Kolmogorov-Smirnov distance, in [0, 1]
    double wasserstein = 0;  ///< Wasserstein-1 distance, in the targets' unit
    double mean_gap = 0;     ///< difference of means, in the targets' unit: demographic parity of the mean
    /// The KS distance that those two groups have on average where their distributions are the same, as it is largest
    /// over pairs (`ks_by_chance`): what a distance of these points cannot be told from 0 below.
    double ks_by_chance = 0;
    bool operator==(const PredictionFairness&) const = default;
};

/// Fairness of a number for each point: of scores of a class, or of predictions.
using NumberFairness = std::variant<ScoreFairness, PredictionFairness>;

/// All figures but the number of points and the error, which may be missing.
inline constexpr std::array<MemberFigure<PredictionFairness>, 4> prediction_figures{
    {{"ks", "number", "largest Kolmogorov-Smirnov distance between two groups, in [0, 1]", &PredictionFairness::ks},
     {"wasserstein", "number", "largest Wasserstein-1 distance between two groups", &PredictionFairness::wasserstein},
     {"mean_gap", "number", "largest difference between two groups' means", &PredictionFairness::mean_gap},
     {"ks_by_chance", "number", "mean of ks if all groups had the same distribution",
      &PredictionFairness::ks_by_chance}}};

/// Returns the KS distance that two groups of so many points have on average where their distributions are the same:
/// .8687 sqrt(1/n_1 + 1/n_2), the mean of Kolmogorov's distribution. No network can be promised less.
[[nodiscard]] double ks_by_chance(double points, double other_points);

/// Measures predictions against targets, where the points have such. `tally` is settled. O(n) for n points and a fixed
/// number of groups.
[[nodiscard]] PredictionFairness prediction_fairness(const ScoreTally& tally, bool have_targets);

}  // namespace fairstream
