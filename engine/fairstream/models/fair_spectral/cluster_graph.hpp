#pragma once
/// Fair spectral clustering of a whole graph.

#include <span>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/models/graph_clustering.hpp>

namespace fairstream::fair_spectral {

/// Clusters the nodes of a graph. Its weights are the affinity, stored as a dense matrix if more than one pair in
/// sixteen is an edge, otherwise sparsely; the affinity's options are not used. Must-link and cannot-link pairs are of
/// nodes. `attributes` are the protected attributes and `groups` the nodes' groups (nodes x attributes, row-major).
/// Nodes without an edge are allowed: they have no influence, and join the cluster whose centre is nearest to the
/// origin of the embedding. Throws `InvalidInput`. `threads` as for an engine; results do not depend on it.
[[nodiscard]] GraphClustering cluster_graph(const Options& options, const Graph& graph,
                                            std::span<const Attribute> attributes, std::span<const GroupId> groups,
                                            int threads = 0, const OnProgress& on_progress = {});

}  // namespace fairstream::fair_spectral
