#pragma once
/// The targets that points can be asked to keep among themselves, apart from the window.

#include <cstdint>

#include <fairstream/targets/group_masses.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

/// Says whether points are enough to keep targets among themselves: each group that counts in the window, of an
/// attribute with a target, has as many of them as there are clusters. `masses` are these points', by the attributes
/// that `targets` balance, in their order; `of_window` those of the window, by the stream's attributes.
[[nodiscard]] bool can_keep_among(const ClusterTargets& targets, const GroupMasses& of_window,
                                  const GroupMasses& masses);

/// The groups that targets among such points are about, of those that count in the window.
enum class GroupsAmong : std::uint8_t {
    all,
    common,  ///< that are named, or not rare among these points: max(`rare_below`, 1) x `clusters`; all where fewer
             ///< than two are
};

/// Returns the targets on groups for points that are enough. Sizes are asked for of the window alone. Points keep the
/// targets on all groups where a search finds labels that do, and otherwise those on the common ones and on each other
/// one with which it finds labels that keep all.
[[nodiscard]] ClusterTargets targets_among(const ClusterTargets& targets, const GroupMasses& of_window,
                                           const GroupMasses& masses, GroupsAmong groups);

/// Returns such targets with one more group in them.
[[nodiscard]] ClusterTargets with_group(ClusterTargets targets, int group);

}  // namespace fairstream
