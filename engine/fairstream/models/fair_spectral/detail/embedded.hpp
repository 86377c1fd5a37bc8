#pragma once
/// The embedding of a whole window or graph, as input for its labels.

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

/// Returns the options of labels that follow from these options.
[[nodiscard]] inline LabelOptions label_options(const Options& options) {
    return {targets_of(options), options.sweeps, options.change_price, options.seed};
}

struct Embedded {
    Workspace workspace;                ///< holds the affinity of points
    std::unique_ptr<Affinity> weights;  ///< weights of a graph
    const Affinity* affinity = nullptr;
    LinkedRows links;
    std::vector<ClusterId> parts;  ///< connected parts of a graph, by point; empty for other affinities
    Embedding embedding;
    std::vector<float> rows;  ///< n x k
    Ungrouped ungrouped;      ///< a further start of labels

    /// Returns the input for labels. The arguments and this object must outlive the result.
    [[nodiscard]] RoundingInput input(const Options& options, const StreamFormat& format,
                                      std::span<const GroupId> groups) const {
        return {label_options(options), *affinity, rows, groups, format, links, {}, &ungrouped};
    }
};

/// Approximate shares of a solve that are done with the neighbours, and with the embedding; labels follow.
inline constexpr double share_of_neighbours = 0.1, share_of_embedding = 0.3;
inline constexpr std::string_view stage_of_neighbours = "neighbours", stage_of_solver = "solver",
                                  stage_of_labels = "labels";

/// Throws `InvalidInput` if a graph, its nodes' groups (nodes x attributes) and the options do not fit each other.
void check_nodes(const Options& options, const Graph& graph, const StreamFormat& format,
                 std::span<const GroupId> groups);

/// Embed a checked graph, or the points of a window, without a warm start. Throw `InvalidInput` (bad_option) if the
/// constraints of groups and pairs leave too few dimensions for the clusters. The solver ends early if the work is
/// ended.
[[nodiscard]] Embedded embedded(const Options& options, const Graph& graph, const StreamFormat& format,
                                std::span<const GroupId> groups, const WorkHandle& work = {});
[[nodiscard]] Embedded embedded(const Options& options, const Window& window, const WorkHandle& work = {});

}  // namespace fairstream::fair_spectral
