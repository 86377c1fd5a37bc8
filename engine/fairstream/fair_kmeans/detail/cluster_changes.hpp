#pragma once
/// The demands on one cluster when points leave it and come to it.

#include <cstdint>
#include <vector>

#include <fairstream/fair_kmeans/detail/clustering.hpp>
#include <fairstream/fairness/demand.hpp>

namespace fairstream::safairkm {

/// By how many points a cluster falls short of the demands with a point less and another more: the same numbers, bit
/// for bit, as `Clustering::shortfall` gives where all points weigh 1, each in time proportional to the groups that
/// have nearly too few points, and not to all.
class ClusterChanges {
public:
    /// Looks at cluster l as it is with a member of cell `minus` less and one of cell `plus` more (`none`: no change).
    /// Valid until the demands change; later changes of the cluster are not seen. O(groups).
    explicit ClusterChanges(const Clustering& c, ClusterId l, int minus = none, int plus = none);

    /// Returns the shortfall with a further member of cell `minus` less and one of cell `plus` more.
    [[nodiscard]] double shortfall(int minus, int plus) const;
    /// Says whether that is 0, faster.
    [[nodiscard]] bool keeps(int minus, int plus) const;

    /// Cells from which on this is faster than counting all groups each time.
    static constexpr std::size_t worthwhile = 12;

private:
    [[nodiscard]] int counted_group(int cell, std::size_t i) const;

    const Clustering& c_;
    std::int64_t size_;
    std::vector<std::vector<std::int64_t>> counts_;  // by demand and group
    std::vector<ShortfallChanges> of_groups_;        // by demand, of these counts
};

}  // namespace fairstream::safairkm
