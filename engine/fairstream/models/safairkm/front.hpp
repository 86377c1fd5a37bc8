#pragma once
/// The whole trade-off between cost and fairness over the retained points: Pareto-front SAfairKM.
/// S. Liu, L. N. Vicente, "A stochastic alternating balance k-means algorithm for fair clustering", Algorithm 3.
///
/// A list of labellings, none of which dominates another. In each round every one of them is taken on by Algorithm 2
/// for some iterations, once with every pair (n_a, n_b); what no other dominates stays. Departures: the list starts
/// from paths as well as from the paper's random labellings (`FrontOptions::stages`), dominance is weak, and each
/// labelling is also improved at the balance it has (`FrontOptions::improve`).

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fairness/pareto.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>

namespace fairstream::safairkm {

/// n_a k-means updates, then n_b swaps.
struct UpdatePair {
    std::int64_t kmeans_updates = 0;
    std::int64_t swaps = 0;
    bool operator==(const UpdatePair&) const = default;
};

/// The fairness that is weighed against cost: the smallest of any cluster. Groups too rare for targets
/// (`Options::rare_below`) do not count.
enum class FrontMeasure : std::uint8_t {
    balance,  ///< smallest over largest group, f2. Of several attributes the smallest, each as a share of the best
              ///< balance that the whole has
    parity,   ///< smallest over largest rate at which groups are selected for the cluster (`parity_at_least`). Of
              ///< several attributes the smallest
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

/// The label of each slot, in one byte for up to 256 clusters and in two for more.
class CompactLabels {
public:
    CompactLabels() = default;
    CompactLabels(std::span<const ClusterId> labels, std::size_t clusters);
    [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / width_; }
    [[nodiscard]] ClusterId operator[](std::size_t i) const noexcept {
        return width_ == 1 ? bytes_[i] : bytes_[2 * i] | bytes_[2 * i + 1] << 8;
    }
    /// `labels` has `size()` elements.
    void copy_to(std::span<ClusterId> labels) const noexcept;
    bool operator==(const CompactLabels&) const = default;

private:
    std::size_t width_ = 1;
    std::vector<std::uint8_t> bytes_;
};

/// A front. L points take L n (1 or 2) + L k (12 d + 8 J + 30) bytes while the search runs, the first part of which
/// stays.
struct Front {
    std::vector<TradeOff> points;                   ///< by rising cost and balance, which is the measure chosen
    std::vector<CompactLabels> labels;              ///< of each, by slot
    std::vector<std::vector<double>> by_attribute;  ///< of each the balance or parity of every attribute in turn
    double reference_cost = 0;             ///< f1 of all points in one cluster: what `hypervolume` is measured from
    double hypervolume = 0;                ///< see `fairstream::hypervolume`
    int rounds = 0;                        ///< begun and ended
    Outcome outcome = Outcome::converged;  ///< or `iteration_limit`: rounds or points; or stopped by the caller
};

struct FrontProgress {
    int starts = 0;  ///< whose labellings are in the list
    int round = 0;   ///< ended
    FrontView points;
    double hypervolume = 0;
};

/// Throws `InvalidInput` (bad_option) naming the option, its value and its range.
void check(const FrontOptions& options, const StreamFormat& format);

/// Groups of balanced attributes that are too rare to count.
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const FrontOptions& options, const Window& window);

/// Finds the front over the points in `window`, at the same bytes on any number of threads; 0: as many as TBB has.
/// Throws `InvalidInput` as `check` does, and (not_ready) when the window has fewer points than clusters, or a balanced
/// attribute one group only or a group without points that counts. `on_progress`, if given, is called after some starts
/// and after each round, and returns whether to go on. `stop`, if given, may be set by any thread: the search then ends
/// soon, with what it has found.
[[nodiscard]] Front find_front(const FrontOptions& options, const Window& window, int threads = 0,
                               const std::function<bool(const FrontProgress&)>& on_progress = {},
                               const std::atomic<bool>* stop = nullptr);

}  // namespace fairstream::safairkm
