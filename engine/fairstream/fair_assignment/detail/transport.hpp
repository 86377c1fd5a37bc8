#pragma once
/// Assignment of points to clusters of given sizes at least cost.

#include <cstdint>
#include <span>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// Relabels points until cluster l has `wanted[l]` of them, with the least sum of distances for these k sizes, which
/// add up to n. This is a minimum-cost transport, solved by shortest augmenting paths among the clusters. On entry
/// every point must have the label of least distance plus price, so that the labels are the cheapest for their sizes.
/// The distance of point i to cluster l is distances[l * stride + i]. O(n k), and O(k^2) per moved unit of size, plus
/// an occasional scan of a cluster's points. Labels do not change if the sizes do not add up to n.
void transport(std::span<const float> distances, std::size_t stride, std::span<const float> prices,
               std::span<const std::int64_t> wanted, std::span<ClusterId> labels);

}  // namespace fairstream
