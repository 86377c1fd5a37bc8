#pragma once
/// The cheapest assignment of points to given centres in which every cluster keeps its demands, by prices.
///
/// The linear programme (Bera, Chakrabarty, Flores, Negahbani, "Fair algorithms for clustering", 2019): least sum of
/// squared distances subject to the demands, linear in the counts m_lj. Its multipliers make prices: a point of group j
/// pays p_lj (or gets -p_lj) for being in cluster l, and each point takes the cluster where distance and price together
/// are least. Here coordinate ascent solves the dual for one cluster and demand at a time, exactly: with the prices of
/// all others fixed, a point joins l once its price falls below minus its gap, the extra distance to l, so that all the
/// prices p_l1, p_l2, ... of a demand follow from the points' gaps in order and one number, the scale of the cluster,
/// by bisection. After one pass over the clusters, demands may be missed by single points.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fairness/demand.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {

class RankedGaps;
struct CellDistances;
struct CountProblem;

class FairAssignment {
public:
    /// Copies the rows, column by column; O(n (d + k)) memory. The window must not change while this lives.
    /// `attributes` are those of all later demands.
    FairAssignment(const Window& window, std::size_t k, std::span<const std::uint32_t> attributes) {
        begin(window, k, attributes);
    }
    /// Makes an assignment without points, for `begin`.
    FairAssignment() = default;
    /// Restarts with these points, as the constructor does, in the memory that there is.
    void begin(const Window& window, std::size_t k, std::span<const std::uint32_t> attributes);

    /// Computes the distances to these centres, k x d; O(n k d).
    void measure(std::span<const float> centres);
    /// Sets the prices of every cluster and demand to their best values, once, the others fixed. All calls take the
    /// same demands in the same order, at whatever levels. O(n k): each point and cluster is looked at a few times, and
    /// the few points whose gap is about the price are sorted.
    void settle(std::span<const Demand> demands, const SizeDemand& sizes = {});
    /// Returns the cluster of each point at the present prices, in the order of `order`; valid until the next call.
    [[nodiscard]] std::span<const ClusterId> assign();

    /// Turns the assignment just made into the cheapest one with these counts, k x cells: as `assign` returns it. The
    /// counts of a cell add up to its points.
    [[nodiscard]] std::span<const ClusterId> assign_counts(std::span<const std::int64_t> counts);
    /// Returns the distances to the centres, points in the order of `order`; valid while this lives.
    [[nodiscard]] CellDistances distances() const;
    /// Counts points by cluster and cell in the assignment just made, k x cells.
    [[nodiscard]] std::vector<std::int64_t> counts() const { return counts_of(labels_); }
    /// Counts them in any labels, in the order of `order`.
    [[nodiscard]] std::vector<std::int64_t> counts_of(std::span<const ClusterId> labels) const;
    /// Returns the sum of the points' distances to the centres of these labels, in the order of `order`.
    [[nodiscard]] double cost_of(std::span<const ClusterId> labels) const;
    [[nodiscard]] std::size_t cells() const { return cells_.size(); }
    [[nodiscard]] std::size_t clusters() const { return k_; }
    [[nodiscard]] std::span<const std::uint32_t> attributes() const { return attributes_; }
    /// The group of a cell in each of the attributes.
    [[nodiscard]] std::span<const GroupId> groups_of(std::size_t cell) const { return cells_[cell].groups; }

    /// Slots in the order in which points are handled here: those of equal groups together.
    [[nodiscard]] std::span<const Slot> order() const { return order_; }
    /// Starts from these prices instead of none: for each demand k x groups of its attribute, and k for sizes.
    void resume(std::span<const std::vector<double>> prices) { prices_by_demand_.assign(prices.begin(), prices.end()); }
    [[nodiscard]] const std::vector<std::vector<double>>& prices() const { return prices_by_demand_; }

private:
    // Points that are alike in all balanced attributes.
    struct Cell {
        std::size_t first, size;      // in `order_`
        std::vector<GroupId> groups;  // one per attribute
    };

    void sort_into_cells(const Window& window, std::span<const std::uint32_t> attributes);
    [[nodiscard]] double typical_distance() const;
    void make_room(std::span<const Demand> demands);
    void price_later_clusters();
    void price_counts(std::size_t c, std::span<const std::int64_t> wanted);
    [[nodiscard]] float price_for_count(std::span<const float> gaps, std::size_t count, float about);
    void settle_cluster(std::size_t l, std::span<const Demand> demands, const SizeDemand& sizes);
    void settle_demand(std::size_t l, std::size_t which, const Demand& demand);
    void settle_size(std::size_t l, const SizeDemand& sizes);
    void settle_weighted(std::size_t l, std::span<double> own, std::size_t attribute, const Demand& demand);
    void settle_weight(std::size_t l, const SizeDemand& sizes);
    [[nodiscard]] std::size_t column(const Demand& demand) const;
    [[nodiscard]] std::vector<RankedGaps> ranked_gaps(std::size_t l, std::span<const double> own, const Demand& demand);
    [[nodiscard]] double usual_reach(double price) const;
    void reprice(std::size_t l, std::span<const Demand> demands);

    const Kernels& kernels_ = fairstream::kernels();
    std::size_t n_ = 0, d_ = 0, k_ = 0;
    std::vector<std::uint32_t> attributes_;
    std::vector<std::size_t> groups_;  // of each attribute
    std::vector<std::size_t> known_;   // those that demands are about
    std::vector<double> weights_;      // n, in `order_`; empty: all weigh 1
    double unit_ = 1;                  // of weights, in which sizes are asked for
    std::vector<Slot> order_;
    std::vector<Cell> cells_;
    std::vector<std::vector<double>> prices_by_demand_;  // k x groups each; the last one, k, of sizes
    std::vector<float> columns_;                         // d x n, points in `order_`
    std::vector<float> distances_;                       // k x n
    std::vector<float> prices_;                          // cells x k
    // While prices are settled, from the first cluster to the last:
    std::vector<float> later_;       // k x n: least distance and price of the clusters after each
    std::vector<float> earlier_;     // n: of those before the one looked at, at their new prices
    std::vector<float> gaps_;        // n: how much farther the cluster looked at is, for free, than the best other one
    std::vector<ClusterId> labels_;  // n, in `order_`
    std::vector<float> near_;        // n + 16: gaps about a price
    double scale_ = 0;               // of the distances
};

/// Returns the demands on the counts of an assignment: points move between centres, k x d, the rather the nearer they
/// are.
[[nodiscard]] CountProblem count_problem(const Demands& demands, const StreamFormat& format,
                                         const FairAssignment& assignment, std::span<const float> centres);

}  // namespace fairstream
