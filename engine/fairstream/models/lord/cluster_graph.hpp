#pragma once
/// LoRD and B-LoRD of a whole graph.

#include <span>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/graph_clustering.hpp>
#include <fairstream/models/lord/lord.hpp>

namespace fairstream::lord {

/// Clusters the nodes of a graph; there must be at least as many as clusters. S are the graph's weights, scaled to a
/// sum of 1, and `neighbours` is not used. `attributes` are the protected attributes and `groups` the nodes' groups
/// (nodes x attributes, row-major). Nodes without an edge are allowed: their probabilities follow only from the
/// marginals. Throws `InvalidInput`. `threads` as for an engine; results do not depend on it. `on_progress`, if given,
/// receives the progress, and may end the work with the best result so far.
[[nodiscard]] GraphClustering cluster_graph(const Options& options, const Graph& graph,
                                            std::span<const Attribute> attributes, std::span<const GroupId> groups,
                                            int threads = 0, const OnProgress& on_progress = {});

}  // namespace fairstream::lord
