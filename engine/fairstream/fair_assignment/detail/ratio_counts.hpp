#pragma once
/// Numbers of points by cluster and group that keep a single ratio, where an exact search finds them.

#include <optional>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Returns counts of the same points that keep the one demand of `problem`, a balance or any ratio of two groups, moved
/// there from `counts` by about as few points as there is a way. It is complete for a balance, up to 512 points in the
/// smallest group, and for any ratio of two groups of few points (about 60 each for 6 clusters). Nothing where there
/// are none, the search would take long, or there is another demand.
[[nodiscard]] std::optional<CellCounts> ratio_counts(const CountProblem& problem, const CellCounts& counts);

}  // namespace fairstream
