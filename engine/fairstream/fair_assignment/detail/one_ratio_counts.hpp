#pragma once
/// Numbers of points by cluster and group that keep a single ratio, where an exact search finds them.

#include <optional>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Returns counts of the same points that keep the one demand of `problem`. It is complete for a balance, up to 512
/// points in the smallest group, and for any ratio of two groups of few points (about 60 each for 6 clusters). Nothing
/// where there are none, the search would take long, or `problem` has more than one ratio of the groups of one
/// attribute.
[[nodiscard]] std::optional<CellCounts> one_ratio_counts(const CountProblem& problem, const CellCounts& counts);

/// Returns counts that keep the one demand of `problem`, a balance, moved there from `counts` by about as few points as
/// there is a way. Nothing where `near_split` finds none, or there is another demand.
[[nodiscard]] std::optional<CellCounts> near_one_ratio_counts(const CountProblem& problem, const CellCounts& counts);

}  // namespace fairstream
