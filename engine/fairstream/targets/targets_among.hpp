#pragma once
/// Targets that a set of points can meet by itself, apart from the window.

#include <cstdint>

#include <fairstream/targets/group_masses.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

/// Returns whether there are enough points to meet the targets among themselves. For each attribute with a target, each
/// group that counts in the window must have at least as many points as there are clusters. `masses` are the weights of
/// these points, by the attributes that `targets` balance, in order. `of_window` are the weights of the window's
/// points, by the stream's attributes.
[[nodiscard]] bool can_meet_among(const ClusterTargets& targets, const GroupMasses& of_window,
                                  const GroupMasses& masses);

/// Choice of the groups that targets among these points cover; all of them count in the window.
enum class GroupsAmong : std::uint8_t {
    all,
    common,  ///< groups that are named, or have max(`rare_below`, 1) x `clusters` of these points or more; all if fewer
             ///< than two do
};

/// Returns the targets on groups for points that can meet them among themselves (`can_meet_among`); targets on sizes
/// apply only to the window. The caller first tries all groups. If no labels are found that meet these targets, it uses
/// the common groups, and adds each other group with which labels can still be found.
[[nodiscard]] ClusterTargets targets_among(const ClusterTargets& targets, const GroupMasses& of_window,
                                           const GroupMasses& masses, GroupsAmong groups);

/// Returns the targets with one more named group.
[[nodiscard]] ClusterTargets with_group(ClusterTargets targets, int group);

}  // namespace fairstream
