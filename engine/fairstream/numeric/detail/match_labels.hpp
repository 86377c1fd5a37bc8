#pragma once
/// Keeping cluster ids when a clustering was solved anew.

#include <span>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// For each of k fresh clusters the old id it goes on under: pairs are matched in the order of their common points,
/// most first (ties to the lower fresh, then the lower old id). At least half as many points keep their label as under
/// the best one-to-one matching; where clusters moved a little it is that matching. `no_cluster` among `old` counts for
/// nothing.
[[nodiscard]] std::vector<ClusterId> match_labels(std::span<const ClusterId> old, std::span<const ClusterId> fresh,
                                                  std::size_t k);

}  // namespace fairstream
