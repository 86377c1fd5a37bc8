#pragma once
/// Whole numbers of points by cluster and cell that keep all demands, near given ones.

#include <cstddef>
#include <cstdint>
#include <limits>
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
/// has a point and keeps all demands: moved there from `counts` by as few points as a search finds. Empty when it finds
/// none; at most `most`, each found in another way, where moves of single points do not lead to any: which of them are
/// the cheapest depends on the points. For one ratio the search is complete as `ratio_counts` is; with
/// few points to a cluster otherwise it may miss counts that exist, and with more than `most_cells_searched` cells it
/// does not search.
[[nodiscard]] std::vector<CellCounts> feasible_counts(const CountProblem& problem, const CellCounts& counts,
                                                      CountLimits& limits, std::size_t most = 1);

}  // namespace fairstream
