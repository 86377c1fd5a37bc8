#pragma once
/// Shortfalls of one cluster after points leave it and come to it.

#include <cstdint>
#include <vector>

#include <fairstream/fair_kmeans/detail/clustering.hpp>
#include <fairstream/fairness/demand.hpp>

namespace fairstream::safairkm {

/// The shortfall of a cluster with a point less and another more. If all points have weight 1, results are bit for bit
/// those of `Clustering::shortfall`, but take time proportional only to the number of groups that nearly have too few
/// points.
class ClusterChanges {
public:
    /// Reads cluster l with one member of cell `minus` less and one of cell `plus` more (`none`: no change). Valid
    /// until the demands change; later changes of the cluster are not noticed. O(groups).
    explicit ClusterChanges(const Clustering& c, ClusterId l, int minus = none, int plus = none);

    /// Returns the shortfall with another member of cell `minus` less and one of cell `plus` more.
    [[nodiscard]] double shortfall(int minus, int plus) const;
    /// Returns whether that shortfall is 0; faster.
    [[nodiscard]] bool keeps(int minus, int plus) const;

    /// From this number of cells on, this is faster than counting all groups each time.
    static constexpr std::size_t worthwhile = 12;

private:
    [[nodiscard]] int counted_group(int cell, std::size_t i) const;

    const Clustering& c_;
    std::int64_t size_;
    std::vector<std::vector<std::int64_t>> counts_;  // by demand and group
    std::vector<ShortfallChanges> of_groups_;        // by demand, of these counts
};

}  // namespace fairstream::safairkm
