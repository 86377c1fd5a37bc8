#pragma once
/// Numbers of points by cluster and group that meet a single ratio, by an exact search.

#include <optional>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Returns counts of the same points that meet the only demand of `problem`, a balance or any ratio of two groups.
/// Moves nearly the fewest points possible from `counts`. Complete for a balance with up to 512 points in the smallest
/// group, and for any ratio of two groups of few points (about 60 each for 6 clusters). Returns nothing if there are no
/// such counts, the search would take long, or there is another demand.
[[nodiscard]] std::optional<CellCounts> ratio_counts(const CountProblem& problem, const CellCounts& counts);

}  // namespace fairstream
