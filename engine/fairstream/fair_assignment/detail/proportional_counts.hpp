#pragma once
/// Numbers of points by cluster and cell in which every cluster has the composition of all points, as nearly as whole
/// points allow.

#include <optional>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Returns counts near `counts` that meet the demands. Near the best possible ratio few sizes of a cluster are in
/// proportion, and no move of a point between two clusters leads from valid counts to other valid ones. Therefore the
/// sizes of all clusters are searched together. A ratio binds the cells that have no room in it; its other cells change
/// as little as the bound cells allow. Returns nothing if more than four cells are bound, if there are no such counts,
/// or if the search would take more than some twenty milliseconds.
[[nodiscard]] std::optional<CellCounts> proportional_counts(const CountProblem& problem, const CellCounts& counts);

}  // namespace fairstream
