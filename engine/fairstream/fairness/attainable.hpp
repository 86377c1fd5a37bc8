#pragma once
/// The best ratio that all of k clusters can have at once, from the sizes of the groups alone, points being
/// indivisible.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/fairness/demand.hpp>

namespace fairstream {

/// Points in the smallest group up to which splits are searched exactly, in O(points^2 x clusters).
inline constexpr std::int64_t exact_split_limit = 512;

/// Returns how many points of another group fit beside `least` of the smallest: floor(least / ratio), but for rounding.
[[nodiscard]] std::int64_t room_beside(std::int64_t least, double ratio) noexcept;

/// Splits the `least` points of the smallest group among k clusters so that most points of another group find room: a
/// cluster with c of the smallest group takes floor(c / ratio) of any other. Returns the parts by falling size. Exact
/// for up to `exact_split_limit` points; beyond, the best of splits into k - 1 equal parts and a rest. Empty when there
/// are fewer points than clusters.
[[nodiscard]] std::vector<std::int64_t> roomiest_split(std::int64_t least, std::int64_t clusters, double ratio);

/// Returns the points of the groups that count in a ratio, where all of them weigh the same; nothing where they do not.
[[nodiscard]] std::optional<std::vector<std::int64_t>> counted_alike(const Demand& demand,
                                                                     std::span<const std::int64_t> totals);

/// Says whether k clusters can all have this balance; `counts` are the points of the groups, all of which count.
[[nodiscard]] bool balance_is_attainable(std::span<const std::int64_t> counts, std::int64_t clusters, double balance);

/// The highest balance that all of k clusters can have at once; 0 when a group has fewer points than there are
/// clusters. Exact for up to `exact_up_to` points in the smallest group (at most `exact_split_limit`), otherwise that
/// of k - 1 equal clusters and a rest, which is attained but perhaps not the highest: O(256).
[[nodiscard]] double attainable_balance(std::span<const std::int64_t> counts, std::int64_t clusters,
                                        std::int64_t exact_up_to = exact_split_limit);

/// A parity, min_j (m_lj / n_j) / max_j (m_lj / n_j), that all of k clusters can have at once: the best of as even a
/// split of every group as whole points allow and of k - 1 equal clusters and a rest. 1 up to rounding, and with few
/// points to a cluster perhaps not the highest. 0 when a group has fewer points than there are clusters.
/// O((k + 64) x groups).
[[nodiscard]] double attainable_parity(std::span<const std::int64_t> counts, std::int64_t clusters);

/// Proof, by the counts alone, that no clustering of some points keeps a demand.
struct Obstacle {
    enum class Kind : std::uint8_t {
        too_few,   ///< points for the least size of a cluster
        too_many,  ///< points for the largest size
        balance,   ///< all clusters together, or whole points, have no such ratio
        scarce,    ///< a group has a smaller share of all points than every cluster is to have, or fewer points than
                   ///< there are clusters
        abundant,  ///< a group has a larger share of all points than any cluster may have
    };
    Kind kind = Kind::too_few;
    std::size_t demand = 0;  ///< index in `Demands::of_groups`; 0 for sizes
    std::size_t group = 0;   ///< of the demand's attribute: the smallest that counts, or the one named by the kind
};

/// Returns the first obstacle, if counts prove one: k clusters of `points` points, `totals[a][j]` of them in group j of
/// attribute a. None found does not mean that the demands can be kept. O(groups); with `exact` above 0 a ratio of equal
/// weights is also checked against the best that indivisible points can have, for up to `exact` points in the smallest
/// group.
[[nodiscard]] std::optional<Obstacle> find_obstacle(const Demands& demands,
                                                    std::span<const std::vector<std::int64_t>> totals,
                                                    std::int64_t points, std::int64_t clusters, std::int64_t exact = 0);

/// Returns the first obstacle that weights prove, as if points could be divided: k clusters of `weight` in all,
/// `totals[a][j]` of it in group j of attribute a. Groups past the end of a demand are not asked about.
[[nodiscard]] std::optional<Obstacle> find_obstacle_of_weights(const Demands& demands,
                                                               std::span<const std::vector<double>> totals,
                                                               double weight, std::int64_t clusters);

/// Returns false where counts prove that no clustering keeps the demands, see `find_obstacle`.
[[nodiscard]] inline bool is_attainable(const Demands& demands, std::span<const std::vector<std::int64_t>> totals,
                                        std::int64_t points, std::int64_t clusters) {
    return !find_obstacle(demands, totals, points, clusters);
}

}  // namespace fairstream
