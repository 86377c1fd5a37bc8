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

State start(const Options& options, const Window& window) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const auto& attributes = window.format().attributes;
    std::vector<int> group_counts;
    for (const Attribute& attribute : attributes) group_counts.push_back(static_cast<int>(attribute.groups.size()));
    const int groups = attributes.empty() ? 1 : group_counts[static_cast<std::size_t>(options.attribute)];
    State state;
    state.sums.assign(k * window.dimensions(), 0);
    state.squares.assign(k, 0);
    state.peaks.assign(k, 0);
    state.centres.assign(k * window.dimensions(), 0);
    state.labels.assign(window.size(), no_cluster);
    state.position.assign(window.size(), 0);
    state.members.assign(k * static_cast<std::size_t>(groups), {});
    state.tally = FairnessTally(options.clusters, group_counts);
    state.generator = Random(options.seed).words();
    return state;
}

double objective(const State& state) {
    const std::size_t k = state.squares.size();
    const std::size_t d = k == 0 ? 0 : state.sums.size() / k;
    double total = 0;
    for (std::size_t l = 0; l < k; ++l) {
        const std::int64_t m = state.tally.size(static_cast<ClusterId>(l));
        if (m == 0) continue;
        double squared_sum = 0;
        for (std::size_t j = 0; j < d; ++j) squared_sum += state.sums[l * d + j] * state.sums[l * d + j];
        total += std::max(0.0, state.squares[l] - squared_sum / static_cast<double>(m));
    }
    return state.tally.total() == 0 ? 0 : total / static_cast<double>(state.tally.total());
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

void report_changes(const Clustering& c, const WindowChange& change, StepReport<ClusterId>& report) {
    const Workspace& w = c.workspace;
    Changes<ClusterId>& changes = report.changes;
    const std::size_t written = change.written.size();
    changes.departed.resize(written);
    changes.departed_from.resize(written);
    changes.ids.resize(w.journal.size());
    changes.before.resize(w.journal.size());
    changes.after.resize(w.journal.size());
    std::size_t arrived = 0, departed = 0, changed = 0, relabelled = 0;
    const auto list = [&](PointId id, ClusterId before, ClusterId after) {
        changes.ids[changed] = id;
        changes.before[changed] = before;
        changes.after[changed] = after;
        changed += before != after;
    };
    // The journal begins with the written slots, in their order.
    for (std::size_t i = 0; i < w.journal.size(); ++i) {
        const Slot slot = w.journal[i];
        const PointId id = c.window.id(slot);
        const ClusterId before = w.before[i];
        if (i < written && change.replaced.ids[i] != id) {
            changes.departed[departed] = change.replaced.ids[i];
            changes.departed_from[departed] = before;
            departed += before != no_cluster;
            ++arrived;
            list(id, no_cluster, c.label(slot));
        } else {
            relabelled += before != c.label(slot);
            list(id, before, c.label(slot));
        }
    }
    changes.departed.resize(departed);
    changes.departed_from.resize(departed);
    changes.ids.resize(changed);
    changes.before.resize(changed);
    changes.after.resize(changed);
    const std::size_t stayed = c.window.size() - arrived;
    report.churn = stayed == 0 ? 0 : static_cast<double>(relabelled) / static_cast<double>(stayed);
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
    report_changes(c, change, report);
}

void verify(const Options& options, const State& state, const Window& window) {
    const auto expect = [](bool holds, const char* what) {
        if (!holds) throw InvalidInput(Reason::bad_state, std::string("saved state of safairkm: ") + what);
    };
    verify(options, state, window.format());
    const State empty = start(options, window);
    const std::size_t k = empty.squares.size();
    expect(state.labels.size() == window.size() && state.position.size() == window.size() &&
               (state.moved.empty() || state.moved.size() == std::size_t{window.capacity()} * k),
           "labels are not those of the window");
    FairnessTally counted = empty.tally;
    std::size_t indexed = 0;
    for (const std::vector<Slot>& array : state.members) indexed += array.size();
    expect(indexed == (state.started && state.indexed ? window.size() : 0),
           "the index arrays do not hold every point once");
    for (Slot slot = 0; slot < window.size(); ++slot) {
        const ClusterId l = state.labels[slot];
        expect(state.started ? l >= 0 && static_cast<std::size_t>(l) < k : l == no_cluster, "a label is out of range");
        if (!state.started) continue;
        counted.add(l, window.groups(slot));
        if (!state.indexed) continue;
        const std::size_t groups = state.members.size() / k;
        const std::size_t group =
            window.attributes() == 0 ? 0 : window.group(slot, static_cast<std::uint32_t>(options.attribute));
        const std::vector<Slot>& array = state.members[static_cast<std::size_t>(l) * groups + group];
        expect(state.position[slot] < array.size() && array[state.position[slot]] == slot,
               "a point is not where its index says");
    }
    expect(counted == state.tally, "the counts are not those of the labels");
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
