#pragma once
/// Numbers of points by cluster and cell in which every cluster has the composition of all points, as nearly as whole
/// points allow.

#include <optional>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Returns counts near `counts` that keep the demands on the cells which these bind. Near the best possible ratio few
/// sizes of a cluster are in proportion, so that a point more or less in two clusters leads from none to another: the
/// sizes of all clusters are sought together. Cells that a ratio leaves room stay as near as those allow. Nothing where
/// more than four cells are bound, there are no such counts, or to look for them would take long: some twenty
/// milliseconds.
[[nodiscard]] std::optional<CellCounts> proportional_counts(const CountProblem& problem, const CellCounts& counts);

}  // namespace fairstream
