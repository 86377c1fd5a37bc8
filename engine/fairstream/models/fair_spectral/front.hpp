#pragma once
/// The whole trade-off between the normalised cut and fairness, over the points of a window or the nodes of a graph.
///
/// The embedding is made once. Labels are then led to a ladder of targets, from none up to the best there can be: at
/// few of them first, from all starts of k-means and from labels made whatever the groups; then, between every two,
/// from fewer starts and from the labels of both, up from the one and down from the other. At each target labels are
/// put together from parts of all of these. In rounds, the balance of each labelling in the list is searched at again,
/// from it, its neighbours and fresh starts. What another dominates is dropped.

#include <functional>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/graph.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/models/front.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::fair_spectral {

struct FrontOptions {
    /// Options of the affinity, the solver and the moves, and the attributes to balance. Targets are not used.
    Options model;
    FrontMeasure measure = FrontMeasure::balance;
    int stages = 64;         ///< targets above none, evenly spaced up to the best balance or parity, in [0, 1e6]
    int rounds = 2;          ///< limit, in [0, 1e6]; the search ends sooner after a round that adds nothing
    int point_limit = 1500;  ///< the search ends with the round in which the list has so many, in [1, 1e6]
    double gap = 0;  ///< the list is thinned to points this share of the front's extent apart, in [0, 1): `thinned`
};

/// Throws `InvalidInput` (bad_option) naming the option, its value and its range.
void check(const FrontOptions& options, const StreamFormat& format);

/// Groups of balanced attributes that are too rare to count, `totals` by attribute and group.
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const FrontOptions& options, const GroupTotals& totals);

/// Find the front over the points in `window`, or over the nodes of a graph, whose `attributes` and `groups` are as for
/// `cluster_graph`; at the same bytes on any number of threads; 0: as many as TBB has. Costs are normalised cuts, in
/// [0, k], and k is the reference. Throw `InvalidInput` as `check` and `cluster_graph` do, and (not_ready) when there
/// are fewer points than clusters, or a balanced attribute has one group only or a group without points that counts.
/// `on_progress`, if given, is called after some stages and after each round, and returns whether to go on. `on_work`,
/// if given, is told of the work in between, and may end the search, with what it has found.
[[nodiscard]] Front find_front(const FrontOptions& options, const Window& window, int threads = 0,
                               const std::function<bool(const FrontProgress&)>& on_progress = {},
                               const OnProgress& on_work = {});
[[nodiscard]] Front find_front(const FrontOptions& options, const Graph& graph, std::span<const Attribute> attributes,
                               std::span<const GroupId> groups, int threads = 0,
                               const std::function<bool(const FrontProgress&)>& on_progress = {},
                               const OnProgress& on_work = {});

}  // namespace fairstream::fair_spectral
