#include <fairstream/models/fair_spectral/cluster_graph.hpp>

#include <algorithm>
#include <utility>

#include <tbb/task_arena.h>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/graph_affinity.hpp>
#include <fairstream/models/fair_spectral/detail/options.hpp>
#include <fairstream/models/fair_spectral/detail/rounding.hpp>
#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/arena.hpp>

namespace fairstream::fair_spectral {
namespace {

void check_nodes(const Options& options, const Graph& graph, const StreamFormat& format,
                 std::span<const GroupId> groups) {
    fairstream::check(graph);
    Model::check(options, format);
    const std::size_t stride = format.attributes.size();
    if (groups.size() != graph.nodes * stride)
        throw InvalidInput(Reason::wrong_shape, std::to_string(groups.size()) + " groups for " +
                                                    std::to_string(graph.nodes) + " nodes and " +
                                                    std::to_string(stride) + " attributes");
    for (std::size_t i = 0; i < groups.size(); ++i)
        if (groups[i] >= format.attributes[i % stride].groups.size())
            throw InvalidInput(Reason::unknown_group, "group " + std::to_string(groups[i]) + " of node " +
                                                          std::to_string(i / stride) + ": must be below " +
                                                          std::to_string(format.attributes[i % stride].groups.size()));
}

LinkedRows linked_nodes(const Options& options, std::size_t nodes) {
    LinkedRows rows;
    const auto add = [&](const IdPairs& pairs, std::vector<std::pair<Slot, Slot>>& to) {
        for (const auto& [a, b] : pairs.pairs) {
            if (a >= nodes || b >= nodes)
                throw InvalidInput(Reason::bad_option, "a pair names node " + std::to_string(std::max(a, b)) +
                                                           ": there are " + std::to_string(nodes));
            to.emplace_back(static_cast<Slot>(a), static_cast<Slot>(b));
        }
    };
    add(options.must_link, rows.together);
    add(options.cannot_link, rows.opposite);
    return rows;
}

GraphClustering clustered(const Options& options, const Graph& graph, const StreamFormat& format,
                          std::span<const GroupId> groups) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::vector<AttributeColumn> attributes = attribute_columns(options, format);
    const LinkedRows links = linked_nodes(options, graph.nodes);
    const std::size_t constraints = constraint_count(attributes) + links.together.size() + links.opposite.size();
    if (graph.nodes < k + constraints)
        throw InvalidInput(Reason::bad_option, std::to_string(graph.nodes) + " nodes: " + std::to_string(k) +
                                                   " clusters under " + std::to_string(constraints) +
                                                   " constraints need at least as many as both together");
    const std::unique_ptr<Affinity> affinity = graph_affinity(graph);
    NormalisedAffinity m(*affinity);
    const Constraints made = make_constraints(groups, format.attributes.size(), attributes, links, m.inverse_roots());
    Embedding embedding = embed(options, m, made, {}, {options.iterations, options.tolerance, {}}, options.seed);
    const std::vector<float> rows = embedding_rows(embedding.t, k);
    Random random(options.seed, 2);
    Rounding rounded = round_anew({options, *affinity, rows, groups, format, links}, options.starts, random);

    State state = {};
    state.tally = empty_tally(options.clusters, format);
    state.tally.add(rounded.labels, groups.data());
    state.quality = embedding.quality;
    state.operator_applications = embedding.quality.operator_applications;
    state.graph = {graph.nodes, connected_parts(*affinity)};
    state.quality.normalised_cut = normalised_cut(*affinity, rounded.labels, k);
    return {std::move(rounded.labels), state.tally, embedding.solve, Model::figures(options, state)};
}

}  // namespace

GraphClustering cluster_graph(const Options& options, const Graph& graph, std::span<const Attribute> attributes,
                              std::span<const GroupId> groups, int threads) {
    const StreamFormat format{1, {attributes.begin(), attributes.end()}, false};
    check_nodes(options, graph, format, groups);
    check_threads(threads);
    GraphClustering result;
    tbb::task_arena arena(arena_width(threads));
    arena.execute([&] { result = clustered(options, graph, format, groups); });
    return result;
}

}  // namespace fairstream::fair_spectral
