#pragma once
/// The whole trade-off between cost and fairness for the retained points: Pareto-front SAfairKM.
/// S. Liu, L. N. Vicente, "A stochastic alternating balance k-means algorithm for fair clustering", Algorithm 3.
///
/// The search keeps a list of labellings of which none dominates another. In each round Algorithm 2 continues every
/// labelling for some iterations, once with every pair (n_a, n_b), and dominated results are dropped. Departures from
/// the paper: the list starts from paths as well as from the paper's random labellings (`FrontOptions::stages`). Paths
/// also begin at centres that suit some balance, not only at k-means clusterings. Dominance is weak. Each labelling is
/// also improved at its own balance (`FrontOptions::improve`).

#include <cstdint>
#include <functional>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/front.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::safairkm {

/// n_a k-means updates, then n_b swaps.
struct UpdatePair {
    std::int64_t kmeans_updates = 0;
    std::int64_t swaps = 0;
    bool operator==(const UpdatePair&) const = default;
};

struct FrontOptions {
    /// Options of the updates, with the balanced attributes. `pairs` replaces `kmeans_updates` and `swaps`; targets
    /// are not used. `starts` is the number of starting points, in [1, 1000].
    Options model{.starts = 10};
    FrontMeasure measure = FrontMeasure::balance;
    /// W of Algorithm 3: at least one pair; n_a + n_b must be equal for all pairs and at least 1, and no count
    /// negative.
    std::vector<UpdatePair> pairs{{64, 0}, {63, 1}, {60, 4}, {48, 16}};
    int iterations = 1;  ///< q: iterations of Algorithm 2 with each pair in a round, in [1, 1e6]
    int rounds = 2;      ///< limit, in [0, 1e6]; the search also ends after a round that adds nothing
    /// Number of balances (or parities), ever closer together up to the best one, through which Lloyd's algorithm with
    /// fair assignments leads the k-means clustering of each start. Every stage of every path enters the list. In [0,
    /// 1e6]. 0: only the paper's starts, half of them random labels, half nearest to k-means++ seeds.
    int stages = 128;
    int point_limit = 1500;  ///< the search ends after the round in which the list reaches this size, in [1, 1e6]
    bool improve = true;     ///< also gives each labelling n_a + n_b updates that lower its cost and keep its balance
    double gap = 0;  ///< least distance between points of the front, as a share of its extent, in [0, 1); see `thinned`
};

/// Throws `InvalidInput` (bad_option) with the option, its value and its range.
void check(const FrontOptions& options, const StreamFormat& format);

/// Returns the groups of balanced attributes that are too rare to count.
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const FrontOptions& options, const Window& window);

/// Finds the front for the points in `window`. Results are the same to the byte on any number of threads; 0: as many as
/// TBB has. The reference cost is f1 of all points in one cluster. L points of the front take L n (1 or 2) + L k (12 d
/// + 8 J + 30) bytes during the search; the first part remains afterwards. Throws `InvalidInput` as `check` does. Also
/// throws it (not_ready) if the window has fewer points than clusters, if a balanced attribute has only one group, or
/// if a group that is not left out as rare has no points. `on_progress`, if given, is called after some starts and
/// after each round, and returns whether to go on. `on_work`, if given, receives the progress in between, and may end
/// the search with its results so far.
[[nodiscard]] Front find_front(const FrontOptions& options, const Window& window, int threads = 0,
                               const std::function<bool(const FrontProgress&)>& on_progress = {},
                               const OnProgress& on_work = {});

}  // namespace fairstream::safairkm
