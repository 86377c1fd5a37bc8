#pragma once
/// Parts of a graph that nothing joins.

#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream {

/// Returns the number of connected parts; a point with no affinity to another is one. Looks at each row once, at those
/// of places where points are merged.
[[nodiscard]] std::size_t connected_parts(const Affinity& affinity);

}  // namespace fairstream
