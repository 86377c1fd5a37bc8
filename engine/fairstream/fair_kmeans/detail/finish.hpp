#pragma once
/// The end of a search: moves and exchanges of single points until a clustering meets its target and its cost no longer
/// falls.

#include <fairstream/base/outcome.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/fair_kmeans/detail/clustering.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>

namespace fairstream::safairkm {

/// Visits every retained point in turn, sweep after sweep, until no visit helps or the sweeps reach their limit.
void descend(Clustering& c, Rule rule, Solve& solve, WorkDone& done);

/// Returns the share of the best ratio that is asked for if a target exceeds the best ratio. If whole points of the
/// smallest group are counted exactly, it is 1. With many points it allows for one missing point in each cluster,
/// because the last point is expensive: it leaves each cluster hardly any choice of points.
[[nodiscard]] double share_of_best_ratio(const Clustering& c);

/// Makes a clustering near its target meet it, then lowers the cost, by moves, swaps and exchanges. If the work must
/// end, only makes it meet the target.
Outcome finish(Clustering& c, Solve& solve, WorkDone& done);

}  // namespace fairstream::safairkm
