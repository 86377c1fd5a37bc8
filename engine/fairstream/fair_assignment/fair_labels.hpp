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

    /// Returns labels by slot for fixed centres, k x d: each point joins the cluster with the least sum of distance and
    /// price, at prices that follow from the targets (`FairAssignment`). Clusters may miss targets by single points.
    [[nodiscard]] std::vector<ClusterId> about(std::span<const float> centres) const;
    /// Returns labels by slot for fixed centres that meet the demands on groups and sizes: the cheapest that a search
    /// finds (`search_labels`). If the search finds none, the demands are reduced in two steps.
    ///
    /// 1. Only the groups that `first` names must meet the demands. Then up to eight other groups are tried in turn: a
    ///    group is added if labels are found with which it and all groups so far meet the demands. `first` has the
    ///    attributes of the targets.
    /// 2. If no labels are found for `first` either, its demands are lowered to a level in [0, 1], a factor on ratios,
    ///    on least shares, and on the distance of greatest shares from 1. The search finds one level for all demands,
    ///    as high as possible, then raises the level of each demand in turn.
    ///
    /// The labels use every cluster that `about` uses. With few points it is enough to use one cluster per eight
    /// points, but at least half of these clusters. At levels below 1 the labels use all of them: otherwise the search
    /// would reach high levels by leaving clusters empty. Returns the labels of `about` if points have different
    /// weights, or if the search finds no labels at any level.
    [[nodiscard]] std::vector<ClusterId> with_relaxed_demands(std::span<const float> centres,
                                                              const ClusterTargets& first) const;

private:
    [[nodiscard]] FairAssignment priced(std::span<const float> centres, const Demands& demands) const;
    // Returns the cheapest labels that meet the demands and use at least `least_used` clusters; 0: all clusters.
    [[nodiscard]] std::optional<FoundLabels> exactly(std::span<const float> centres, const Demands& demands,
                                                     std::size_t least_used, std::int64_t weighings) const;
    // Returns the cheapest labels that use only the clusters in `near`, each of which is nearest to some point. With
    // few points the labels may use any cluster.
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
