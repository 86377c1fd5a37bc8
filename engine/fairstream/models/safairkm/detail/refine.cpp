#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <fairstream/fair_kmeans/detail/clustering.hpp>
#include <fairstream/fair_kmeans/detail/rounds.hpp>
#include <fairstream/fair_kmeans/detail/sample.hpp>
#include <fairstream/fair_kmeans/detail/starts.hpp>
#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/models/safairkm/detail/own_targets.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/match_labels.hpp>

namespace fairstream::safairkm {
namespace {

// Renumbers clusters so that as many points as possible keep their label.
void keep_ids(const State& old, State& fresh, const Window& window) {
    rename_clusters(fresh, match_labels(old.labels, fresh.labels, fresh.squares.size()), window);
}

void refine_from_starts(const Options& options, State& state, const Window& window, StepReport<ClusterId>& report,
                        const WorkHandle& work) {
    const bool many =
        window.size() > refine_sample && (options.swaps == 0 || has_target(targets_of(options), window.attributes()));
    const bool is_first = state.next_start == 0;
    int next = static_cast<int>(std::min<std::int64_t>(state.next_start, options.starts));
    Start best = many ? best_start_on_sample(options, state, window, next, work)
                      : best_start_on_all(options, state, window, next, work);
    const bool is_last = next > options.starts;
    // A clustering that meets a target is also a clustering without one, so the plain cost is at most its cost.
    best.state.plain_cost = std::min(best.state.plain_cost, objective(best.state));
    work.report_progress(1);
    if (!is_last) work.note_cut();
    // A start made on a sample, or a start that was interrupted, may give a worse clustering than the present one.
    if ((many || work.stopped() || work.is_cut() || !is_first) && !state.stale) {
        Start before = unchanged_start(options, state, window);
        before.state.plain_cost = best.state.plain_cost;
        before.solve.iterations = best.solve.iterations;
        if (is_better(before, best)) best = std::move(before);
    }
    if (work.stopped() && best.solve.outcome == Outcome::converged) best.solve.outcome = Outcome::iteration_limit;
    best.state.fair_cost = best.state.plain_cost > 0 ? objective(best.state) : 0;
    best.state.prices = std::move(best.prices);
    keep_ids(state, best.state, window);
    best.state.generator = state.generator;
    best.state.steps = state.steps;
    best.state.plain_centres = state.plain_centres;
    best.state.unspent = state.unspent;
    best.state.improvements = state.improvements;
    best.state.next_start = is_last ? 0 : static_cast<std::uint32_t>(next);
    report.solve = best.solve;
    std::vector<Slot> all(window.size());
    std::iota(all.begin(), all.end(), Slot{0});
    list_changes(window, {}, {all, state.labels}, best.state.labels, {}, report);
    std::swap(state, best.state);
}

}  // namespace

void Model::refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                   std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work) {
    report.changes.clear();
    report.solve = {};
    report.churn = 0;
    if (!state.started) return;
    if (window.size() < static_cast<std::size_t>(options.clusters)) return;
    if (options.targets.rare_below.size() > 1) {
        const GroupMasses masses = group_masses(state.tally, state.weight_unit());
        refine(without_memory(options, masses), state, workspace, window, rounds, report, work);
        return state.tally.remember_counted(groups_to_remember(targets_of(options), masses));
    }
    if (rounds == 0) return refine_from_starts(options, state, window, report, work.part(0, 1, "starts"));
    Clustering c(options, state, workspace, window);
    c.work = work;
    if (state.stale) c.evict_and_admit_afresh({});
    c.keep_index();
    for (std::int64_t round = 0; round < rounds; ++round) {
        check_interrupted();
        run_round(c, options.kmeans_updates, report.solve);
        const double share = static_cast<double>(round + 1) / static_cast<double>(rounds);
        if (!work.part(0, 1, "rounds").report_progress(share, round + 1, rounds)) break;
    }
    c.state.plain_cost = c.state.fair_cost = 0;  // these costs are of other points, or of less effort
    // Rounds end because their number is given, whether or not the target is met and more rounds would lower the cost.
    report.solve.outcome =
        c.targeted && c.verdict() == Outcome::unattainable ? Outcome::unattainable : Outcome::iteration_limit;
    report.solve.objective = objective(state);
    list_changes(window, {}, c.journal(), state.labels, {}, report);
}

}  // namespace fairstream::safairkm
