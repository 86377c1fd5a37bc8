#pragma once
/// Labels improved by their normalised cut, point by point, while every cluster meets its demands.
///
/// Notation: A_l is the sum of affinities within cluster l, D_l that of its points' degrees. The normalised cut is
/// sum_l (1 - A_l / D_l), over l with D_l > 0. With w_il the affinity of point i to cluster l, a move of i from a to b
/// changes A_a by K_ii - 2 w_ia, A_b by K_ii + 2 w_ib, and D_a and D_b by its degree: computing the change of the cut
/// takes O(1).

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/fairness/demand.hpp>
#include <fairstream/graph_labels/detail/cluster_affinities.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {

/// Points in clusters that must meet demands.
struct CutProblem {
    const Affinity& affinity;
    std::size_t clusters = 0;
    std::span<const GroupId> groups;        ///< n x `attributes`, row-major
    std::vector<std::size_t> group_counts;  ///< number of groups of each attribute
    Demands demands;
    std::vector<bool> held;                         ///< by point: whether its label is fixed; empty: none is
    const AffinityFactors* factors = nullptr;       ///< factors of the affinity, if it has any
    std::span<const double> diagonal{};             ///< diagonal of the affinity; empty: computed from the affinity
    std::span<const ClusterId> preferred_labels{};  ///< by point: `no_cluster` if none; or empty
    /// Weight of each point, above 0; empty: every point has weight 1. Demands are in weight, and the affinity is that
    /// of the weighted points.
    std::span<const double> weights{};
    std::vector<std::size_t> known_counts{};  ///< by attribute: number of groups that demands cover; empty: all
    WorkDone* done = nullptr;                 ///< asked within every sweep whether to go on; may be null

    [[nodiscard]] double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
    [[nodiscard]] std::size_t known(std::size_t a) const {
        return known_counts.empty() ? group_counts[a] : known_counts[a];
    }
};

/// Returns the decrease of the cut if a point moves to a cluster to which it has all its affinities, from one to which
/// it has none. Among k clusters of equal volume D and equal cut, the decrease is 2 degree / D, and D is n / k degrees.
[[nodiscard]] constexpr double cut_of_a_point(std::size_t n, std::size_t k) {
    return 2 * static_cast<double>(k) / static_cast<double>(n);
}
/// Returns `cut_of_a_point` for a point of weight 1 if all points together weigh `mass`.
[[nodiscard]] constexpr double cut_of_weight(double mass, std::size_t k) {
    return 2 * static_cast<double>(k) / mass;
}
class CutMoves {
public:
    /// Starts from labels in [0, k). Takes one product of the affinity with an n x k block, and memory of n k numbers.
    CutMoves(const CutProblem& problem, std::vector<ClusterId> labels, const Random& random);

    /// Leads the labels towards the demands: sweeps of moves that lower the sum of the cut and `price` x the shortfall.
    /// The price of a point rises from sweep to sweep, from far below to far above the gain of a move, until all
    /// demands are met. Does not end early, because `repair` would then take longer.
    void lead_to_demands();
    /// Visits all points in turn until no visit helps, at most `sweeps` times. A visit makes the move that lowers the
    /// cut most and pushes no cluster below its demands, or further below. If only demands forbid a move, the visit
    /// exchanges the point with a point of the other cluster, or lets a point of a third cluster take its place. A
    /// point that leaves its preferred label is charged `price`, in units of the cut, and gets the price back on
    /// return. Returns the number of points moved. O(n k) per sweep, and a row of the affinity per move. May end early
    /// within a sweep.
    std::int64_t descend(int sweeps, double price = 0);
    /// Leaves local minima of the sum of the cut, `price` per point without its preferred label and `shortfall_price`
    /// per point of shortfall, by simulated annealing (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by
    /// simulated annealing", 1983). In each sweep every point draws its cluster with probabilities proportional to
    /// exp(gain / t), and t falls from `hot` to `cold` geometrically, all in units of the cut. The result may miss
    /// demands and need not be a minimum: `repair` and `descend` should follow. O(n k) per sweep, and a row of the
    /// affinity per move. Returns false if it ended early; each sweep adds `work_of_sweep`.
    bool anneal(int sweeps, double hot, double cold, double price, double shortfall_price, double work_of_sweep = 0);
    /// Makes moves and exchanges, each with the least cut per decrease of the shortfall, until every cluster meets its
    /// demands or no further one helps. O(n k) each. Returns whether all demands are met.
    bool repair();
    /// Searches for the nearest numbers of points by cluster and group that meet all demands (`feasible_counts`), and
    /// moves points, the cheapest first, until clusters have these numbers. Meets demands that leave so little choice
    /// that `repair` misses them; takes some hundredths of a second. Returns whether all demands are met. Does nothing
    /// if points have weights.
    bool move_to_feasible_counts();

    [[nodiscard]] std::span<const ClusterId> labels() const noexcept { return labels_; }
    /// Adds the part of a labelling's work, which is 1 in all, that `lead_to_demands` and `descend` have not added yet.
    void add_remaining_work() { add_labelling_work(1); }
    /// Returns the normalised cut, in [0, k].
    [[nodiscard]] double cut() const;
    /// Returns the weight of all points.
    [[nodiscard]] double mass() const noexcept { return mass_; }
    /// Returns the sum of the clusters' shortfalls, in points.
    [[nodiscard]] double shortfall() const;

private:
    struct Update;
    struct CostedMove;

    // Adds work; returns whether to go on.
    bool add(double work) const { return (problem_.done == nullptr || problem_.done->add(work)) && !is_spent(1); }
    // Adds work on this labelling, whose work is 1 in all; returns whether to go on.
    bool add_labelling_work(double work) {
        work = std::min(work, 1 - labelling_work_);
        labelling_work_ += work;
        return add(work);
    }
    // Count work in multiply-adds: the given work, the work of a sweep apart from its visits, and the work of visits
    // until the next check.
    void count(double multiply_adds);
    void count_sweep();
    void count_visits();
    // Returns whether these moves have spent `times` their part of the budget. Several labellings are improved in
    // parallel, so each bounds its own work.
    [[nodiscard]] bool is_spent(double times) const { return spent_ > times * allowed_; }
    [[nodiscard]] double ratio(std::size_t l) const { return ratio(within_[l], volume_[l]); }
    [[nodiscard]] static double ratio(double within, double volume) { return volume > 0 ? within / volume : 0; }
    [[nodiscard]] double move_gain(std::size_t i, std::size_t to, double to_from, double to_to) const;
    [[nodiscard]] double move_gain(std::size_t i, std::size_t to) const;
    [[nodiscard]] double charge(std::size_t i, std::size_t to) const;
    struct Between;
    [[nodiscard]] Between between(std::size_t i, std::size_t j) const;
    [[nodiscard]] double exchange_gain(std::size_t i, std::size_t j, const Between& w, double affinity) const;
    [[nodiscard]] double exchange_gain(std::size_t i, std::size_t j) const;
    [[nodiscard]] bool is_weighted() const { return !problem_.weights.empty(); }
    [[nodiscard]] double shortfall_after(std::size_t l, int minus, int plus, double minus_weight = 1,
                                         double plus_weight = 1) const;
    [[nodiscard]] bool keeps(std::size_t l, int minus, int plus, double minus_weight = 1, double plus_weight = 1) const;
    [[nodiscard]] double shortfall_without(std::size_t l, std::size_t i) const;
    [[nodiscard]] double shortfall_with(std::size_t l, std::size_t i) const;
    [[nodiscard]] bool exchange_keeps(std::size_t i, std::size_t j) const;
    [[nodiscard]] bool is_held(std::size_t i) const { return !problem_.held.empty() && problem_.held[i]; }
    [[nodiscard]] bool may_leave(std::size_t i) const;
    void visit(std::size_t i, std::int64_t& moved);
    bool exchange(std::size_t i, std::span<const std::size_t> wanted);
    bool replace(std::size_t i, std::size_t to);
    void move(std::size_t i, std::size_t to);
    void update_shortfalls(std::size_t l);
    void visit_at_price(std::size_t i, double price);
    struct Chances;
    void compute_chances(std::size_t i, const double* w, double t, double shortfall_price, Chances& chances) const;
    [[nodiscard]] Update best_update(std::size_t l);
    void consider_moves(std::size_t l, Update& best) const;
    void consider_exchanges(std::size_t l, Update& best);
    [[nodiscard]] std::vector<double> mean_costs_of_moves() const;
    [[nodiscard]] std::vector<CostedMove> moves_of_excess(std::span<const std::int64_t> excess) const;
    void move_to_counts(std::span<const std::int64_t> wanted);

    const CutProblem& problem_;
    std::size_t n_, k_;
    std::vector<ClusterId> labels_;
    Random random_;
    ClusterAffinities joined_;             // w
    std::vector<double> self_affinities_;  // K_ii
    std::vector<double> within_, volume_;  // A, D
    std::vector<std::size_t> cells_;       // by point: its cell, of points with equal groups in all attributes
    std::vector<std::vector<GroupId>> cell_groups_;
    std::vector<std::vector<double>> counts_;  // by attribute, k x groups, by weight
    std::vector<std::int64_t> sizes_;
    std::vector<double> masses_;  // by cluster
    double mass_ = 0, shortfall_rounding_;
    std::vector<double> shortfalls_;                          // by cluster
    std::vector<std::vector<Slot>> members_;                  // k x cells
    std::vector<std::size_t> place_;                          // by point, among its members
    std::vector<double> shortfall_without_, shortfall_with_;  // k x cells: shortfall with a point of the cell less, and
                                                              // with one more; used if weights are equal
    double price_ = 0;
    double labelling_work_ = 0;
    double spent_ = 0, allowed_;  // multiply-adds
};

}  // namespace fairstream
