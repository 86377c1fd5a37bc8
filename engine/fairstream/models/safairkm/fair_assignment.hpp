#pragma once
/// The cheapest assignment of points to given centres in which every cluster has the balance that is asked for, by its
/// multipliers. Private to the model.
///
/// The linear programme (Bera, Chakrabarty, Flores, Negahbani, "Fair algorithms for clustering", 2019): least sum of
/// squared distances subject to m_lj >= b m_lj' for all clusters l and pairs of groups j, j' of an attribute. Its
/// multipliers w_ljj' >= 0 make prices: whoever is in j gets w_ljj' for being in l, whoever is in j' pays b w_ljj', and
/// each point takes the cluster where distance and price together are least. Here the dual is climbed one multiplier at
/// a time, each to where its constraint just holds: exact along its coordinate, since points join and leave one by one
/// as a price rises. What is left of the constraints' violation is a matter of single points.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/numeric/kernels.hpp>

namespace fairstream::safairkm {

/// Every cluster shall have this balance in that attribute.
struct Demand {
    std::uint32_t attribute = 0;
    double balance = 0;  ///< in [0, 1]
};

class FairAssignment {
public:
    /// Copies the rows, column by column; O(n (d + k)) memory. The window must not change while this lives.
    /// `attributes` are those of all later demands, in their order.
    FairAssignment(const Window& window, std::size_t k, std::span<const std::uint32_t> attributes);

    /// Takes the distances to these centres, k x d; O(n k d).
    void measure(std::span<const float> centres);
    /// Brings every multiplier once to where its constraint just holds, the others standing; O(n k), vectorised: three
    /// looks at each point and cluster, and about a dozen at the points of two groups per multiplier.
    void settle(std::span<const Demand> demands);
    /// The cluster of each point at the present prices, in the order of `order`; valid until the next call.
    [[nodiscard]] std::span<const ClusterId> assign();

    /// Slots in the order in which this looks at points: those of equal groups together.
    [[nodiscard]] std::span<const Slot> order() const { return order_; }

private:
    // Points that are alike in all balanced attributes.
    struct Cell {
        std::size_t first, size;      // in `order_`
        std::vector<GroupId> groups;  // one per attribute
    };
    // Multipliers of one attribute, k x J x J: [l][scarce][abundant].
    struct Multipliers {
        std::size_t groups;
        std::vector<double> values;
        [[nodiscard]] double& at(std::size_t l, std::size_t scarce, std::size_t abundant) {
            return values[(l * groups + scarce) * groups + abundant];
        }
        [[nodiscard]] double price(std::size_t l, std::size_t group, double balance) const {
            double total = 0;
            for (std::size_t other = 0; other < groups; ++other)
                total += balance * values[(l * groups + other) * groups + group] -
                         values[(l * groups + group) * groups + other];
            return total;
        }
    };
    struct Pair;

    void sort_into_cells(const Window& window, std::span<const std::uint32_t> attributes);
    void price_later_clusters();
    void settle_cluster(std::size_t l, std::span<const Demand> demands);
    void settle_attribute(std::size_t l, std::size_t a, std::span<const Demand> demands);
    void settle_pair(const Pair& pair, std::span<const Demand> demands);
    [[nodiscard]] double excess(const Pair& pair, double change) const;
    [[nodiscard]] std::vector<std::size_t> members(std::size_t l, std::size_t a) const;
    void reprice(std::size_t l, std::span<const Demand> demands);

    std::size_t n_, d_, k_;
    const Kernels& kernels_;
    std::vector<Slot> order_;
    std::vector<Cell> cells_;
    std::vector<Multipliers> multipliers_;  // one per attribute
    std::vector<float> columns_;            // d x n, points in `order_`
    std::vector<float> distances_;          // k x n
    std::vector<float> prices_;             // cells x k
    // While multipliers are settled, from the first cluster to the last:
    std::vector<float> later_;       // k x n: least distance and price of the clusters after each
    std::vector<float> earlier_;     // n: of those before the one looked at, at their new prices
    std::vector<float> gaps_;        // n: how much farther the cluster looked at is, for free, than the best other one
    std::vector<ClusterId> labels_;  // n, in `order_`
    double scale_ = 0;               // of the distances
};

}  // namespace fairstream::safairkm
