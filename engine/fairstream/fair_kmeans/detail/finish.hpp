#pragma once
/// The end of a search: single points are moved and exchanged until a clustering keeps its target and costs no less.

#include <fairstream/base/outcome.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/fair_kmeans/detail/clustering.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>

namespace fairstream::safairkm {

/// Visits every retained point in turn until no visit helps, or no sweep is to follow.
void descend(Clustering& c, Rule rule, Solve& solve, WorkDone& done);

/// Returns the part of the best ratio that is asked for where a target is beyond it: all of it where whole points of
/// the smallest group are counted exactly; of many points so much that a point of it in each cluster may be missing,
/// since the last of it is dear: it leaves each cluster hardly any choice of points.
[[nodiscard]] double part_of_best(const Clustering& c);

/// Brings a clustering that is near its target to it, and then lowers the cost, by moves, swaps and exchanges. Work
/// that is to end does the first alone.
Outcome finish(Clustering& c, Solve& solve, WorkDone& done);

}  // namespace fairstream::safairkm
