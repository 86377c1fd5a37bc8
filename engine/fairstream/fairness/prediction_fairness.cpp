#include <fairstream/fairness/prediction_fairness.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fairstream/fairness/distribution_gaps.hpp>

namespace fairstream {
namespace {

std::optional<double> mean_squared_error(const ScoreTally& tally) {
    double sum = 0, mass = 0;
    for (std::size_t group = 0; group < tally.groups(); ++group)
        for (const ScoreTally::Entry& entry : tally.sorted(static_cast<GroupId>(group))) {
            const double error = entry.score - double{entry.target};
            sum += entry.weight * error * error;
            mass += entry.weight;
        }
    return mass > 0 ? std::optional(sum / mass) : std::nullopt;
}

// Returns the effective number of points: (sum of weights)^2 / sum of squared weights.
double effective_points(std::span<const ScoreTally::Entry> entries) {
    double sum = 0, squares = 0;
    for (const ScoreTally::Entry& entry : entries) sum += entry.weight, squares += entry.weight * entry.weight;
    return squares > 0 ? sum / squares * sum : 0;
}

// Returns the largest `ks_by_chance` over pairs: that of the two smallest groups.
double largest_by_chance(const ScoreTally& tally) {
    double least = 0, second = 0;
    for (std::size_t group = 0; group < tally.known_groups(); ++group) {
        const double points = effective_points(tally.sorted(static_cast<GroupId>(group)));
        if (points == 0) continue;
        if (least == 0 || points < least)
            second = std::exchange(least, points);
        else if (second == 0 || points < second)
            second = points;
    }
    return second > 0 ? std::min(1.0, ks_by_chance(least, second)) : 0;
}

}  // namespace

double ks_by_chance(double points, double other_points) {
    constexpr double mean_of_kolmogorov = 0.8687311606;  // sqrt(pi / 2) ln 2
    return mean_of_kolmogorov * std::sqrt(1 / points + 1 / other_points);
}

PredictionFairness prediction_fairness(const ScoreTally& tally, bool have_targets) {
    PredictionFairness found;
    found.points = static_cast<std::int64_t>(tally.size());
    if (have_targets) found.mse = mean_squared_error(tally);
    const DistributionGaps gaps = distribution_gaps(tally);
    found.ks = gaps.ks;
    found.wasserstein = gaps.wasserstein;
    found.mean_gap = gaps.mean;
    found.ks_by_chance = largest_by_chance(tally);
    return found;
}

}  // namespace fairstream
