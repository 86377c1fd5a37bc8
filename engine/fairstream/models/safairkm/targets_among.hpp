#pragma once
/// The targets that points can be asked to keep among themselves, apart from the window.

#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>

namespace fairstream::safairkm {

/// Returns the targets on groups for points whose attributes are those that `options` balance, in their order. `masses`
/// are these points', `of_window` those of the window, by the stream's attributes. The groups that count are those that
/// count in the window and have a point here. Attributes with fewer than two of these have no target, and neither have
/// sizes, which are asked for of the window.
[[nodiscard]] Options targets_among(const Options& options, const GroupMasses& of_window, const GroupMasses& masses);

}  // namespace fairstream::safairkm
