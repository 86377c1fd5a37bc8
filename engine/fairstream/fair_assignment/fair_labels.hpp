#pragma once
/// Labels that meet targets, for points whose cluster centres come from another model.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fairness/demand.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

class FairAssignment;
struct FoundLabels;

/// Labels the points of a window so that they meet targets. The window must not change while this exists.
class FairLabels {
public:
    FairLabels(const ClusterTargets& targets, const Window& window);

    /// Returns labels by slot for fixed centres, k x d, at prices of the targets (see `FairAssignment`). Single points
    /// may miss targets.
    [[nodiscard]] std::vector<ClusterId> about(std::span<const float> centres) const;
    /// Returns labels by slot for fixed centres that meet the demands on groups and sizes: the cheapest that a search
    /// finds (`search_labels`). If the search finds none, the demands are reduced in two steps.
    ///
    /// 1. Only the groups that `first` names must meet them, plus each of the first eight other groups with which
    ///    labels that meet all are found. `first` is about the same attributes.
    /// 2. If none are found for `first` either, its demands are reduced to one common level, as high as the search
    ///    finds, then each is raised to a higher level of its own. A level is a factor on ratios and on least shares,
    ///    and on the distance of greatest shares from 1.
    ///
    /// Every cluster that is nearest to some point keeps a point. With fewer than eight points per cluster only one
    /// cluster per eight points does, but at least half of these clusters. At levels below 1 all of them keep a point,
    /// since fewer clusters are ever more alike. Returns the labels of `about` if points have different weights, or if
    /// the search finds no labels at any level.
    [[nodiscard]] std::vector<ClusterId> with_relaxed_demands(std::span<const float> centres,
                                                              const ClusterTargets& first) const;

private:
    [[nodiscard]] FairAssignment priced(std::span<const float> centres, const Demands& demands) const;
    // Returns the cheapest labels that meet the demands; at least `least_used` clusters have a point, 0: all.
    [[nodiscard]] std::optional<FoundLabels> exactly(std::span<const float> centres, const Demands& demands,
                                                     std::size_t least_used, std::int64_t weighings) const;
    // Returns the cheapest labels of the clusters nearest to some point, and for few points of any clusters.
    [[nodiscard]] std::optional<FoundLabels> cheapest(std::span<const float> centres, std::span<const ClusterId> near,
                                                      const Demands& demands, std::int64_t weighings) const;
    [[nodiscard]] bool is_of_few(std::size_t clusters) const;
    [[nodiscard]] std::optional<std::vector<ClusterId>> relaxed(std::span<const float> centres,
                                                                const Demands& demands) const;

    ClusterTargets targets_;
    const Window& window_;
    Demands demands_;
    std::vector<std::uint32_t> attributes_;
};

}  // namespace fairstream
