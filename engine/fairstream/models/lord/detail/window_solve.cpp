#include <fairstream/models/lord/detail/window_solve.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fairstream/models/lord/detail/low_cuts.hpp>
#include <fairstream/models/lord/detail/search.hpp>
#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/affinity/neighbour_graph.hpp>
#include <fairstream/numeric/detail/affinity/weighted.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::lord {
namespace {

// Relative improvement of the objective from which fresh starts are taken.
constexpr double clearly_better = 1e-2;
// Probabilities are level if n ||V||^2 differs from 1 by at most this.
constexpr double level_within = 1e-3;
// Besides continued clusters, one start is made for this many starts of the options.
constexpr int starts_per_added_start = 4;

// Returns V of the present points, near Omega(mu). New rows are the means of their neighbours' rows, weighted by
// similarity; a row without a known neighbour is level.
Matrix extended(const State& state, const Setting& setting, const Window& window, const WindowChange& change,
                double mass_before) {
    const std::size_t n = window.size(), k = state.v.cols;
    Matrix known(n, k + 1);  // V, and in the last column 1 if the row is known
    const auto keep = [&](std::size_t from, std::size_t to) {
        std::copy_n(state.v.row(from), k, known.row(to));
        known.at(to, k) = 1;
    };
    for (std::size_t i = 0; i < std::min<std::size_t>(n, state.v.rows); ++i) keep(i, i);
    std::vector<Slot> fresh;
    for (const Slot slot : change.written.first(change.occupied_count(window.size()))) {
        std::fill_n(known.row(slot), known.cols, 0.0);
        fresh.push_back(slot);
    }
    for (const SlotMove& move : change.moved)
        if (move.to < n && move.from < state.v.rows) keep(move.from, move.to);
    std::erase_if(fresh, [&](Slot slot) { return known.at(slot, k) != 0; });
    Matrix sums;
    setting.affinity.multiply_rows(fresh, known, sums);
    Matrix v = columns(known, 0, k);
    const double factor = mass_before / setting.marginals.mass();
    for (double& value : v.values) value *= factor;
    for (std::size_t i = 0; i < fresh.size(); ++i)
        for (std::size_t j = 0; j < k; ++j)
            v.at(fresh[i], j) =
                sums.at(i, k) > 0 ? factor * sums.at(i, j) / sums.at(i, k) : setting.mu[j] / setting.marginals.mass();
    return v;
}

}  // namespace

const PointAffinity& graph_of(const Window& window, std::size_t neighbours, Workspace& workspace) {
    return workspace.of(window, neighbours,
                        [](std::size_t q) { return std::make_unique<NeighbourGraph>(q, EdgeWeights{}); });
}

State solved(const Options& given, const State& state, Workspace& workspace, const Window& window,
             const WindowChange& change, const Work& work, Solve& solve) {
    const GroupMasses masses = masses_with_memory(window, state.tally);
    Options options = given;
    options.targets = without_memory(targets_of(given), masses);
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t n = window.size();
    const PointBatch points = window.points();
    work.handle.part(0, 1, "neighbours").report_progress(0);
    const PointAffinity& graph = graph_of(window, static_cast<std::size_t>(options.neighbours), workspace);
    work.handle.part(share_of_setting / 2, 1, stage_of_spectrum).report_progress(0);
    const std::vector<double> weights = weights_in_units(window);
    std::optional<WeightedAffinity> weighted;
    if (!weights.empty()) weighted.emplace(graph, weights, true);
    const Affinity& affinity = weighted ? static_cast<const Affinity&>(*weighted) : graph;
    const bool grown = !state.started || n >= 2 * state.settled_at;
    const auto every = static_cast<std::uint64_t>(options.fresh_every);
    // No step leaves level probabilities, where the gradient is the same in all columns; fresh starts do.
    const bool level = state.started && state.quality.block_diagonality * static_cast<double>(k) < 1 + level_within;
    const bool adds_fresh_starts =
        !grown && !work.with_fresh_starts && (level || (every > 0 && state.steps % every == every - 1));
    // The smallest eigenvalues take longer than a warm step, and hardly change between steps.
    const double known_tau2 = grown || work.with_fresh_starts || adds_fresh_starts ? 0 : state.tau2;
    const Setting setting(options, affinity, weights, fair_blocks(options, window.format(), points.groups, n),
                          known_tau2);

    work.handle.settle(work_of_setting(options, window.dimensions(), static_cast<double>(change.written.size()),
                                       static_cast<double>(n)));
    const int starts = grown || work.with_fresh_starts ? start_count(options, n)
                       : adds_fresh_starts
                           ? (start_count(options, n) + starts_per_added_start - 1) / starts_per_added_start
                           : 0;
    Starts from{work.iterations, std::nullopt, starts, grown || work.with_fresh_starts ? 0 : clearly_better,
                state.steps};
    const std::vector<ClusterId> parts = connected_parts(graph);
    if (starts > 0)
        from.given = low_cut_starts(setting, parts, starts, options.seed,
                                    work.handle.part(share_of_setting, share_of_setting, stage_of_spectrum),
                                    work_of_eigensolver(options, static_cast<double>(n)));
    if (state.started) from.start = extended(state, setting, window, change, state.mass);
    Found found = search({options, setting, points.groups, window.format()}, std::move(from),
                         work.handle.part(share_of_setting, 1));
    solve = found.solve;

    State next;
    next.means.assign(k * window.dimensions(), 0);
    take_means(window.features(0), n, window.dimensions(), found.labels, k, next.means, window.weights());
    next.tally = empty_tally(options.clusters, window.format());
    next.tally.add(found.labels, points.groups.data(), window.weights());
    next.anchors = graph.anchors(workspace.points, found.memberships, weights);
    solve.outcome = outcome_of_labels(solve.outcome, targets_of(options), window, next.tally);
    next.tally.remember_counted(groups_to_remember(targets_of(given), masses));
    next.labels = std::move(found.labels);
    next.quality = found.quality;
    next.v = std::move(found.v);
    next.mass = setting.marginals.mass();
    next.tau2 = options.method == Method::b_lord && options.tau == tau2 ? setting.problem.tau : 0;
    next.parts = count_parts(parts);
    next.settled_at = grown || work.with_fresh_starts ? n : state.settled_at;
    next.steps = state.steps + 1;
    next.started = true;
    return next;
}

}  // namespace fairstream::lord
