#pragma once
/// Labels improved by their normalised cut, point by point, with every cluster kept at its demands.
///
/// Notation: A_l is the sum of affinities within cluster l, D_l that of its points' degrees. The normalised cut is
/// sum_l (1 - A_l / D_l), l with D_l > 0. With w_il the affinity of point i to cluster l, its move from a to b changes
/// A_a by K_ii - 2 w_ia and A_b by K_ii + 2 w_ib, D_a and D_b by its degree: the change of the cut takes O(1).

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

/// Points in clusters that shall keep demands.
struct CutProblem {
    const Affinity& affinity;
    std::size_t clusters = 0;
    std::span<const GroupId> groups;        ///< n x `attributes`, row-major
    std::vector<std::size_t> group_counts;  ///< number of groups of each attribute
    Demands demands;
    std::vector<bool> held;                    ///< by point: whether its label stays; empty: none does
    const AffinityFactors* factors = nullptr;  ///< of the affinity, where it has some
    std::span<const double> diagonal{};        ///< of the affinity; empty: it is asked
    std::span<const ClusterId> homes{};        ///< by point: the label it shall rather keep, or `no_cluster`; or empty
    /// By point, above 0; empty: 1 each. Demands are in weight, the affinity is that of the weighted points.
    std::span<const double> weights{};
    std::vector<std::size_t> known_counts{};  ///< of each attribute: the groups that demands are about; empty: all
    WorkDone* done = nullptr;                 ///< asked within every sweep whether to go on; null: nobody is asked

    [[nodiscard]] double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
    [[nodiscard]] std::size_t known(std::size_t a) const {
        return known_counts.empty() ? group_counts[a] : known_counts[a];
    }
};

/// Returns what the cut falls by where a point goes over to a cluster that it has all its affinities to, from one that
/// it has none to: among k clusters of one volume D and one cut, 2 degree / D, and D is n / k degrees.
[[nodiscard]] constexpr double cut_of_a_point(std::size_t n, std::size_t k) {
    return 2 * static_cast<double>(k) / static_cast<double>(n);
}
/// Returns the same for a point of weight 1 of so much weight together.
[[nodiscard]] constexpr double cut_of_weight(double mass, std::size_t k) {
    return 2 * static_cast<double>(k) / mass;
}
class CutMoves {
public:
    /// Starts from labels in [0, k). Takes one product of the affinity with an n x k block, and n k numbers of memory.
    CutMoves(const CutProblem& problem, std::vector<ClusterId> labels, const Random& random);

    /// Leads the labels towards the demands: sweeps of moves that lower the cut and `price` x the shortfall together,
    /// the price of a point rising from sweep to sweep from far below to far above what a move gains, until all are
    /// kept. Does not end early: `mend` would take longer.
    void lead();
    /// Visits all points in turn until no visit helps, at most `sweeps` times. A visit makes the move that lowers the
    /// cut most and pushes no cluster below its demands, or further below; where demands alone forbid it, it exchanges
    /// the point with one there, or with one from anywhere else that takes its place. A point that leaves its home is
    /// charged `price`, in units of the cut, and given it back when it returns. Returns the points moved. O(n k) a
    /// sweep, and for each move a row of the affinity. May end early within a sweep.
    std::int64_t descend(int sweeps, double price = 0);
    /// Leaves local minima of the cut, `price` for each point away from home and `shortfall_price` for each point of
    /// shortfall: sweeps in which every point draws its cluster with chances exp(gain / t), t falling from `hot` to
    /// `cold` in equal ratios, all in units of the cut (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, "Optimization by
    /// simulated annealing", 1983). May end away from demands, and above a minimum: `mend` and `descend` follow.
    /// O(n k) a sweep, and for each move a row of the affinity. Returns whether it made all sweeps, rather than end
    /// early; each adds `work_of_sweep`.
    bool anneal(int sweeps, double hot, double cold, double price, double shortfall_price, double work_of_sweep = 0);
    /// Makes moves and exchanges, each the one of least cut for each point of shortfall less, until every cluster keeps
    /// its demands or none helps. O(n k) each. Returns whether all demands are kept.
    bool mend();

    [[nodiscard]] std::span<const ClusterId> labels() const noexcept { return labels_; }
    /// Adds what `lead` and `descend` have not added yet of the work of a labelling, which is 1.
    void add_rest_of_work() { add_own(1); }
    /// The normalised cut, in [0, k].
    [[nodiscard]] double cut() const;
    /// The weight of all points.
    [[nodiscard]] double mass() const noexcept { return mass_; }
    /// By how many points clusters fall short of their demands, all together.
    [[nodiscard]] double shortfall() const;

private:
    struct Update;

    // Adds work; returns whether to go on.
    bool add(double work) const { return (problem_.done == nullptr || problem_.done->add(work)) && !is_spent(1); }
    // Does so for work on a labelling, which is 1 in all.
    bool add_own(double work) {
        work = std::min(work, 1 - told_);
        told_ += work;
        return add(work);
    }
    // Count work in multiply-adds: any, that of a sweep beside its visits, and that of visits up to the next check.
    void count(double multiply_adds);
    void count_sweep();
    void count_visits();
    // Says whether these moves took so many times their part of the budget: those of several labellings are made side
    // by side, so that each bounds its own.
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
    [[nodiscard]] double with_less(std::size_t l, std::size_t i) const;
    [[nodiscard]] double with_more(std::size_t l, std::size_t i) const;
    [[nodiscard]] bool exchange_keeps(std::size_t i, std::size_t j) const;
    [[nodiscard]] bool is_held(std::size_t i) const { return !problem_.held.empty() && problem_.held[i]; }
    [[nodiscard]] bool may_leave(std::size_t i) const;
    void visit(std::size_t i, std::int64_t& moved);
    bool exchange(std::size_t i, std::span<const std::size_t> wanted);
    bool replace(std::size_t i, std::size_t to);
    void move(std::size_t i, std::size_t to);
    void note_shortfalls(std::size_t l);
    void visit_at(std::size_t i, double price);
    struct Chances;
    void weigh(std::size_t i, const double* w, double t, double shortfall_price, Chances& chances) const;
    [[nodiscard]] Update best_update(std::size_t l);
    void consider_moves(std::size_t l, Update& best) const;
    void consider_exchanges(std::size_t l, Update& best);

    const CutProblem& problem_;
    std::size_t n_, k_;
    std::vector<ClusterId> labels_;
    Random random_;
    ClusterAffinities joined_;             // w
    std::vector<double> own_;              // K_ii
    std::vector<double> within_, volume_;  // A, D
    std::vector<std::size_t> cells_;       // by point: points alike in all attributes
    std::vector<std::vector<GroupId>> cell_groups_;
    std::vector<std::vector<double>> counts_;  // by attribute, k x groups, by weight
    std::vector<std::int64_t> sizes_;
    std::vector<double> masses_;  // by cluster
    double mass_ = 0, shortfall_rounding_;
    std::vector<double> short_by_;               // by cluster
    std::vector<std::vector<Slot>> members_;     // k x cells
    std::vector<std::size_t> place_;             // by point, among its members
    std::vector<double> with_less_, with_more_;  // k x cells: shortfall with a point of the cell less, and
                                                 // more; where points weigh the same
    double price_ = 0;
    double told_ = 0;
    double spent_ = 0, allowed_;  // multiply-adds
};

}  // namespace fairstream
