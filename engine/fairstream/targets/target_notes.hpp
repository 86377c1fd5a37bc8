#pragma once
/// Notes for people on targets: which no clustering of some points can meet, which were missed, and which groups were
/// left out of them.

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
    std::string_view option;  ///< that asks for it; lives as long as the program
    int attribute = -1;       ///< index in the stream's format; -1: the target is of sizes
    std::string text;         ///< one line that names the value asked for, and why or by what it is missed
};

/// Lists the targets that no clustering of these points meets, by their counts alone: with up to 512 points in the
/// smallest group a balance beyond what whole points allow is among them. None listed does not mean that all can be
/// met.
[[nodiscard]] std::vector<TargetNote> unattainable_targets(const ClusterTargets& targets, const StreamFormat& format,
                                                           const GroupTotals& totals, std::int64_t points);

/// Does so for the retained points with their weights. Those are taken to be divisible, so that fewer is proved of
/// them.
[[nodiscard]] std::vector<TargetNote> unattainable_targets(const ClusterTargets& targets, const Window& window);

/// Lists the targets that the clusters of `tally` miss. Its weights are in `weight_unit`, as `Window::weight_unit`.
[[nodiscard]] std::vector<TargetNote> missed_targets(const ClusterTargets& targets, const StreamFormat& format,
                                                     const FairnessTally& tally, double weight_unit = 1);

/// Returns how a solve ended whose labels are in `tally`: as the search for them did, `solved`, where they meet all
/// targets, `unattainable` where the counts of the points prove that one that is missed cannot be met, and `stalled`
/// otherwise.
[[nodiscard]] Outcome outcome_of_labels(Outcome solved, const ClusterTargets& targets, const Window& window,
                                        const FairnessTally& tally);
[[nodiscard]] Outcome outcome_of_labels(Outcome solved, const ClusterTargets& targets, const StreamFormat& format,
                                        const GroupTotals& totals, std::int64_t points, const FairnessTally& tally);

/// A group of a balanced attribute that is too rare to count for its target.
struct LeftOutGroup {
    int attribute = 0;  ///< index in the stream's format
    GroupId group = 0;
    std::int64_t points = 0;  ///< of weight 1 that would weigh as much, rounded
};
/// Lists those of known groups.
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const ClusterTargets& targets, const GroupMasses& masses);

}  // namespace fairstream
