#pragma once
/// `cheapest_counts` under bounds on shares.

#include <cstddef>
#include <optional>
#include <vector>

#include <fairstream/fair_assignment/detail/ranked_gaps.hpp>
#include <fairstream/fairness/demand.hpp>

namespace fairstream {

/// Returns the counts m_j of one cluster at least cost with every m_j between lower_j m and upper_j m, m the sum of
/// them. They do not depend on the bands of the gaps; nothing when that takes a gap beyond them, with those groups
/// marked as `lacking`.
[[nodiscard]] std::optional<std::vector<std::size_t>> counts_by_shares(const Demand& demand,
                                                                       const std::vector<RankedGaps>& gaps,
                                                                       std::vector<bool>& lacking);

}  // namespace fairstream
