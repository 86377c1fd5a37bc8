#pragma once
/// Parts of a graph that nothing joins.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream {

/// Returns by point the connected part it is in; a point with no affinity to another is one. Parts are numbered from 0
/// by their first points. Looks at each row once, at those of places where points are merged.
[[nodiscard]] std::vector<ClusterId> connected_parts(const Affinity& affinity);
/// Returns how many there are.
[[nodiscard]] std::size_t count_parts(std::span<const ClusterId> parts);

}  // namespace fairstream
