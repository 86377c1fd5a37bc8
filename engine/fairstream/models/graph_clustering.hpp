#pragma once
/// The clustering of a whole graph, for all models that take graphs.

#include <span>
#include <vector>

#include <fairstream/data/graph.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/models/model.hpp>

namespace fairstream {

struct GraphClustering {
    std::vector<ClusterId> labels;  ///< by node
    FairnessTally tally;            ///< counts of the labels by cluster and group
    Solve solve;
    std::vector<Figure> figures;  ///< as the model's `figures`
    Matrix memberships = {};      ///< nodes x k, as those of points (`HasMemberships`); empty: model has none
};

/// Throws `InvalidInput` unless the graph is valid, and `groups` (nodes x attributes, row-major) are groups of the
/// attributes of `format`.
void check_nodes(const Graph& graph, const StreamFormat& format, std::span<const GroupId> groups);

}  // namespace fairstream
