#pragma once
/// LoRD and B-LoRD of a whole graph.

#include <span>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/graph_clustering.hpp>
#include <fairstream/models/lord/lord.hpp>

namespace fairstream::lord {

/// Clusters the nodes, as many as clusters or more: S are the graph's weights, scaled to a sum of 1, in place of those
/// of nearest neighbours, and `neighbours` is not used. `attributes` are the protected attributes and `groups` the
/// nodes' (nodes x attributes, row-major). Nodes without an edge are allowed: the marginals alone decide how probable
/// clusters are for them. Throws `InvalidInput`. `threads` as for an engine; results do not depend on it.
/// `on_progress`, if given, is told of the work, and may end it, with the best so far.
[[nodiscard]] GraphClustering cluster_graph(const Options& options, const Graph& graph,
                                            std::span<const Attribute> attributes, std::span<const GroupId> groups,
                                            int threads = 0, const OnProgress& on_progress = {});

}  // namespace fairstream::lord
