#pragma once
/// Clusters led to targets, for points whose cluster centres come from another model.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::safairkm {

/// Returns labels, by slot, of clusters that are led from these approximate centres, k x d, to the targets, as a start
/// of a refinement is. If the work is ended, returns labels from part of the way.
[[nodiscard]] std::vector<ClusterId> fair_labels_from_centres(const ClusterTargets& targets, const Window& window,
                                                              std::span<const float> centres, std::uint64_t seed,
                                                              const WorkHandle& work = {});

}  // namespace fairstream::safairkm
