#pragma once
/// The targets that points can be asked to keep among themselves, apart from the window.

#include <cstdint>

#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>

namespace fairstream::safairkm {

/// The groups that count among some points, of those that count in the window.
enum class GroupsAmong : std::uint8_t {
    all,     ///< that have as many points as there are clusters: with fewer there is none for each
    common,  ///< that are not rare: they are named, or have max(`rare_below`, 1) x `clusters` points; all of the former
             ///< where fewer than two have
};

/// Returns the targets on groups for points whose attributes are those that `options` balance, in their order. `masses`
/// are these points', `of_window` those of the window, by the stream's attributes. An attribute of which fewer than two
/// groups count has no target, and neither have sizes, which are asked for of the window. Points keep the targets on
/// all groups where a search finds labels that do, and otherwise those on the common ones and on each other one with
/// which it finds labels that keep all.
[[nodiscard]] Options targets_among(const Options& options, const GroupMasses& of_window, const GroupMasses& masses,
                                    GroupsAmong groups);

/// Returns such targets with one more group in them.
[[nodiscard]] Options with_group(Options targets, int group);

}  // namespace fairstream::safairkm
