#pragma once
/// Labels near targets, for points of which another model knows where the clusters are.

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

/// Labels the points of a window for targets. The window must not change while this lives.
class FairLabels {
public:
    FairLabels(const ClusterTargets& targets, const Window& window);

    /// Returns labels, by slot, for centres that stay, k x d: at prices of the targets (see `FairAssignment`), which
    /// single points may miss.
    [[nodiscard]] std::vector<ClusterId> about(std::span<const float> centres) const;
    /// Returns labels for centres that stay that keep the demands of groups and sizes, the cheapest that a search finds
    /// (`search_labels`). Every cluster that points are near keeps one, but where there are fewer than eight points for
    /// each: then one cluster in eight points does, and at least half of these clusters. Where it finds none, they
    /// keep the demands on the groups that `first` names, and of the first eight others each with which it finds labels
    /// that keep all. Where it finds none of `first` either, its demands are kept to one level, as high as it finds,
    /// then one after another to a higher one of its own. A level is a factor on ratios and on least shares, and on how
    /// far greatest shares are below 1. `first` is about the same attributes. Of levels below 1 every cluster that
    /// points are near keeps a point, since fewer clusters are ever more alike. Those of `about` where points weigh
    /// differently, or the search finds no labels at any level.
    [[nodiscard]] std::vector<ClusterId> as_far_as_possible(std::span<const float> centres,
                                                            const ClusterTargets& first) const;

private:
    [[nodiscard]] FairAssignment priced(std::span<const float> centres, const Demands& demands) const;
    // Returns the cheapest labels that keep the demands; at least `least_used` clusters have a point, 0: all.
    [[nodiscard]] std::optional<FoundLabels> exactly(std::span<const float> centres, const Demands& demands,
                                                     std::size_t least_used, std::int64_t weighings) const;
    // Returns the cheapest of the clusters that points are near, and of few points of any.
    [[nodiscard]] std::optional<FoundLabels> cheapest(std::span<const float> centres, std::span<const ClusterId> near,
                                                      const Demands& demands, std::int64_t weighings) const;
    [[nodiscard]] bool is_of_few(std::size_t clusters) const;
    [[nodiscard]] std::optional<std::vector<ClusterId>> eased(std::span<const float> centres,
                                                              const Demands& demands) const;

    ClusterTargets targets_;
    const Window& window_;
    Demands demands_;
    std::vector<std::uint32_t> attributes_;
};

}  // namespace fairstream
