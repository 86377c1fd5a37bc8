#pragma once
/// The numbers of points of each group in one cluster at the least cost, the prices of all other clusters fixed.

#include <cstddef>
#include <optional>
#include <vector>

#include <fairstream/fair_assignment/detail/ranked_gaps.hpp>
#include <fairstream/fairness/demand.hpp>

namespace fairstream {

/// Returns the members of each group at which the cluster keeps a demand and the sum of the gaps of all that join is
/// least. Nothing when that takes a gap beyond the band of its group; `lacking`, one for each group, then marks those
/// groups.
[[nodiscard]] std::optional<std::vector<std::size_t>> cheapest_counts(const Demand& demand,
                                                                      const std::vector<RankedGaps>& gaps,
                                                                      std::vector<bool>& lacking);

}  // namespace fairstream
