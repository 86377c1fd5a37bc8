#include <algorithm>
#include <optional>

#include <fairstream/fair_kmeans/detail/repair.hpp>
#include <fairstream/fair_kmeans/detail/rounds.hpp>
#include <fairstream/fair_kmeans/detail/stored_centres.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>
#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/safairkm/detail/improvement.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/models/safairkm/detail/options.hpp>
#include <fairstream/models/safairkm/detail/own_targets.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::safairkm {

namespace {

// Throws for options that the paper's swaps do not support: these swaps are for one attribute and its balance.
void check_paper_swaps(const Options& options) {
    if (options.targets.attribute.size() > 1)
        throw InvalidInput(
            Reason::bad_option,
            "swap = nearest: supports only one attribute, as in the paper; for several set swap = exact_change");
    Options balance_only = options;
    balance_only.targets.balance_at_least = 0;
    if (has_target(targets_of(balance_only), 1))
        throw InvalidInput(Reason::bad_option,
                           "swap = nearest: supports only balance_at_least, as in the paper; for other targets set "
                           "swap = exact_change");
}

}  // namespace

void Model::check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    const ClusterTargets targets = targets_of(options);
    if (format.attributes.empty() && group_option(options) == "swaps")
        throw InvalidInput(Reason::bad_option, "swaps needs groups, and the stream has no protected attribute");
    check_targets(targets, format);
    if (options.swap == Swap::nearest) check_paper_swaps(options);
}

namespace {

// Returns whether all points may be placed anew for the target.
bool places_points(const Clustering& c) {
    return c.targeted && c.options.effort > 0 && c.options.swap != Swap::nearest;
}

void run_round_of_step(Clustering& c, std::size_t arrived, const Improvement* improvement,
                       std::span<const std::uint8_t> changed, Solve& solve) {
    std::optional<BeforePlacing> before;
    if (places_points(c))
        before.emplace(c);
    else
        c.state.centres_before_placing.clear();
    if (improvement != nullptr) c.adopt(*improvement, changed);
    if (c.options.centre_update == CentreUpdate::exact) c.refresh_centres();
    c.reseed_empty_clusters();
    follow_in_step(c, arrived);
    // Following the window and the search gain more than revisits for the same work.
    run_round(c, improves_itself(c.options, c.window) ? 0 : c.options.kmeans_updates, solve);
    if (!c.state.centres_before_placing.empty() && !c.work.stopped()) try_stored_centres(c);
    if (before) before->store_if_costlier(c);
}

}  // namespace

Solve advance(const Options& options, State& state, Workspace& workspace, const Window& window,
              const WindowChange& change, const Improvement* improvement, std::span<const std::uint8_t> changed,
              const WorkHandle& work) {
    if (options.targets.rare_below.size() > 1) {
        const GroupMasses masses = masses_with_memory(window, state.tally);
        const Solve solve =
            advance(without_memory(options, masses), state, workspace, window, change, improvement, changed, work);
        state.tally.remember_counted(groups_to_remember(targets_of(options), masses));
        return solve;
    }
    state.tally.remember_counted({});
    Solve solve;
    workspace.journal.clear();
    workspace.before.clear();
    const bool few = window.size() < static_cast<std::size_t>(options.clusters);
    if (few && !state.started) {
        state.labels.resize(window.size(), no_cluster);
        state.position.resize(window.size(), 0);
        return solve;
    }
    Clustering c(options, state, workspace, window,
                 std::max<std::size_t>(change.written.size(), state.started ? 0 : window.size()));
    c.work = work;
    c.work.settle(c.work_of_visits(change.written.size()));
    if (state.started && state.stale) {
        c.evict_and_admit_afresh(change);
    } else if (state.started) {
        c.evict(change);
        c.steer(change.written.size());
        c.admit(change);
        c.recompute_inaccurate_sums();
    } else {
        for (const Slot slot : change.written) c.note(slot, no_cluster);
        seed_centres(c);
        c.admit_all();
        c.work.settle(c.work_of_visits(window.size()));
        state.started = true;
    }
    state.next_start = 0;
    c.keep_index();
    c.set_demands();
    c.charge_changes();
    // With fewer points than clusters, some clusters stay empty, and points stay with their nearest centre.
    if (few) {
        if (options.centre_update == CentreUpdate::exact) c.refresh_centres();
    } else {
        grant(c, change.written.size());
        run_round_of_step(c, change.written.size(), improvement, changed, solve);
        watch_cost(c);
    }
    solve.outcome = c.targeted ? c.verdict() : Outcome::iteration_limit;
    solve.objective = Model::objective(state);
    return solve;
}

void Model::step(const Options& options, State& state, Workspace& workspace, const Window& window,
                 const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work) {
    report.changes.clear();
    report.churn = 0;
    report.solve = advance(options, state, workspace, window, change, nullptr, {}, work);
    if (report.solve.outcome != Outcome::warming)
        list_changes(window, change, {workspace.journal, workspace.before}, state.labels, {}, report);
}

void Model::step(const Options& options, State& state, Workspace& workspace, const Window& window,
                 const WindowChange& change, const Improvement& improvement, std::span<const std::uint8_t> changed,
                 StepReport<ClusterId>& report, const WorkHandle& work) {
    report.changes.clear();
    report.churn = 0;
    report.solve = advance(options, state, workspace, window, change, &improvement, changed, work);
    if (report.solve.outcome != Outcome::warming)
        list_changes(window, change, {workspace.journal, workspace.before}, state.labels, {}, report);
}

State Model::without_points(const State& state) {
    State part;
    part.centres = state.centres;
    part.tally = state.tally;
    part.unit = state.unit;
    part.started = state.started;
    return part;
}

void Model::predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out) {
    if (!state.started) {
        std::ranges::fill(out, no_cluster);
        return;
    }
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t d = state.centres.size() / k;
    std::vector<float> packed(packed_size(k, d));
    pack_centres(state.centres.data(), k, d, packed.data());
    kernels().assign(rows.data(), out.size(), d, packed.data(), k, out.data());
}

}  // namespace fairstream::safairkm
