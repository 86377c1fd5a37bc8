#include <algorithm>
#include <limits>

#include <fairstream/models/safairkm/options.hpp>
#include <fairstream/models/safairkm/rounds.hpp>
#include <fairstream/models/safairkm/updates.hpp>

namespace fairstream::safairkm {

void check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    if (format.attributes.empty() && (options.swaps > 0 || has_target(options)))
        throw InvalidInput(Reason::bad_option,
                           "the stream has no protected attribute to balance: swaps and balance_at_least must be 0");
    check_attributes(options.attribute, format);
    std::size_t cells = 1;
    for (const int attribute : options.attribute) {
        if (!format.attributes.empty()) cells *= format.attributes[static_cast<std::size_t>(attribute)].groups.size();
        if (cells > cell_limit)
            throw InvalidInput(Reason::bad_option, "attribute = " + number_text(options.attribute) +
                                                       ": their groups make more than " + std::to_string(cell_limit) +
                                                       " combinations");
    }
    const std::size_t balanced = options.attribute.size(), targets = options.balance_at_least.size();
    if (targets != 1 && targets != balanced)
        throw InvalidInput(Reason::bad_option, "balance_at_least = " + number_text(options.balance_at_least) +
                                                   ": must be one value, or one for each of " +
                                                   std::to_string(balanced) + " attributes");
    if (balanced > 1 && options.swap == Swap::nearest)
        throw InvalidInput(Reason::bad_option,
                           "swap = nearest is the paper's, for one attribute; several need exact_change");
}

void run_round(Clustering& c, Solve& solve) {
    const auto swap = [&] {
        if (has_target(c.options)) {
            solve.swaps += swap_until(c, c.targets, std::numeric_limits<std::int64_t>::max());
        } else {
            // As much as swaps can give, and nothing taken from one attribute for another.
            const std::vector<double> all(c.targets.size(), std::numeric_limits<double>::infinity());
            solve.swaps += swap_until(c, all, c.options.swaps);
        }
    };
    // The authors' code swaps before its k-means batch; with exact means the swaps come last, so that the balance they
    // reach is kept.
    const bool swaps_first = c.options.centre_update == CentreUpdate::paper;
    c.begin_round();
    if (swaps_first) swap();
    solve.moves += revisit(c, c.options.kmeans_updates);
    if (!swaps_first) swap();
    ++solve.iterations;
}

bool meets_target(const Clustering& c) {
    for (std::size_t a = 0; a < c.cells.attributes(); ++a)
        if (c.balance(a) < c.options.balance_at_least.of(a)) return false;
    return true;
}

Solve advance(const Options& options, State& state, Workspace& workspace, const Window& window,
              const WindowChange& change) {
    Solve solve;
    workspace.journal.clear();
    workspace.before.clear();
    if (window.size() < static_cast<std::size_t>(options.clusters)) {
        state.labels.resize(window.size(), no_cluster);
        state.position.resize(window.size(), 0);
        return solve;
    }
    Clustering c(options, state, workspace, window,
                 std::max<std::size_t>(change.written.size(), state.started ? 0 : window.size()));
    if (state.started) {
        c.evict(change);
        c.admit(change);
        c.refresh_worn_sums();
    } else {
        for (const Slot slot : change.written) c.note(slot, no_cluster);
        seed_centres(c);
        c.admit_all();
        state.started = true;
    }
    c.keep_index();
    if (options.centre_update == CentreUpdate::exact) c.refresh_centres();
    c.reseed_empty_clusters();
    run_round(c, solve);
    solve.outcome =
        has_target(options) ? (meets_target(c) ? Outcome::converged : Outcome::stalled) : Outcome::iteration_limit;
    solve.objective = objective(state);
    return solve;
}

void step(const Options& options, State& state, Workspace& workspace, const Window& window, const WindowChange& change,
          StepReport<ClusterId>& report) {
    report.changes.clear();
    report.churn = 0;
    report.solve = advance(options, state, workspace, window, change);
    if (report.solve.outcome != Outcome::warming)
        list_changes(window, change, {workspace.journal, workspace.before}, state.labels, {}, report);
}

void predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out) {
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

void assign_fair(const Options& options, const State& state, ConstRows rows, std::span<const GroupId> groups,
                 std::span<ClusterId> out) {
    if (!state.started || !has_target(options)) return predict(options, state, rows, out);
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t d = state.centres.size() / k, attributes = options.attribute.size();
    // Which clusters take a point of which group does not depend on the point: k x groups for each attribute.
    std::vector<std::vector<bool>> takes(attributes);
    std::vector<std::size_t> widths(attributes);
    for (std::size_t a = 0; a < attributes; ++a) {
        widths[a] = static_cast<std::size_t>(state.tally.groups(options.attribute[a]));
        for (std::size_t l = 0; l < k; ++l) {
            const auto counts = state.tally.counts(static_cast<ClusterId>(l), options.attribute[a]);
            const double now = balance_after(counts, none, none);
            for (std::size_t j = 0; j < widths[a]; ++j) {
                const double after = balance_after(counts, none, static_cast<int>(j));
                takes[a].push_back(after >= options.balance_at_least.of(a) || after >= now);
            }
        }
    }
    const auto all_take = [&](std::size_t l, const GroupId* of) {
        for (std::size_t a = 0; a < attributes; ++a)
            if (!takes[a][l * widths[a] + of[a]]) return false;
        return true;
    };
    std::vector<float> packed(packed_size(k, d)), away(k + centre_lanes);
    pack_centres(state.centres.data(), k, d, packed.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
        kernels().distances(rows.data() + i * d, d, packed.data(), k, away.data());
        ClusterId fair = no_cluster, nearest = 0;
        for (std::size_t l = 0; l < k; ++l) {
            if (away[l] < away[static_cast<std::size_t>(nearest)]) nearest = static_cast<ClusterId>(l);
            if ((fair == no_cluster || away[l] < away[static_cast<std::size_t>(fair)]) &&
                all_take(l, &groups[i * attributes]))
                fair = static_cast<ClusterId>(l);
        }
        out[i] = fair == no_cluster ? nearest : fair;
    }
}

}  // namespace fairstream::safairkm
