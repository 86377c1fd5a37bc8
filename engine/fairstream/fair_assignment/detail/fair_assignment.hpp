#pragma once
/// The cheapest assignment of points to given centres in which every cluster meets its demands, by prices.
///
/// The linear programme (Bera, Chakrabarty, Flores, Negahbani, "Fair algorithms for clustering", 2019) minimises the
/// sum of squared distances subject to the demands, which are linear in the counts m_lj. Its multipliers are prices: a
/// point of group j pays p_lj (or gets -p_lj) for being in cluster l, and takes the cluster with the least sum of
/// distance and price. Coordinate ascent solves the dual exactly for one cluster and demand at a time. With all other
/// prices fixed, a point joins l once its price falls below minus its gap. The gap is the extra distance to l. So all
/// prices p_l1, p_l2, ... of a demand follow from the points' ordered gaps and one number, the scale of the cluster,
/// which bisection finds. After one pass over the clusters, demands may be missed by single points.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fairness/demand.hpp>
#include <fairstream/numeric/cache_line_vector.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/measured_rows.hpp>

namespace fairstream {

class RankedGaps;
struct CellDistances;
struct CountProblem;

class FairAssignment {
public:
    /// Copies the rows, see `MeasuredRows`; O(n (d + k)) memory. The window must not change while this exists.
    /// `attributes` are those of all later demands.
    FairAssignment(const Window& window, std::size_t k, std::span<const std::uint32_t> attributes) {
        begin(window, k, attributes);
    }
    /// Makes an assignment without points, to be started by `begin`.
    FairAssignment() = default;
    /// Restarts with these points as the constructor does, reusing memory.
    void begin(const Window& window, std::size_t k, std::span<const std::uint32_t> attributes);

    /// Computes the distances to these centres, k x d; O(n k d).
    void measure(std::span<const float> centres);
    /// Lowers the distance of each point to the centre of its label, in the order of `order`; points labelled
    /// `no_cluster` are left out. To be called after `measure`.
    void favour(std::span<const ClusterId> labels, float by) {
        for (std::size_t i = 0; i < n_; ++i)
            if (labels[i] != no_cluster) distances_[static_cast<std::size_t>(labels[i]) * n_ + i] -= by;
    }
    /// Computes the distances of all points, in the order of `order`, to one row of d values; O(n d).
    void measure_row(std::span<const float> row, std::span<float> distances) { rows_.measure(row, distances); }
    /// Adds the features of a point to `sums` and its squared length to `square`, both times `factor`. `i` is the
    /// point's index in `order`.
    void accumulate(std::size_t i, const Window& window, double factor, double* sums, double& square) const {
        rows_.accumulate(i, window.features(order_[i]), factor, sums, square);
    }
    /// Returns the mean number of multiply-adds for the distance of a point to a centre: d, or fewer where skipping
    /// zeros is faster.
    [[nodiscard]] double work_of_distance() const { return rows_.work_of_distance(); }
    /// Sets the prices of every cluster and demand to their best values once, with the others fixed. All calls must
    /// have the same demands in the same order; ratios and bounds may differ. O(n k): each point and cluster is read a
    /// few times, and the few points with gaps near the price are sorted.
    void optimise_prices(std::span<const Demand> demands, const SizeDemand& sizes = {});
    /// Returns the cluster of each point at the present prices, in the order of `order`; valid until the next call.
    [[nodiscard]] std::span<const ClusterId> assign();

    /// Changes the assignment just made to the cheapest assignment with these counts, k x cells, and returns it as
    /// `assign` does. The counts of a cell must add up to its points.
    [[nodiscard]] std::span<const ClusterId> assign_counts(std::span<const std::int64_t> counts);
    /// Returns the distances to the centres, with points in the order of `order`; valid while this exists.
    [[nodiscard]] CellDistances distances() const;
    /// Counts the points of the assignment just made by cluster and cell, k x cells.
    [[nodiscard]] std::vector<std::int64_t> counts() const { return counts_of(labels_); }
    /// Counts points by cluster and cell for any labels, in the order of `order`.
    [[nodiscard]] std::vector<std::int64_t> counts_of(std::span<const ClusterId> labels) const;
    /// Returns the sum of the points' distances to the centres of these labels, in the order of `order`.
    [[nodiscard]] double cost_of(std::span<const ClusterId> labels) const;
    [[nodiscard]] std::size_t cells() const { return cells_.size(); }
    [[nodiscard]] std::size_t clusters() const { return k_; }
    [[nodiscard]] std::span<const std::uint32_t> attributes() const { return attributes_; }
    /// Returns the price of each cell and cluster, cells x k: the sum of the prices of the demands.
    [[nodiscard]] std::span<const float> cell_prices() const { return prices_; }
    /// Returns the group of a cell in each of the attributes.
    [[nodiscard]] std::span<const GroupId> groups_of(std::size_t cell) const { return cells_[cell].groups; }

    /// Returns the slots in the order in which points are processed here: points of equal groups together.
    [[nodiscard]] std::span<const Slot> order() const { return order_; }
    /// Starts from these prices instead of none: for each demand k x groups of its attribute, and k for sizes.
    void resume(std::span<const std::vector<double>> prices) { prices_by_demand_.assign(prices.begin(), prices.end()); }
    [[nodiscard]] const std::vector<std::vector<double>>& prices() const { return prices_by_demand_; }

private:
    // Points with equal groups in all balanced attributes.
    struct Cell {
        std::size_t first, size;      // range in `order_`
        std::vector<GroupId> groups;  // one per attribute
    };

    void sort_into_cells(const Window& window, std::span<const std::uint32_t> attributes);
    [[nodiscard]] double typical_distance() const;
    void reset_unfit_prices(std::span<const Demand> demands);
    void price_later_clusters();
    void price_counts(std::size_t c, std::span<const std::int64_t> wanted);
    [[nodiscard]] float price_for_count(std::span<const float> gaps, std::size_t count, float about);
    void optimise_cluster_prices(std::size_t l, std::span<const Demand> demands, const SizeDemand& sizes);
    void optimise_demand_prices(std::size_t l, std::size_t which, const Demand& demand);
    void optimise_size_price(std::size_t l, const SizeDemand& sizes);
    void optimise_weighted_prices(std::size_t l, std::span<double> own, std::size_t attribute, const Demand& demand);
    void optimise_weighted_size_price(std::size_t l, const SizeDemand& sizes);
    [[nodiscard]] std::size_t column(const Demand& demand) const;
    [[nodiscard]] std::vector<RankedGaps> ranked_gaps(std::size_t l, std::span<const double> own, const Demand& demand);
    [[nodiscard]] double usual_reach(double price) const;
    void update_cell_prices(std::size_t l, std::span<const Demand> demands);

    const Kernels& kernels_ = fairstream::kernels();
    std::size_t n_ = 0, k_ = 0;
    std::vector<std::uint32_t> attributes_;
    std::vector<std::size_t> groups_;  // number of groups of each attribute
    std::vector<std::size_t> known_;   // number of groups that demands cover
    std::vector<double> weights_;      // n, in `order_`; empty: 1 each
    double unit_ = 1;                  // unit of weights in which sizes are given
    std::vector<Slot> order_;
    std::vector<Cell> cells_;
    std::vector<std::vector<double>> prices_by_demand_;  // k x groups each; the last one, k, is for sizes
    MeasuredRows rows_;                                  // points in `order_`
    CacheLineVector<float> distances_;                   // k x n
    std::vector<float> prices_;                          // cells x k
    // While prices are optimised, from the first cluster to the last:
    CacheLineVector<float> later_;  // k x n: least distance plus price over the clusters after each
    std::vector<float> earlier_;    // n: least distance plus price over the clusters before the present one
    std::vector<float> gaps_;       // n: distance to the present cluster, minus least distance plus price of the others
    std::vector<ClusterId> labels_;    // n, in `order_`
    std::vector<float> band_scratch_;  // n + 16: gaps near a price
    double scale_ = 0;                 // typical distance
};

/// Returns the problem of demands on the counts of an assignment. Moving a point between two clusters costs less the
/// nearer their centres, k x d, are to each other.
[[nodiscard]] CountProblem count_problem(const Demands& demands, const StreamFormat& format,
                                         const FairAssignment& assignment, std::span<const float> centres);

}  // namespace fairstream
