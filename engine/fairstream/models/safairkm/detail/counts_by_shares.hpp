#pragma once
/// `cheapest_counts` under bounds on shares. Private to the model.

#include <cstddef>
#include <optional>
#include <vector>

#include <fairstream/fairness/demand.hpp>
#include <fairstream/models/safairkm/detail/ranked_gaps.hpp>

namespace fairstream::safairkm {

/// The counts m_j of one cluster at which its cost is least while every m_j lies between lower_j m and upper_j m, m the
/// sum of them. The same whatever the bands of the gaps are; nothing, and which groups are `lacking`, when it takes a
/// gap beyond them.
[[nodiscard]] std::optional<std::vector<std::size_t>> counts_by_shares(const Demand& demand,
                                                                       const std::vector<RankedGaps>& gaps,
                                                                       std::vector<bool>& lacking);

}  // namespace fairstream::safairkm
