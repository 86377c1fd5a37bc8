#pragma once
/// Demands on the composition of every cluster, and by how many points a cluster falls short of them.
///
/// Notation: m_j the points of group j in a cluster, m its size, n_j the points of group j in all clusters.

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// One demand on the groups of one attribute, alike for all clusters: either a least ratio of weighted counts, or
/// bounds on shares.
struct Demand {
    std::uint32_t attribute = 0;
    /// Ratio: w_j m_j >= ratio * w_j' m_j' for all groups j, j' that count. In [0, 1]; 0: none. With equal weights this
    /// is balance, with w_j = 1/n_j parity of the rates at which groups are selected for the cluster.
    double ratio = 0;
    std::vector<double> weights{};  ///< w_j by group, above 0; 0: the group does not count. Empty: 1 for every group
    std::vector<double> lower{};    ///< by group: m_j >= lower_j m (Bera et al.); empty: no demand on shares
    std::vector<double> upper{};    ///< by group: m_j <= upper_j m; as long as `lower`

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

/// Stands for no group, where counts change by one point that leaves and one that comes.
inline constexpr int no_group = -1;

/// Returns by how many points a cluster of these counts, with one point less in group `minus` and one more in group
/// `plus`, falls short of the demand; 0 when it keeps it. A cluster without points that count is short by one point of
/// every group.
[[nodiscard]] double shortfall(const Demand& demand, std::span<const std::int64_t> counts, int minus = no_group,
                               int plus = no_group);
[[nodiscard]] double shortfall(const SizeDemand& demand, std::int64_t size) noexcept;
/// Do the same for weights of groups in place of counts: a point that leaves weighs `minus_weight`, one that comes
/// `plus_weight`.
[[nodiscard]] double shortfall(const Demand& demand, std::span<const double> weights, int minus = no_group,
                               int plus = no_group, double minus_weight = 1, double plus_weight = 1);
[[nodiscard]] double shortfall(const SizeDemand& demand, double weight) noexcept;

/// The shortfalls of one cluster for single points that leave and come: the same numbers, bit for bit, as `shortfall`
/// gives, each in time proportional to the groups that have nearly too few points, and not to all.
class ShortfallChanges {
public:
    /// Borrows both, which must stay as they are.
    ShortfallChanges(const Demand& demand, std::span<const std::int64_t> counts);

    /// Returns `shortfall(demand, counts, minus, plus)`.
    [[nodiscard]] double after(int minus, int plus) const;
    /// Says whether that is 0: in constant time, but where rounding decides.
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
    std::array<Group, 3> largest_;  // the groups that have the most, and w_j m_j
    std::array<Group, 3> least_;    // and those that have the least, of the groups that count
    std::vector<Group> small_;      // those that lack points, or may after a change of another group, in their order
};

/// Returns the smallest w_j m_j over the largest in one cluster, over the groups that count: a demand's `ratio` is its
/// lower bound. 0 for a cluster without such points; 1 when a single group counts.
[[nodiscard]] double weighted_balance(const Demand& demand, std::span<const std::int64_t> counts);
[[nodiscard]] double weighted_balance(const Demand& demand, std::span<const double> weights);

}  // namespace fairstream
