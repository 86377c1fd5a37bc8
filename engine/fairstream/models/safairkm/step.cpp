#include <algorithm>
#include <limits>

#include <fairstream/models/safairkm/options.hpp>
#include <fairstream/models/safairkm/rounds.hpp>
#include <fairstream/models/safairkm/updates.hpp>

namespace fairstream::safairkm {

void check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    const auto attributes = static_cast<int>(format.attributes.size());
    const bool balances = options.swaps > 0 || options.balance_at_least > 0;
    if (attributes == 0 && balances)
        throw InvalidInput(Reason::bad_option,
                           "the stream has no protected attribute to balance: swaps and balance_at_least must be 0");
    if (options.attribute >= std::max(attributes, 1))
        throw InvalidInput(Reason::bad_option, "attribute = " + std::to_string(options.attribute) +
                                                   ": the stream has " + std::to_string(attributes) +
                                                   " protected attributes, counted from 0");
}

void run_round(Clustering& c, Solve& solve) {
    const bool has_target = c.options.balance_at_least > 0;
    const auto swap = [&] {
        const std::int64_t limit = has_target ? std::numeric_limits<std::int64_t>::max() : c.options.swaps;
        solve.swaps +=
            swap_until(c, has_target ? c.options.balance_at_least : std::numeric_limits<double>::infinity(), limit);
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
    return balance_after(c.counts(c.least_balanced()), none, none) >= c.options.balance_at_least;
}

void step(const Options& options, State& state, Workspace& workspace, const Window& window, const WindowChange& change,
          StepReport<ClusterId>& report) {
    report.changes.clear();
    report.solve = {};
    report.churn = 0;
    if (window.size() < static_cast<std::size_t>(options.clusters)) {
        state.labels.resize(window.size(), no_cluster);
        state.position.resize(window.size(), 0);
        return;
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
    run_round(c, report.solve);
    report.solve.outcome = options.balance_at_least > 0 ? (meets_target(c) ? Outcome::converged : Outcome::stalled)
                                                        : Outcome::iteration_limit;
    report.solve.objective = objective(state);
    list_changes(window, change, c.journal(), state.labels, {}, report);
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
    if (!state.started || options.balance_at_least == 0) return predict(options, state, rows, out);
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t d = state.centres.size() / k;
    // Which clusters take a point of which group does not depend on the point.
    const auto balanced_groups = static_cast<std::size_t>(state.tally.groups(options.attribute));
    std::vector<bool> takes(k * balanced_groups);
    for (std::size_t l = 0; l < k; ++l) {
        const auto counts = state.tally.counts(static_cast<ClusterId>(l), options.attribute);
        const double now = balance_after(counts, none, none);
        for (std::size_t j = 0; j < balanced_groups; ++j) {
            const double after = balance_after(counts, none, static_cast<int>(j));
            takes[l * balanced_groups + j] = after >= options.balance_at_least || after >= now;
        }
    }
    std::vector<float> packed(packed_size(k, d)), away(k + centre_lanes);
    pack_centres(state.centres.data(), k, d, packed.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
        kernels().distances(rows.data() + i * d, d, packed.data(), k, away.data());
        ClusterId fair = no_cluster, nearest = 0;
        for (std::size_t l = 0; l < k; ++l) {
            if (away[l] < away[static_cast<std::size_t>(nearest)]) nearest = static_cast<ClusterId>(l);
            if (takes[l * balanced_groups + groups[i]] &&
                (fair == no_cluster || away[l] < away[static_cast<std::size_t>(fair)]))
                fair = static_cast<ClusterId>(l);
        }
        out[i] = fair == no_cluster ? nearest : fair;
    }
}

}  // namespace fairstream::safairkm
