#pragma once
/// The cost of clusters of a graph.

#include <cstddef>
#include <span>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream {

/// Returns the normalised cut: the sum over clusters of the weight of edges that leave a cluster divided by the weight
/// of all its edges. Takes one product with an n x k block, which is not counted.
[[nodiscard]] double normalised_cut(const Affinity& affinity, std::span<const ClusterId> labels, std::size_t k);

}  // namespace fairstream
