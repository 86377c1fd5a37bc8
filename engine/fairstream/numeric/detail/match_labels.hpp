#pragma once
/// Matching of new cluster ids to those before a new solve.

#include <span>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// Returns for each of k new clusters the old id that it takes over. Pairs are matched greedily by their number of
/// common points, largest first, ties to the lower new id, then to the lower old id. At least half as many points keep
/// their label as under the best one-to-one matching; if clusters moved little, the result is the best one.
/// `no_cluster` among `old` is ignored.
[[nodiscard]] std::vector<ClusterId> match_labels(std::span<const ClusterId> old, std::span<const ClusterId> fresh,
                                                  std::size_t k);

}  // namespace fairstream
