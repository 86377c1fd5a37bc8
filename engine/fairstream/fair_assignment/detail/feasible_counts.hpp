#pragma once
/// Whole numbers of points by cluster and cell that keep all demands, near given ones.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Bounds on a search of counts.
struct CountLimits {
    /// Changes of two clusters that it may weigh, from which it takes its own; 100 million take about half a second of
    /// one core. It ends where none are left.
    std::int64_t weighings = std::numeric_limits<std::int64_t>::max();
    /// Says whether to go on where descents end, and from counts that keep one demand alone: about a tenth of a second.
    bool thorough = true;
};

/// Returns counts, clusters x cells row-major, of the same points (equal totals of every cell) in which every cluster
/// has a point and keeps all demands: moved there from `counts` by as few points as a search finds. Nothing when it
/// finds none. For one demand on one attribute the search is complete as `one_ratio_counts` is; with few points to a
/// cluster otherwise it may miss counts that exist, and with more than `most_cells_searched` cells it does not search.
[[nodiscard]] std::optional<CellCounts> feasible_counts(const CountProblem& problem, const CellCounts& counts,
                                                        CountLimits& limits);

/// Returns at most so many of them, each found in another way, where moves of single points do not lead to any: which
/// of them are the cheapest depends on the points. Empty where the search finds none.
[[nodiscard]] std::vector<CellCounts> feasible_counts_by_ways(const CountProblem& problem, const CellCounts& counts,
                                                              CountLimits& limits, std::size_t most = 2);

}  // namespace fairstream
