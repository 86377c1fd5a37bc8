#include <fairstream/models/fair_spectral/cluster_graph.hpp>

#include <utility>

#include <fairstream/graph_labels/detail/labels.hpp>
#include <fairstream/graph_labels/detail/normalised_cut.hpp>
#include <fairstream/models/detail/run_followed.hpp>
#include <fairstream/models/fair_spectral/detail/embedded.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::fair_spectral {
namespace {

GraphClustering clustered(const Options& options, const Graph& graph, const StreamFormat& format,
                          std::span<const GroupId> groups, const WorkHandle& work) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const Embedded whole = embedded(options, graph, format, groups, work.part(0, share_of_embedding));
    Random random(options.seed, 2);
    WorkDone done(work.part(share_of_embedding, 1, stage_of_labels), work_of_labels(options.starts, graph.nodes));
    RoundingInput input = whole.input(options, format, groups);
    input.done = &done;
    Rounding rounded = round_from_starts(input, options.starts, random);

    State state = {};
    state.tally = empty_tally(options.clusters, format);
    state.tally.add(rounded.labels, groups.data());
    state.quality = whole.embedding.quality;
    state.operator_applications = whole.embedding.quality.operator_applications;
    state.graph = {graph.nodes, count_parts(whole.parts)};
    state.quality.normalised_cut = normalised_cut(*whole.affinity, rounded.labels, k);
    Solve solve = whole.embedding.solve;
    if (work.stopped()) solve.outcome = Outcome::iteration_limit;
    solve.outcome = outcome_of_labels(solve.outcome, targets_of(options), format,
                                      group_totals(groups, format.attributes), graph.nodes, state.tally);
    return {std::move(rounded.labels), state.tally, solve, Model::figures(options, state)};
}

}  // namespace

GraphClustering cluster_graph(const Options& options, const Graph& graph, std::span<const Attribute> attributes,
                              std::span<const GroupId> groups, int threads, const OnProgress& on_progress) {
    const StreamFormat format{1, {attributes.begin(), attributes.end()}, false};
    check_nodes(options, graph, format, groups);
    return run_followed(threads, on_progress,
                        [&](const WorkHandle& work) { return clustered(options, graph, format, groups, work); });
}

}  // namespace fairstream::fair_spectral
