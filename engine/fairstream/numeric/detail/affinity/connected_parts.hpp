#pragma once
/// Connected parts of a graph.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream {

/// Returns the connected part of each point; a point without affinity to another is a separate part. Parts are numbered
/// from 0 by their first points. Reads each row once; if points are merged, the rows of places.
[[nodiscard]] std::vector<ClusterId> connected_parts(const Affinity& affinity);
/// Returns the number of parts.
[[nodiscard]] std::size_t count_parts(std::span<const ClusterId> parts);

}  // namespace fairstream
