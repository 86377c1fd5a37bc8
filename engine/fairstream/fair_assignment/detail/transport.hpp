#pragma once
/// Assignment of points to clusters of given sizes at the least cost.

#include <cstdint>
#include <span>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// Relabels points until cluster l has `wanted[l]` of them, k sizes that add up to n, such that the sum of distances is
/// the least for these sizes: a minimum-cost transport, by shortest augmenting paths among the clusters. On entry every
/// point has the label of least distance and price, so that the labels are the cheapest for the sizes they have. The
/// distance of point i to cluster l is distances[l * stride + i]. O(n k), and O(k^2) for each unit of size to be moved
/// beside another look at a cluster's points now and then. Labels stay where the sizes do not add up to n.
void transport(std::span<const float> distances, std::size_t stride, std::span<const float> prices,
               std::span<const std::int64_t> wanted, std::span<ClusterId> labels);

}  // namespace fairstream
