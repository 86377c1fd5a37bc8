#pragma once
/// Labels near targets, for points whose cluster centres come from another model.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::safairkm {

/// Returns labels by slot. Leads clusters from these approximate centres, k x d, to the targets, as each start of a
/// refinement does. If the work is ended, returns labels from part of the way.
[[nodiscard]] std::vector<ClusterId> fair_labels_from_centres(const ClusterTargets& targets, const Window& window,
                                                              std::span<const float> centres, std::uint64_t seed,
                                                              const WorkHandle& work = {});

}  // namespace fairstream::safairkm
