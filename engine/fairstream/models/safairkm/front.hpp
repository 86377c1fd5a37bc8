#pragma once
/// The whole trade-off between cost and fairness over the retained points: Pareto-front SAfairKM.
/// S. Liu, L. N. Vicente, "A stochastic alternating balance k-means algorithm for fair clustering", Algorithm 3.
///
/// A list of labellings, none of which dominates another. In each round every one of them is taken on by Algorithm 2
/// for some iterations, once with every pair (n_a, n_b); what no other dominates stays. Departures: the list starts
/// from paths as well as from the paper's random labellings (`FrontOptions::stages`), paths begin at centres that suit
/// some balance as well as at k-means clusterings, dominance is weak, and each labelling is also improved at the
/// balance it has (`FrontOptions::improve`).

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
    /// Options of the updates and the attributes they balance; `kmeans_updates` and `swaps` come from the pairs,
    /// targets are not used. `starts` is the number of starting points, in [1, 1000].
    Options model{.starts = 10};
    FrontMeasure measure = FrontMeasure::balance;
    /// W of Algorithm 3: n_a + n_b alike for all, at least 1; no count negative, at least one pair.
    std::vector<UpdatePair> pairs{{64, 0}, {63, 1}, {60, 4}, {48, 16}};
    int iterations = 1;  ///< q: of Algorithm 2 with each pair in a round, in [1, 1e6]
    int rounds = 2;      ///< limit, in [0, 1e6]; the search ends sooner after a round that adds nothing
    /// Balances (or parities), evenly spaced up to the best one, through which each start's k-means clustering is led
    /// by Lloyd's algorithm with fair assignments; every stage of every path enters the list. In [0, 1e6]. 0: no paths
    /// but the paper's starts, half of them random labels, half nearest to k-means++ seeds.
    int stages = 128;
    int point_limit = 1500;  ///< the search ends with the round in which the list has so many, in [1, 1e6]
    bool improve = true;     ///< also give each labelling n_a + n_b updates that lower its cost and keep its balance
    double gap = 0;  ///< the list is thinned to points this share of the front's extent apart, in [0, 1): `thinned`
};

/// Throws `InvalidInput` (bad_option) naming the option, its value and its range.
void check(const FrontOptions& options, const StreamFormat& format);

/// Groups of balanced attributes that are too rare to count.
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const FrontOptions& options, const Window& window);

/// Finds the front over the points in `window`, at the same bytes on any number of threads; 0: as many as TBB has. Its
/// reference is f1 of all points in one cluster. L points take L n (1 or 2) + L k (12 d + 8 J + 30) bytes while the
/// search runs, the first part of which stays.
/// Throws `InvalidInput` as `check` does, and (not_ready) when the window has fewer points than clusters, or a balanced
/// attribute one group only or a group without points that counts. `on_progress`, if given, is called after some starts
/// and after each round, and returns whether to go on. `on_work`, if given, is told of the work in between, and may end
/// the search, with what it has found.
[[nodiscard]] Front find_front(const FrontOptions& options, const Window& window, int threads = 0,
                               const std::function<bool(const FrontProgress&)>& on_progress = {},
                               const OnProgress& on_work = {});

}  // namespace fairstream::safairkm
