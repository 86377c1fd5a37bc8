#pragma once
/// Distances between the distributions of groups' real-valued outputs.

#include <cstddef>
#include <span>

#include <fairstream/base/types.hpp>
#include <fairstream/fairness/score_tally.hpp>

namespace fairstream {

/// Each gap is the largest over pairs of groups that have weight; 0 with fewer than two such groups.
struct DistributionGaps {
    double ks = 0;           ///< Kolmogorov-Smirnov: largest difference of the shares at or below a value, in [0, 1]
    double wasserstein = 0;  ///< Wasserstein-1: area between the shares at or below a value, in the unit of the outputs
    double mean = 0;         ///< difference of means, in the unit of the outputs
    bool operator==(const DistributionGaps&) const = default;
};

/// Measures the numbers of the known groups in a settled tally. Equal numbers are one value: their order has no effect.
/// O(n groups^2).
[[nodiscard]] DistributionGaps distribution_gaps(const ScoreTally& tally);

/// Measures n finite outputs of groups below `group_count`; outputs of other groups are ignored. `weights` has n
/// entries above 0; empty: 1 each. O(n (log n + groups^2)).
[[nodiscard]] DistributionGaps distribution_gaps(std::span<const float> outputs, std::span<const GroupId> groups,
                                                 std::size_t group_count, std::span<const double> weights = {});

}  // namespace fairstream
