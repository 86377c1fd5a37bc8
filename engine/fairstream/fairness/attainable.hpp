#pragma once
/// The best ratio that all of k clusters can have at once, given the sizes of the groups. Points are indivisible.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/fairness/demand.hpp>

namespace fairstream {

/// Largest size of the smallest group up to which splits are searched exactly, in O(points^2 x clusters).
inline constexpr std::int64_t exact_split_limit = 512;

/// Returns how many points of another group fit beside `least` points of the smallest: floor(least / ratio), up to
/// rounding.
[[nodiscard]] std::int64_t most_of_other_group(std::int64_t least, double ratio) noexcept;

/// Splits the `least` points of the smallest group among k clusters so that as many points of another group as possible
/// find room: beside c points of the smallest group, a cluster takes floor(c / ratio) of any other. Returns the parts,
/// largest first. Exact for up to `exact_split_limit` points; beyond, the best split into k - 1 equal parts and a rest.
/// Empty if there are fewer points than clusters.
[[nodiscard]] std::vector<std::int64_t> split_with_most_room(std::int64_t least, std::int64_t clusters, double ratio);

/// Returns the number of points of each group that counts in a ratio, if all of these groups have the same weight;
/// otherwise nothing.
[[nodiscard]] std::optional<std::vector<std::int64_t>> totals_of_equal_weights(const Demand& demand,
                                                                               std::span<const std::int64_t> totals);

/// Returns whether k clusters can all have this balance. `counts` are the points of the groups; all of them count.
[[nodiscard]] bool balance_is_attainable(std::span<const std::int64_t> counts, std::int64_t clusters, double balance);

/// Returns the highest balance that all of k clusters can have at once; 0 if a group has fewer points than there are
/// clusters. Exact for up to `exact_up_to` points in the smallest group (at most `exact_split_limit`). Beyond, returns
/// the balance of k - 1 equal clusters and a rest, in O(256): it is attainable, but perhaps not the highest.
[[nodiscard]] double attainable_balance(std::span<const std::int64_t> counts, std::int64_t clusters,
                                        std::int64_t exact_up_to = exact_split_limit);

/// Returns a parity, min_j (m_lj / n_j) / max_j (m_lj / n_j), that all of k clusters can have at once. It is the better
/// parity of two splits: every group as evenly as whole points allow, or k - 1 equal clusters and a rest. It is 1 up to
/// rounding of points, and with few points per cluster perhaps not the highest. 0 if a group has fewer points than
/// there are clusters. O((k + 64) x groups).
[[nodiscard]] double attainable_parity(std::span<const std::int64_t> counts, std::int64_t clusters);

/// Proof, only by counts, that no clustering of some points meets a demand.
struct Obstacle {
    enum class Kind : std::uint8_t {
        too_few,   ///< too few points for the least size of all clusters
        too_many,  ///< too many points for the largest size of all clusters
        balance,   ///< all points together, or indivisible points, cannot have this ratio
        scarce,    ///< a group's share of all points is below the lower bound of every cluster, or the group has fewer
                   ///< points than there are clusters
        abundant,  ///< a group's share of all points is above the upper bound of every cluster
    };
    Kind kind = Kind::too_few;
    std::size_t demand = 0;  ///< index in `Demands::of_groups`; 0 for sizes
    std::size_t group =
        0;  ///< group of the demand's attribute: the smallest that counts, or the scarce or abundant one
};

/// Returns the first obstacle that counts prove, for k clusters of `points` points, `totals[a][j]` of them in group j
/// of attribute a. Without one the demands may still be impossible. O(groups). With `exact` above 0, a ratio of equal
/// weights is also compared with the best that indivisible points allow, if the smallest group has up to `exact`
/// points.
[[nodiscard]] std::optional<Obstacle> find_obstacle(const Demands& demands,
                                                    std::span<const std::vector<std::int64_t>> totals,
                                                    std::int64_t points, std::int64_t clusters, std::int64_t exact = 0);

/// Returns the first obstacle that weights prove, as if points were divisible, for k clusters of total weight `weight`,
/// `totals[a][j]` of it in group j of attribute a. Groups beyond the end of a demand are ignored.
[[nodiscard]] std::optional<Obstacle> find_obstacle_of_weights(const Demands& demands,
                                                               std::span<const std::vector<double>> totals,
                                                               double weight, std::int64_t clusters);

/// Returns false if counts prove that no clustering meets the demands, see `find_obstacle`.
[[nodiscard]] inline bool is_attainable(const Demands& demands, std::span<const std::vector<std::int64_t>> totals,
                                        std::int64_t points, std::int64_t clusters) {
    return !find_obstacle(demands, totals, points, clusters);
}

}  // namespace fairstream
