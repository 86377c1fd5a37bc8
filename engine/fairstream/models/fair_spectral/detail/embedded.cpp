#include <fairstream/models/fair_spectral/detail/embedded.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <fairstream/data/detail/graph_affinity.hpp>
#include <fairstream/models/fair_spectral/detail/points.hpp>
#include <fairstream/models/fair_spectral/detail/window_solve.hpp>
#include <fairstream/models/graph_clustering.hpp>
#include <fairstream/numeric/detail/affinity/connected_parts.hpp>

namespace fairstream::fair_spectral {
namespace {

LinkedRows linked_nodes(const Options& options, std::size_t nodes) {
    LinkedRows rows;
    const auto add = [&](const char* option, const IdPairs& pairs, std::vector<std::pair<Slot, Slot>>& to) {
        for (const auto& [a, b] : pairs.pairs) {
            if (a >= nodes || b >= nodes)
                throw InvalidInput(Reason::bad_option,
                                   std::string(option) + ": node " + std::to_string(std::max(a, b)) +
                                       " must be below the number of nodes, " + std::to_string(nodes));
            to.emplace_back(static_cast<Slot>(a), static_cast<Slot>(b));
        }
    };
    add("must_link", options.must_link, rows.together);
    add("cannot_link", options.cannot_link, rows.opposite);
    return rows;
}

void check_room(std::size_t rows, const char* what, std::size_t k, std::size_t constraints) {
    if (rows < k + constraints)
        throw InvalidInput(Reason::bad_option, std::to_string(rows) + what + ": " + std::to_string(k) +
                                                   " clusters under " + std::to_string(constraints) +
                                                   " constraints need at least " + std::to_string(k + constraints));
}

void embed_rows(const Options& options, NormalisedAffinity& m, const Constraints& constraints, const WorkHandle& work,
                Embedded& result) {
    constexpr double fair = 0.7;  // approximate share of the solver's work
    const WorkHandle solving = work.part(share_of_neighbours / share_of_embedding, 1, stage_of_solver);
    result.embedding = embed(options, m, constraints, {},
                             solver_limits(options.iterations, options.tolerance, solving.part(0, fair)), options.seed);
    result.rows = embedding_rows(result.embedding.t, static_cast<std::size_t>(options.clusters));
    result.ungrouped = embed_ungrouped(options, m, constraints, result.embedding, solving.part(fair, 1));
}

}  // namespace

void check_nodes(const Options& options, const Graph& graph, const StreamFormat& format,
                 std::span<const GroupId> groups) {
    fairstream::check_nodes(graph, format, groups);
    Model::check(options, format);
}

Embedded embedded(const Options& options, const Graph& graph, const StreamFormat& format,
                  std::span<const GroupId> groups, const WorkHandle& work) {
    const std::vector<AttributeColumn> attributes = attribute_columns(options, format);
    Embedded result;
    result.links = linked_nodes(options, graph.nodes);
    check_room(graph.nodes, " nodes", static_cast<std::size_t>(options.clusters),
               constraint_count(attributes) + result.links.together.size() + result.links.opposite.size());
    result.weights = graph_affinity(graph);
    result.affinity = result.weights.get();
    result.parts = connected_parts(*result.affinity);
    NormalisedAffinity m(*result.affinity, result.parts);
    const Constraints constraints =
        make_constraints(groups, format.attributes.size(), attributes, result.links, m.inverse_roots());
    embed_rows(options, m, constraints, work, result);
    return result;
}

Embedded embedded(const Options& options, const Window& window, const WorkHandle& work) {
    check_room(window.size(), " points", static_cast<std::size_t>(options.clusters),
               constraint_count(attribute_columns(options, window.format())));
    Embedded result;
    result.links = linked_rows(options, window, window.size());
    work.part(0, 1, stage_of_neighbours).report_progress(0);
    result.affinity = &affinity_of(options, first_bandwidth(options, window), window, result.workspace);
    result.parts = parts_of_graph(options, *result.affinity);
    NormalisedAffinity m(*result.affinity, result.parts);
    embed_rows(options, m, window_constraints(options, window, m.inverse_roots()), work, result);
    return result;
}

}  // namespace fairstream::fair_spectral
