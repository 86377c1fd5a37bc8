#pragma once
/// How many points of each group one cluster has at the least cost, the prices of all others standing. Private to the
/// model.

#include <cstddef>
#include <optional>
#include <vector>

#include <fairstream/fairness/demand.hpp>
#include <fairstream/models/safairkm/detail/ranked_gaps.hpp>

namespace fairstream::safairkm {

/// The members of each group at which the cluster keeps a demand and the sum of the gaps of all that join is least.
/// Nothing when a gap is asked for that lies beyond the band of its group; `lacking`, one for each group, then says of
/// which.
[[nodiscard]] std::optional<std::vector<std::size_t>> cheapest_counts(const Demand& demand,
                                                                      const std::vector<RankedGaps>& gaps,
                                                                      std::vector<bool>& lacking);

}  // namespace fairstream::safairkm
