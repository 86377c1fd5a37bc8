#pragma once
/// The embedding of a whole window or graph, and what labels of it are made from.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <fairstream/data/graph.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/graph_labels/detail/labels.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/model.hpp>

namespace fairstream::fair_spectral {

/// Returns what labels shall be like under these options.
[[nodiscard]] inline LabelOptions label_options(const Options& options) {
    return {targets_of(options), options.sweeps, options.change_price, options.seed};
}

struct Embedded {
    Workspace workspace;                ///< holds the affinity of points
    std::unique_ptr<Affinity> weights;  ///< of a graph
    const Affinity* affinity = nullptr;
    LinkedRows links;
    std::vector<ClusterId> parts;  ///< connected ones of a graph, by point; empty of other affinities
    Embedding embedding;
    std::vector<float> rows;  ///< n x k
    Ungrouped ungrouped;      ///< what labels start from, too

    /// Returns what labels are made from. The arguments must outlive what is returned, as this must.
    [[nodiscard]] RoundingInput input(const Options& options, const StreamFormat& format,
                                      std::span<const GroupId> groups) const {
        return {label_options(options), *affinity, rows, groups, format, links, {}, &ungrouped};
    }
};

/// Share of a solve that is over with the neighbours, and with the embedding, about; labels come after.
inline constexpr double share_of_neighbours = 0.1, share_of_embedding = 0.3;
inline constexpr std::string_view stage_of_neighbours = "neighbours", stage_of_solver = "solver",
                                  stage_of_labels = "labels";

/// Throws `InvalidInput` where a graph, its nodes' groups (nodes x attributes) or the options do not fit each other.
void check_nodes(const Options& options, const Graph& graph, const StreamFormat& format,
                 std::span<const GroupId> groups);

/// Embed a graph that was checked, or the points of a window, from nothing. Throw `InvalidInput` (bad_option) where the
/// constraints of groups and pairs leave no room for so many clusters. The solver ends where it is asked to.
[[nodiscard]] Embedded embedded(const Options& options, const Graph& graph, const StreamFormat& format,
                                std::span<const GroupId> groups, const WorkHandle& work = {});
[[nodiscard]] Embedded embedded(const Options& options, const Window& window, const WorkHandle& work = {});

}  // namespace fairstream::fair_spectral
