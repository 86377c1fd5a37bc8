#pragma once
/// Demands on the composition of every cluster, and the number of points by which a cluster falls short of them.
///
/// Notation: m_j is the number of points of group j in a cluster, m the cluster's size, n_j the points of group j in
/// all clusters.

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// One demand on the groups of one attribute, the same for all clusters: either a least ratio of weighted counts, or
/// bounds on shares.
struct Demand {
    std::uint32_t attribute = 0;
    /// Ratio: w_j m_j >= ratio * w_j' m_j' for all groups j, j' that count. In [0, 1]; 0: no demand. Equal weights give
    /// balance; w_j = 1/n_j gives parity of the rates at which groups are selected for the cluster.
    double ratio = 0;
    std::vector<double> weights{};  ///< w_j by group, above 0; 0: the group does not count. Empty: 1 for every group
    std::vector<double> lower{};    ///< by group: m_j >= lower_j m (Bera et al.); empty: no demand on shares
    std::vector<double> upper{};    ///< by group: m_j <= upper_j m; same length as `lower`

    [[nodiscard]] double weight(std::size_t group) const noexcept { return weights.empty() ? 1 : weights[group]; }
    [[nodiscard]] bool of_shares() const noexcept { return !lower.empty(); }
    [[nodiscard]] bool empty() const noexcept { return ratio == 0 && lower.empty(); }
    bool operator==(const Demand&) const = default;
};

/// Bounds on the size of every cluster, in points.
struct SizeDemand {
    std::int64_t at_least = 0;
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();
    [[nodiscard]] bool empty() const noexcept {
        return at_least <= 0 && at_most == std::numeric_limits<std::int64_t>::max();
    }
    bool operator==(const SizeDemand&) const = default;
};

/// All demands on every cluster.
struct Demands {
    std::vector<Demand> of_groups;
    SizeDemand of_sizes;
    [[nodiscard]] bool empty() const noexcept { return of_groups.empty() && of_sizes.empty(); }
    bool operator==(const Demands&) const = default;
};

/// No group, for changes of counts by a point that only leaves or only comes.
inline constexpr int no_group = -1;

/// Returns the number of points by which a cluster with these counts, minus one point of group `minus` and plus one of
/// group `plus`, falls short of the demand; 0 if it meets the demand. A cluster without points that count falls short
/// by one point of every group.
[[nodiscard]] double shortfall(const Demand& demand, std::span<const std::int64_t> counts, int minus = no_group,
                               int plus = no_group);
[[nodiscard]] double shortfall(const SizeDemand& demand, std::int64_t size) noexcept;
/// Return the shortfall for weights of groups instead of counts: the point that leaves has `minus_weight`, the point
/// that comes has `plus_weight`.
[[nodiscard]] double shortfall(const Demand& demand, std::span<const double> weights, int minus = no_group,
                               int plus = no_group, double minus_weight = 1, double plus_weight = 1);
[[nodiscard]] double shortfall(const SizeDemand& demand, double weight) noexcept;

/// Return by how much the weight of group j in a cluster with these weights can fall before it misses the demand's
/// lower bound, or rise before it misses the upper bound, while the other groups stay as they are. Negative: the bound
/// is missed; infinite: there is no bound.
[[nodiscard]] double above_lower_bound(const Demand& demand, std::span<const double> weights, std::size_t j);
[[nodiscard]] double below_upper_bound(const Demand& demand, std::span<const double> weights, std::size_t j);

/// The shortfalls of one cluster after single points leave and come. Results are bit for bit those of `shortfall`, but
/// take time proportional only to the number of groups that have, or nearly have, too few points.
class ShortfallChanges {
public:
    /// Borrows both, which must not change.
    ShortfallChanges(const Demand& demand, std::span<const std::int64_t> counts);

    /// Returns `shortfall(demand, counts, minus, plus)`.
    [[nodiscard]] double after(int minus, int plus) const;
    /// Returns whether `after(minus, plus)` is 0; in constant time unless rounding decides.
    [[nodiscard]] bool keeps(int minus, int plus) const;

private:
    struct Group {
        int group = no_group;
        double value = 0;
    };

    /// Returns w_j (m_j + change).
    [[nodiscard]] double weighted(std::size_t group, std::int64_t change) const;
    [[nodiscard]] double most_after(int minus, int plus) const;
    [[nodiscard]] const Group* smallest_of_others(int minus, int plus) const;
    [[nodiscard]] double lacking(int group, double value, std::int64_t change, double least) const;

    const Demand& demand_;
    std::span<const std::int64_t> counts_;
    std::array<Group, 3> largest_;  // groups with the largest w_j m_j
    std::array<Group, 3> least_;    // counted groups with the least w_j m_j
    std::vector<Group> small_;      // groups that lack points, or may lack them after another group changes; ascending
};

/// Returns min_j (w_j m_j) / max_j (w_j m_j) in one cluster, for the groups j that count. A demand's `ratio` is a lower
/// bound of this value. 0 for a cluster without points that count; 1 if only one group counts.
[[nodiscard]] double weighted_balance(const Demand& demand, std::span<const std::int64_t> counts);
[[nodiscard]] double weighted_balance(const Demand& demand, std::span<const double> weights);

}  // namespace fairstream
