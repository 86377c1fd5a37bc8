#pragma once
/// The whole trade-off between the normalised cut and fairness, for the points of a window or the nodes of a graph.
///
/// The embedding is made once. Labels are then made for a series of targets, from none up to the best possible. The
/// first few targets use all starts of k-means, and labels made without groups. A target between two earlier targets
/// uses fewer starts, and the labels of these two targets. At each target, labels are put together from parts of all
/// these labellings. Each round searches again at the balance of each labelling in the list, from this labelling, its
/// neighbours and fresh starts. Dominated labellings are dropped.

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
    /// Options of the affinity, the solver and the moves, and the attributes to balance. Its targets are not used.
    Options model;
    FrontMeasure measure = FrontMeasure::balance;
    int stages = 64;         ///< targets above none, evenly spaced up to the best balance or parity, in [0, 1e6]
    int rounds = 2;          ///< limit, in [0, 1e6]; the search also ends after a round that adds nothing
    int point_limit = 1500;  ///< the search ends after the round in which the list reaches this size, in [1, 1e6]
    double gap = 0;  ///< least distance between points of the front, as a share of its extent, in [0, 1); see `thinned`
};

/// Throws `InvalidInput` (bad_option) with the option, its value and its range.
void check(const FrontOptions& options, const StreamFormat& format);

/// Returns the groups of balanced attributes that are too rare to count; `totals` is by attribute and group.
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const FrontOptions& options, const GroupTotals& totals);

/// Find the front for the points in `window`, or for the nodes of a graph with `attributes` and `groups` as for
/// `cluster_graph`. Results are the same to the byte on any number of threads; 0: as many as TBB has. Costs are
/// normalised cuts, in [0, k], and k is the reference. Throw `InvalidInput` as `check` and `cluster_graph` do. Also
/// throw it (not_ready) if there are fewer points than clusters, or if a balanced attribute has only one group or a
/// group that counts but has no points. `on_progress`, if given, is called after some stages and after each round, and
/// returns whether to go on. `on_work`, if given, receives the progress in between, and may end the search with its
/// results so far.
[[nodiscard]] Front find_front(const FrontOptions& options, const Window& window, int threads = 0,
                               const std::function<bool(const FrontProgress&)>& on_progress = {},
                               const OnProgress& on_work = {});
[[nodiscard]] Front find_front(const FrontOptions& options, const Graph& graph, std::span<const Attribute> attributes,
                               std::span<const GroupId> groups, int threads = 0,
                               const std::function<bool(const FrontProgress&)>& on_progress = {},
                               const OnProgress& on_work = {});

}  // namespace fairstream::fair_spectral
