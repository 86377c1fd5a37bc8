#pragma once
/// Parts of the smallest group, near those that clusters have, beside which every other group finds room.

#include <cstddef>
#include <cstdint>
#include <optional>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Returns the points of cell `smallest` for each cluster, so that `room_beside` them are `most` points or more. No
/// part is farther from the present one than a radius that is doubled until there is such a split; of those within it,
/// about the one for which fewest points move. Nothing where there is none, or to look for it would take long: some ten
/// milliseconds.
[[nodiscard]] std::optional<CellCounts> near_split(const CountProblem& problem, const Demand& demand,
                                                   const CellCounts& counts, std::size_t smallest, std::int64_t most);

}  // namespace fairstream
