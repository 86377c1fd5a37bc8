#pragma once
/// Labels that meet targets or come near them, from cluster centres of another model.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::safairkm {

/// Returns labels by slot. Begins with these approximate centres, k x d, and leads the clusters to the targets in
/// stages, as each start of a refinement does. If the work is ended, goes the rest of the way in one stage.
[[nodiscard]] std::vector<ClusterId> fair_labels_from_centres(const ClusterTargets& targets, const Window& window,
                                                              std::span<const float> centres, std::uint64_t seed,
                                                              const WorkHandle& work = {});

}  // namespace fairstream::safairkm
