#pragma once
/// Whole numbers of points by cluster and cell that meet all demands, near given numbers.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Bounds on a search of counts.
struct CountLimits {
    /// Number of changes of two clusters that the search may weigh. The search subtracts each change that it weighs,
    /// and ends when none are left. 100 million take about half a second of one core.
    std::int64_t weighings = std::numeric_limits<std::int64_t>::max();
    /// Continues the search where descents end, and from counts that meet a single demand. This takes about a tenth of
    /// a second.
    bool thorough = true;
};

/// Returns counts, clusters x cells row-major, in which every cluster has a point and meets all demands. Each cell has
/// the same total as in `counts`. The search moves as few points as it can. Returns nothing if it finds none. If moves
/// of single points do not lead to any, returns up to `most` counts, each found in another way: the points decide which
/// of them are the cheapest. For one ratio the search is complete as `ratio_counts` is. Otherwise, with few points per
/// cluster, it may miss counts that exist. With more than `most_cells_searched` cells it does not search.
[[nodiscard]] std::vector<CellCounts> feasible_counts(const CountProblem& problem, const CellCounts& counts,
                                                      CountLimits& limits, std::size_t most = 1);

}  // namespace fairstream
