#pragma once
/// What whole points allow: the best ratio that all of k clusters can have at once, from the sizes of the groups alone.

#include <cstdint>
#include <span>
#include <vector>

namespace fairstream {

/// Points of the smallest group in each of k clusters, `least` in all, at which most points of another group find room:
/// a cluster with c of the smallest group takes floor(c / ratio) of any other. By falling size. Exact for up to 512
/// points; beyond, the best of splits into k - 1 equal parts and a rest. Empty when there are fewer points than
/// clusters.
[[nodiscard]] std::vector<std::int64_t> roomiest_split(std::int64_t least, std::int64_t clusters, double ratio);

/// Whether k clusters can all have this balance; `counts` are the points of the groups, all of which count.
[[nodiscard]] bool balance_is_attainable(std::span<const std::int64_t> counts, std::int64_t clusters, double balance);

/// The highest balance that all of k clusters can have at once; 0 when a group has fewer points than there are
/// clusters. Exact within 1e-12 where `roomiest_split` is, otherwise attained but perhaps not the highest.
[[nodiscard]] double attainable_balance(std::span<const std::int64_t> counts, std::int64_t clusters);

/// A parity, min_j (m_lj / n_j) / max_j (m_lj / n_j), that all of k clusters can have at once: that of as even a split
/// of every group as whole points allow, 1 up to rounding. 0 when a group has fewer points than there are clusters.
[[nodiscard]] double attainable_parity(std::span<const std::int64_t> counts, std::int64_t clusters);

}  // namespace fairstream
