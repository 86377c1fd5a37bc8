#pragma once
/// Notes for people on targets: those that no clustering can meet, those that were missed, and the groups that they
/// leave out.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/outcome.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/targets/group_masses.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

/// A note on one target.
struct TargetNote {
    std::string_view option;  ///< the option that asks for it; a string with static lifetime
    int attribute = -1;       ///< index in the stream's format; -1: the target is of sizes
    std::string text;         ///< one line with the value asked for, and why or by how much it is missed
};

/// Lists the targets that no clustering of these points can meet, as their counts prove. A balance that is unattainable
/// only because points are indivisible is listed if the smallest group has up to 512 points. An empty list does not
/// mean that all targets can be met.
[[nodiscard]] std::vector<TargetNote> unattainable_targets(const ClusterTargets& targets, const StreamFormat& format,
                                                           const GroupTotals& totals, std::int64_t points);

/// Lists the unattainable targets for the retained points with their weights. Weights are treated as divisible, so
/// fewer targets are proved unattainable.
[[nodiscard]] std::vector<TargetNote> unattainable_targets(const ClusterTargets& targets, const Window& window);

/// Lists the targets that the clusters of `tally` miss. Its weights are in `weight_unit`, as `Window::weight_unit`.
[[nodiscard]] std::vector<TargetNote> missed_targets(const ClusterTargets& targets, const StreamFormat& format,
                                                     const FairnessTally& tally, double weight_unit = 1);

/// Returns the outcome of a solve with the labels in `tally`. Returns `solved`, the outcome of the search, if all
/// targets are met. Returns `unattainable` if the counts of points prove that a missed target cannot be met, otherwise
/// `stalled`.
[[nodiscard]] Outcome outcome_of_labels(Outcome solved, const ClusterTargets& targets, const Window& window,
                                        const FairnessTally& tally);
[[nodiscard]] Outcome outcome_of_labels(Outcome solved, const ClusterTargets& targets, const StreamFormat& format,
                                        const GroupTotals& totals, std::int64_t points, const FairnessTally& tally);

/// A group of a balanced attribute that is too rare to count for its target.
struct LeftOutGroup {
    int attribute = 0;  ///< index in the stream's format
    GroupId group = 0;
    std::int64_t points = 0;  ///< the group's total weight, as a number of points of weight 1, rounded
};
/// Lists the known groups too rare to count.
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const ClusterTargets& targets, const GroupMasses& masses);

}  // namespace fairstream
