#pragma once
/// The cheapest numbers of points of each group in one cluster, for fixed prices of all other clusters.

#include <cstddef>
#include <vector>

#include <fairstream/fair_assignment/detail/ranked_gaps.hpp>
#include <fairstream/fairness/demand.hpp>

namespace fairstream {

/// Returns the number of members of each group with which the cluster meets a demand at the least sum of the gaps of
/// all members. The result does not depend on the bands of the gaps, which are widened if they leave the result open.
[[nodiscard]] std::vector<std::size_t> cheapest_counts(const Demand& demand, std::vector<RankedGaps>& gaps);

}  // namespace fairstream
