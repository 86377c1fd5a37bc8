#pragma once
/// A safairkm state while one step changes it: the primitive operations that keep sums, centres, index arrays, counts
/// and the journal of relabelled slots consistent.
///
/// Notation of the sources here: l and h clusters, c_l the centre of l, m_l its size, a a balanced attribute, counted
/// from 0 in the order of the options, j one of its groups, m_lj the members of l in j, x a point.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include <fairstream/base/outcome.hpp>
#include <fairstream/base/work_estimate.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/journal.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fair_kmeans/detail/cells.hpp>
#include <fairstream/fair_kmeans/detail/state.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/numeric/detail/sparse_rows.hpp>
#include <fairstream/targets/demands.hpp>

namespace fairstream::safairkm {

/// No group, for a change that takes no point out or puts none in.
inline constexpr int none = -1;
/// Returns the balance of a cluster with one point less in group `minus` and one more in group `plus`; `none`: no
/// change.
[[nodiscard]] double balance_after(std::span<const std::int64_t> counts, int minus, int plus);

/// Return the multiply-adds counted for a pass over a window that prices each point for all clusters. A distance takes
/// `work_of_distance`, by default one for each dimension.
[[nodiscard]] inline double work_of_pass(const Window& window, std::size_t clusters, double work_of_distance) {
    const double priced = window.format().has_weights ? 64 : 8;  // per point and cluster
    return window.size() * (static_cast<double>(clusters) * (work_of_distance + priced) + work_of_pass_point);
}
[[nodiscard]] inline double work_of_pass(const Window& window, std::size_t clusters) {
    return work_of_pass(window, clusters, window.dimensions());
}

class Clustering {
public:
    /// Reserves all memory of the step: nothing below allocates or throws, for up to `arrivals` new labels.
    Clustering(const Options& options, State& state, Workspace& workspace, const Window& window,
               std::size_t arrivals = 0);
    ~Clustering() { state.generator = random.words(); }
    Clustering(const Clustering&) = delete;
    Clustering& operator=(const Clustering&) = delete;

    // -- points that come, go and move

    /// Removes the points that `change` replaced; their former labels come first in the journal.
    void evict(const WindowChange& change);
    /// Adapts prices to the room that clusters have left within their demands, before `arrivals` points come. Prices of
    /// arrivals are up to a few per cent higher or lower than those of the state, which follow slowly.
    ///
    /// With constant prices, chance moves counts away from their demands as often as towards them. A shortfall is
    /// repaired at once, but room would only grow, and room costs. So each price aims at a margin: the standard
    /// deviation of the number of points of the group that come and go in a step, plus one point. The margin is smaller
    /// if the demand leaves less room.
    void steer(std::size_t arrivals);
    /// Labels the points in the slots of `change` by their nearest centre; points that moved from another slot keep
    /// their label.
    void admit(const WindowChange& change);
    /// Does what `evict` and `admit` do, without reading the replaced points, which may be in another measure. Sums and
    /// counts are computed afresh.
    void evict_and_admit_afresh(const WindowChange& change);
    /// Labels all retained points by their nearest centre, from scratch.
    void admit_all();
    /// Starts from the present centres: labels all points by the nearest centre, moves centres to their means, and sets
    /// the demands.
    void begin_from_centres();
    /// Sets the label of every retained point to that in `labels` (by slot), from scratch; centres do not change.
    void relabel_all(std::span<const ClusterId> labels);
    /// Relabels a point; both centres are updated by the options' rule. The point must not be the last of its cluster.
    void move(Slot slot, ClusterId to);
    /// Relabels a point without updating centres; `refresh_centres` does that. A cluster may lose its last point.
    void relabel(Slot slot, ClusterId to);
    /// Applies an improvement of an earlier snapshot: its prices, and its labels if those are better. Slots written
    /// since then are labelled by centres and prices. Call `refresh_centres` afterwards.
    void adopt(const Improvement& improvement, std::span<const std::uint8_t> changed);
    /// Sets the prices by which points are assigned.
    void set_prices(const std::vector<std::vector<double>>& prices) {
        state.prices = prices;
        find_prices(state.prices);
    }
    /// Lists the values other than 0 of each point if these are few, so that distances of single points are sums over
    /// them. For long searches: O(n d), and points must not come or go.
    void list_entries();
    /// Builds the index if balance is asked for, otherwise drops it, since plain k-means does not need one. Must not be
    /// called between `evict` and `admit`. Reserves for `arrivals` new members.
    void keep_index(std::size_t arrivals = 0);
    /// Gives every empty cluster the point of a sample that is farthest from its centre. Without targets a cluster
    /// stays empty if all sampled points equal their centres.
    void reseed_empty_clusters();
    /// Sets centres to the exact means of their members; an empty cluster keeps its centre.
    void refresh_centres();
    /// Computes sums afresh where an eviction left little but rounding errors.
    void recompute_inaccurate_sums();
    /// Journals the label of a slot before the step, unless it is already journalled.
    void note(Slot slot, ClusterId before);
    /// The paper's update of Algorithm 2: c_l += (x - c_l) / m_l.
    void step_centre(ClusterId l, const float* x, double weight = 1);
    /// Packs the centres for the kernels, after all of them changed.
    void pack();
    /// Begins a step or a round, with whose number candidate batches grow.
    void begin_round();
    /// Sets the candidates per side regardless of the options, for a more thorough search.
    void set_candidate_count(std::size_t candidates);

    /// Sets `target_demands` to the options' demands for the present points. Sets `demands` to the same, but relaxes
    /// every demand that no clustering meets to `of_best` of the best possible: the last part would cost most, and the
    /// target is missed in any case.
    void set_demands(double of_best = 0.98);

    /// From now on, a changed label has a price if its point was there before this step.
    void charge_changes();

    // -- questions

    [[nodiscard]] ClusterId label(Slot slot) const { return state.labels[slot]; }
    [[nodiscard]] GroupId cell(Slot slot) const { return cells.of(window.groups(slot)); }
    [[nodiscard]] std::int64_t size(ClusterId l) const { return state.tally.size(l); }
    /// Return the weight of a cluster, and of a point.
    [[nodiscard]] double mass(ClusterId l) const { return state.tally.weight(l); }
    [[nodiscard]] double weight(Slot slot) const { return window.weight(slot); }
    /// Prefetches a weight that is read soon; the weights of drawn points are far apart in memory.
    void fetch_weight(Slot slot) const {
        if (weighted) __builtin_prefetch(window.weights().data() + slot);
    }
    [[nodiscard]] std::int64_t count(ClusterId l, std::size_t a, GroupId j) const { return counts(l, a)[j]; }
    /// Return the numbers of points of the known groups of an attribute, and their weights.
    [[nodiscard]] std::span<const std::int64_t> counts(ClusterId l, std::size_t a) const {
        const auto attribute = static_cast<int>(cells.attribute(a));
        return state.tally.counts(l, attribute).first(static_cast<std::size_t>(state.tally.known_groups(attribute)));
    }
    [[nodiscard]] std::span<const double> masses(ClusterId l, std::size_t a) const {
        const auto attribute = static_cast<int>(cells.attribute(a));
        return state.tally.weights(l, attribute).first(static_cast<std::size_t>(state.tally.known_groups(attribute)));
    }
    [[nodiscard]] double balance(ClusterId l, std::size_t a) const {
        return weighted ? weighted_balance({}, masses(l, a)) : balance_after(counts(l, a), none, none);
    }
    [[nodiscard]] std::span<const Slot> members(ClusterId l, std::size_t cell) const {
        return state.members[static_cast<std::size_t>(l) * cells.count() + cell];
    }
    [[nodiscard]] const float* centre(ClusterId l) const { return &state.centres[static_cast<std::size_t>(l) * d]; }
    /// Return the squared distances of a point, or of a row of d values, to all k centres, in the workspace.
    [[nodiscard]] const float* distances(Slot slot) const;
    [[nodiscard]] const float* distances_of(const float* row) const;
    [[nodiscard]] double distance(Slot slot, ClusterId l) const {
        if (!entries_.empty()) return entries_.distance(slot, centre(l), centre_squares_[static_cast<std::size_t>(l)]);
        return kernels.distance(window.features(slot), centre(l), d);
    }
    /// Returns by how much the distance of a point to its centre, with the price, is above the least of all clusters.
    [[nodiscard]] double excess(Slot slot) const;
    /// Returns the squared distance of two points.
    [[nodiscard]] double distance_of_points(Slot x, Slot y) const {
        if (!entries_.empty()) return entries_.distance(x, y);
        return kernels.distance(window.features(x), window.features(y), d);
    }
    /// Draws `wanted` of the members of (l, cell) uniformly with replacement, or returns all if there are not more.
    /// Valid until the call after the next: rows are far apart in memory and are prefetched while the sample before is
    /// read.
    [[nodiscard]] std::span<const Slot> sample(ClusterId l, std::size_t cell, std::size_t wanted);
    /// Marks a point that a paper swap moved out of `l` or into it; it is no candidate there for now.
    void mark_moved(Slot slot, ClusterId l) { state.moved[std::size_t{slot} * k + static_cast<std::size_t>(l)] = 1; }
    /// Draws at most `wanted` of the members that `mark_moved` has not marked, always with replacement; if all are
    /// marked, clears the marks of the cluster. O(members).
    [[nodiscard]] std::span<const Slot> sample_unmoved(ClusterId l, std::size_t cell, std::size_t wanted);
    /// Returns the number of candidates per side of a swap at this step: `candidates` with its growth.
    [[nodiscard]] std::size_t candidate_count() const { return candidate_count_; }
    [[nodiscard]] ClusterId least_balanced(std::size_t a) const;
    /// Returns the smallest balance of a cluster; 1 for a stream without attributes.
    [[nodiscard]] double balance(std::size_t a) const { return balance(least_balanced(a), a); }
    /// Returns whether cluster l keeps its balances with one member of cell `minus` less and one of cell `plus` more
    /// (`none`: no change). For every attribute a its balance must be at least bounds[a], or fall no further below this
    /// bound.
    [[nodiscard]] bool keeps(ClusterId l, int minus, int plus, std::span<const double> bounds) const;
    /// Returns the shortfall of cluster l, in points of weight 1, with one member of cell `minus` less and one of cell
    /// `plus` more (`none`: no change), which have these weights.
    [[nodiscard]] double shortfall(ClusterId l, int minus = none, int plus = none, double minus_weight = 1,
                                   double plus_weight = 1) const;
    /// Returns whether l meets the demands after such a change, or has no larger shortfall than before.
    [[nodiscard]] bool keeps_demands(ClusterId l, int minus, int plus, double minus_weight = 1,
                                     double plus_weight = 1) const;
    /// Returns whether any cluster falls short of the demands.
    [[nodiscard]] bool falls_short() const;
    /// Returns the shortfall of all clusters of the demands, in points of weight 1.
    [[nodiscard]] double demand_shortfall() const { return total_shortfall(demands); }
    /// Returns the shortfall of all clusters of the options' demands, in points of weight 1.
    [[nodiscard]] double target_shortfall() const { return total_shortfall(target_demands); }
    /// Returns whether every cluster meets the options' demands; true if there are none.
    [[nodiscard]] bool meets_target() const;
    /// Returns the outcome of an attempt at the target: converged, stalled, or unattainable if counts prove it.
    [[nodiscard]] Outcome verdict() const;
    /// Returns whether the state's prices belong to these demands; prices from before a change of options do not.
    [[nodiscard]] bool has_prices() const;
    /// Returns the price, in the unit of m f1, of changing the label of a point; 0 for points of this step.
    [[nodiscard]] double price_of_change(Slot slot) const {
        return price_of_change_ == 0 || is_new(slot) ? 0 : price_of_change_ * weight(slot);
    }
    [[nodiscard]] Journal<ClusterId> journal() const { return {workspace.journal, workspace.before}; }
    /// Return the counted multiply-adds of a distance, of visits to this many single points, and of a pass over all
    /// points.
    [[nodiscard]] double work_of_distance() const {
        return entries_.empty() ? static_cast<double>(d) : entries_.work_of_distance();
    }
    [[nodiscard]] double work_of_visits(std::size_t points) const {
        return static_cast<double>(points) * (static_cast<double>(k) * work_of_distance() + work_of_visit);
    }
    [[nodiscard]] double work_of_pass() const { return safairkm::work_of_pass(window, k, work_of_distance()); }

    WorkHandle work;  ///< work of the only caller that changes the clustering

    const Options& options;
    State& state;
    Workspace& workspace;
    const Window& window;
    const Kernels& kernels;
    Random random;
    const std::size_t k;
    const std::size_t d;
    const Cells cells;
    const bool targeted;     ///< whether the options ask for a target
    const bool weighted;     ///< whether points may weigh other than 1
    Demands target_demands;  ///< the options' demands for the present points; see `set_demands`
    Demands demands;  ///< demands that updates meet: `target_demands`, a worthwhile part of it, or a stage towards it

private:
    [[nodiscard]] double shortfall(const Demands& wanted, ClusterId l, int minus, int plus, double minus_weight,
                                   double plus_weight) const;
    [[nodiscard]] double total_shortfall(const Demands& wanted) const;
    void relax_weighted_demands(const GroupMasses& masses, double of_best);
    void journal_written(const WindowChange& change);
    void carry_labels(const WindowChange& change);
    void remove_from_index(const WindowChange& change);
    void resize_to_window();
    [[nodiscard]] bool has_inaccurate_sums(std::size_t l) const;
    [[nodiscard]] bool is_at_centre(Slot slot) const;
    void add_to_index(Slot slot, ClusterId l);
    void join(Slot slot, ClusterId l);
    void leave(Slot slot, ClusterId l, std::size_t cell);
    void refresh_centre(ClusterId l);
    void square_centre(ClusterId l);

    // Returns whether this step wrote the slot.
    [[nodiscard]] bool is_new(Slot slot) const {
        const Slot at = workspace.mark[slot];
        return at < written_ && workspace.journal[at] == slot;
    }
    [[nodiscard]] const float* prices_of(Slot slot) const;
    [[nodiscard]] ClusterId cheapest(Slot slot) const;
    void find_prices(const std::vector<std::vector<double>>& prices);

    std::size_t candidate_count_ = 0;
    std::size_t written_ = 0;         // number of slots that this step wrote; they come first in the journal
    double price_of_change_ = 0;      // for a point of weight 1
    std::vector<float> cell_prices_;  // cells x k; empty: points are assigned only by distance
    // By slot; empty unless `list_entries` found it worthwhile:
    SparseRows entries_;
    std::vector<double> centre_squares_;  // k and padding: sums of squares of the centres, infinite for padding
};

}  // namespace fairstream::safairkm
