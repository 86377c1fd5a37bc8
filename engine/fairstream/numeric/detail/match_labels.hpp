#pragma once
/// Matching of cluster ids with those before a clustering was solved anew.

#include <span>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// Returns for each of k fresh clusters the old id that it takes over: pairs are matched in the order of their common
/// points, most first (ties to the lower fresh, then the lower old id). At least half as many points keep their label
/// as under the best one-to-one matching; where clusters moved a little it is that matching. `no_cluster` among `old`
/// counts for nothing.
[[nodiscard]] std::vector<ClusterId> match_labels(std::span<const ClusterId> old, std::span<const ClusterId> fresh,
                                                  std::size_t k);

}  // namespace fairstream
