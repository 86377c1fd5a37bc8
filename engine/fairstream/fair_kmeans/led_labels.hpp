#pragma once
/// Clusters led to targets, for points of which another model knows where the clusters are.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::safairkm {

/// Returns labels, by slot, of clusters that are led to the targets from about these centres, k x d, as a start of a
/// refinement is. Asked to end, it returns labels from part of the way.
[[nodiscard]] std::vector<ClusterId> led_labels(const ClusterTargets& targets, const Window& window,
                                                std::span<const float> centres, std::uint64_t seed,
                                                const WorkHandle& work = {});

}  // namespace fairstream::safairkm
