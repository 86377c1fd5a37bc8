#include <fairstream/models/graph_clustering.hpp>

#include <string>

namespace fairstream {

void check_nodes(const Graph& graph, const StreamFormat& format, std::span<const GroupId> groups) {
    check(graph);
    const std::size_t stride = format.attributes.size();
    if (groups.size() != graph.nodes * stride)
        throw InvalidInput(Reason::wrong_shape, std::to_string(groups.size()) + " groups for " +
                                                    std::to_string(graph.nodes) + " nodes and " +
                                                    std::to_string(stride) +
                                                    " attributes: must be one group per node and attribute");
    for (std::size_t i = 0; i < groups.size(); ++i)
        if (groups[i] >= format.attributes[i % stride].groups.size())
            throw InvalidInput(Reason::unknown_group, "group " + std::to_string(groups[i]) + " of node " +
                                                          std::to_string(i / stride) + ": must be below " +
                                                          std::to_string(format.attributes[i % stride].groups.size()));
}

}  // namespace fairstream
