#pragma once
/// How far the distributions of real-valued outputs of groups are apart.

#include <cstddef>
#include <span>

#include <fairstream/base/types.hpp>
#include <fairstream/fairness/score_tally.hpp>

namespace fairstream {

/// The largest of any two groups that have weight; 0 with fewer than two.
struct DistributionGaps {
    double ks = 0;           ///< Kolmogorov-Smirnov: largest difference of shares at or below any value, in [0, 1]
    double wasserstein = 0;  ///< Wasserstein-1: area between the shares at or below a value, in the outputs' unit
    double mean = 0;         ///< difference of means, in the outputs' unit
    bool operator==(const DistributionGaps&) const = default;
};

/// Measures the numbers of a settled tally; those of the known groups count. Equal numbers are one place, whatever
/// their order. O(n groups^2).
[[nodiscard]] DistributionGaps distribution_gaps(const ScoreTally& tally);

/// Measures outputs, n, all finite, of groups below `group_count`; others are passed over. `weights` are n, above 0;
/// empty: 1 each. O(n (log n + groups^2)).
[[nodiscard]] DistributionGaps distribution_gaps(std::span<const float> outputs, std::span<const GroupId> groups,
                                                 std::size_t group_count, std::span<const double> weights = {});

}  // namespace fairstream
