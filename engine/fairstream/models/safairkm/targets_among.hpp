#pragma once
/// The targets that points can be asked to keep among themselves, apart from the window.

#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>

namespace fairstream::safairkm {

/// Returns the targets on groups for points whose attributes are those that `options` balance, in their order; `masses`
/// are these points'. Groups without a point are left out of them, as rare ones are, and so are attributes with fewer
/// than two known groups that have points, and sizes, which are asked for of the window.
[[nodiscard]] Options targets_among(const Options& options, const GroupMasses& masses);

}  // namespace fairstream::safairkm
