#pragma once
/// The cheapest numbers of points of each group in one cluster, for fixed prices of all other clusters.

#include <cstddef>
#include <vector>

#include <fairstream/fair_assignment/detail/ranked_gaps.hpp>
#include <fairstream/fairness/demand.hpp>

namespace fairstream {

/// Returns the members of each group for which the cluster meets a demand and the sum of the gaps of all that join is
/// least. The result does not depend on the bands of the gaps, which are widened if they leave it open.
[[nodiscard]] std::vector<std::size_t> cheapest_counts(const Demand& demand, std::vector<RankedGaps>& gaps);

}  // namespace fairstream
