#pragma once
/// The numbers of points of each group in one cluster at the least cost, the prices of all other clusters fixed.

#include <cstddef>
#include <vector>

#include <fairstream/fair_assignment/detail/ranked_gaps.hpp>
#include <fairstream/fairness/demand.hpp>

namespace fairstream {

/// Returns the members of each group at which the cluster keeps a demand and the sum of the gaps of all that join is
/// least. They do not depend on the bands of the gaps, which are widened where they leave the answer open.
[[nodiscard]] std::vector<std::size_t> cheapest_counts(const Demand& demand, std::vector<RankedGaps>& gaps);

}  // namespace fairstream
