#include <memory>
#include <string>
#include <utility>

#include <fairstream/data/detail/graph_affinity.hpp>
#include <fairstream/models/detail/run_followed.hpp>
#include <fairstream/models/lord/cluster_graph.hpp>
#include <fairstream/models/lord/detail/low_cuts.hpp>
#include <fairstream/models/lord/detail/search.hpp>
#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::lord {
namespace {

GraphClustering clustered(const Options& options, const Graph& graph, const StreamFormat& format,
                          std::span<const GroupId> groups, const WorkHandle& work) {
    work.part(0, 1, stage_of_spectrum).report_progress(0);
    const std::unique_ptr<Affinity> affinity = graph_affinity(graph);
    const Setting setting(options, *affinity, {}, fair_blocks(options, format, groups, graph.nodes));
    const std::vector<ClusterId> parts = connected_parts(*affinity);
    Starts from{options.iterations, std::nullopt, start_count(options, graph.nodes)};
    from.given = low_cut_starts(setting, parts, from.fresh, options.seed);
    Found found = search({options, setting, groups, format}, std::move(from), work.part(share_of_setting, 1));
    State state;
    state.parts = count_parts(parts);
    state.tally = empty_tally(options.clusters, format);
    state.tally.add(found.labels, groups.data());
    found.solve.outcome = outcome_of_labels(found.solve.outcome, targets_of(options), format,
                                            group_totals(groups, format.attributes), graph.nodes, state.tally);
    state.quality = found.quality;
    std::vector<Figure> figures = Model::figures(options, state);
    return {std::move(found.labels), std::move(state.tally), found.solve, std::move(figures),
            std::move(found.memberships)};
}

}  // namespace

GraphClustering cluster_graph(const Options& options, const Graph& graph, std::span<const Attribute> attributes,
                              std::span<const GroupId> groups, int threads, const OnProgress& on_progress) {
    const StreamFormat format{1, {attributes.begin(), attributes.end()}, false};
    check_nodes(graph, format, groups);
    Model::check(options, format);
    if (graph.nodes < static_cast<std::uint32_t>(options.clusters))
        throw InvalidInput(Reason::bad_option, "clusters = " + std::to_string(options.clusters) +
                                                   ": must be at most the number of nodes, " +
                                                   std::to_string(graph.nodes));
    return run_followed(threads, on_progress,
                        [&](const WorkHandle& work) { return clustered(options, graph, format, groups, work); });
}

}  // namespace fairstream::lord
