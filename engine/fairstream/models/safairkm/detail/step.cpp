#include <algorithm>
#include <limits>
#include <optional>

#include <fairstream/models/check_attributes.hpp>
#include <fairstream/models/safairkm/detail/mend.hpp>
#include <fairstream/models/safairkm/detail/options.hpp>
#include <fairstream/models/safairkm/detail/rounds.hpp>
#include <fairstream/models/safairkm/detail/updates.hpp>
#include <fairstream/models/safairkm/detail/way_back.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>

namespace fairstream::safairkm {

namespace {

std::size_t group_count(const Options& options, const StreamFormat& format) {
    std::size_t groups = 0;
    for (const int attribute : options.attribute)
        if (!format.attributes.empty()) groups += format.attributes[static_cast<std::size_t>(attribute)].groups.size();
    return groups;
}

// Returns the names of the groups of the balanced attributes, in the order in which lists by group have them.
std::string group_names(const Options& options, const StreamFormat& format) {
    constexpr std::size_t most_named = 16;
    std::string names;
    std::size_t named = 0;
    for (const int attribute : options.attribute)
        for (const std::string& group : format.attributes[static_cast<std::size_t>(attribute)].groups)
            if (++named <= most_named) names += (named == 1 ? "'" : ", '") + group + "'";
    return names + (named > most_named ? ", ..." : "");
}

// Throws unless each list has one value, or one for each attribute, or for each of their groups.
void check_lists(const Options& options, const StreamFormat& format) {
    const auto check_list = [](const char* name, const auto& list, std::size_t wanted, const std::string& what) {
        if (list.size() != 1 && list.size() != wanted)
            throw InvalidInput(Reason::bad_option, std::string(name) + " = " + number_text(list) +
                                                       ": must be one value, or one for each of " +
                                                       std::to_string(wanted) + " " + what);
    };
    // The option that names them is the way to more values.
    const std::string of_attributes =
        options.attribute.size() == 1 ? "attributes: name several by attribute" : "attributes";
    check_list("balance_at_least", options.balance_at_least, options.attribute.size(), of_attributes);
    check_list("parity_at_least", options.parity_at_least, options.attribute.size(), of_attributes);
    check_list("share_delta", options.share_delta, options.attribute.size(), of_attributes);
    if (format.attributes.empty()) return;
    const std::size_t groups = group_count(options, format);
    const std::string of_groups = "groups, " + group_names(options, format);
    check_list("share_at_least", options.share_at_least, groups, of_groups);
    check_list("share_at_most", options.share_at_most, groups, of_groups);
    for (const int group : options.named_groups) {
        const std::string given = "named_groups = " + number_text(options.named_groups);
        if (group >= 0 && static_cast<std::size_t>(group) >= groups)
            throw InvalidInput(Reason::bad_option,
                               given + ": there are " + std::to_string(groups) + " " + of_groups + ", numbered from 0");
        if (std::ranges::count(options.named_groups, group) > 1)
            throw InvalidInput(Reason::bad_option, given + ": " + std::to_string(group) + " is there twice");
    }
}

void check_cells(const Options& options, const StreamFormat& format) {
    std::size_t cells = 1;
    for (const int attribute : options.attribute) {
        if (!format.attributes.empty()) cells *= format.attributes[static_cast<std::size_t>(attribute)].groups.size();
        if (cells > cell_limit)
            throw InvalidInput(Reason::bad_option, "attribute = " + number_text(options.attribute) +
                                                       ": their groups make more than " + std::to_string(cell_limit) +
                                                       " combinations");
    }
}

// Throws for options that the paper's swaps do not know: they are for one attribute and its balance.
void check_paper_swaps(const Options& options) {
    if (options.attribute.size() > 1)
        throw InvalidInput(Reason::bad_option,
                           "swap = nearest is the paper's, for one attribute; several need exact_change");
    Options balance_only = options;
    balance_only.balance_at_least = 0;
    if (has_target(balance_only, 1))
        throw InvalidInput(
            Reason::bad_option,
            "swap = nearest is the paper's, for balance_at_least alone; other targets need exact_change");
}

}  // namespace

void Model::check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    if (const std::string_view option = option_on_groups(options); format.attributes.empty() && !option.empty())
        throw InvalidInput(Reason::bad_option,
                           std::string(option) + " needs groups, and the stream has no protected attribute");
    check_attributes(options.attribute, format);
    check_lists(options, format);
    check_cells(options, format);
    if (options.swap == Swap::nearest) check_paper_swaps(options);
    for (std::size_t j = 0; j < group_count(options, format); ++j)
        if (options.share_at_least.of(j) > options.share_at_most.of(j))
            throw InvalidInput(Reason::bad_option, "share_at_least = " + number_text(options.share_at_least) +
                                                       ": must be at most share_at_most, " +
                                                       number_text(options.share_at_most) + ", for every group");
    if (options.rare_below.size() > 2 || options.rare_below[0] > options.rare_below.of(1))
        throw InvalidInput(
            Reason::bad_option,
            "rare_below = " + number_text(options.rare_below) +
                ": must be one number, or two of which the first, below which a group is left out, is at "
                "most the second, from which it counts again");
    if (options.size_at_most > 0 && options.size_at_least > options.size_at_most)
        throw InvalidInput(Reason::bad_option, "size_at_least = " + std::to_string(options.size_at_least) +
                                                   ": must be at most size_at_most, " +
                                                   std::to_string(options.size_at_most));
}

namespace {

// Candidates on each side of a swap of a model that improves itself: 32 leave Adult at a balance of .45 a tenth of a
// per cent dearer, 128 gain as little more.
constexpr std::size_t candidates_with_effort = 64;

}  // namespace

void run_round(Clustering& c, Solve& solve) {
    const auto swap = [&] {
        if (c.targeted && c.options.swap == Swap::nearest) {
            solve.swaps += swap_until(c, std::vector<double>{c.options.balance_at_least[0]},
                                      std::numeric_limits<std::int64_t>::max());
        } else if (c.targeted) {
            if (c.options.effort > 0) c.look_at(std::max(c.candidate_count(), candidates_with_effort));
            solve.swaps += mend(c);
            // An assignment by prices finds a way where single updates find none.
            if (c.options.effort > 0 && c.falls_short() && c.verdict() == Outcome::stalled) place_anew(c);
        } else {
            // No bound on what swaps give, and nothing taken from one attribute for another.
            const std::vector<double> all(c.cells.attributes(), std::numeric_limits<double>::infinity());
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

namespace {

// Says whether all points may be placed anew for the target.
bool places_points(const Clustering& c) {
    return c.targeted && c.options.effort > 0 && c.options.swap != Swap::nearest;
}

void run_round_of_step(Clustering& c, const Improvement* improvement, std::span<const std::uint8_t> changed,
                       Solve& solve) {
    std::optional<BeforePlacing> before;
    if (places_points(c))
        before.emplace(c);
    else
        c.state.bought_from.clear();
    if (improvement != nullptr) c.adopt(*improvement, changed);
    if (c.options.centre_update == CentreUpdate::exact) c.refresh_centres();
    c.reseed_empty_clusters();
    run_round(c, solve);
    if (!c.state.bought_from.empty() && !c.work.stopped()) try_way_back(c);
    if (before) before->note_price(c);
}

}  // namespace

Solve advance(const Options& options, State& state, Workspace& workspace, const Window& window,
              const WindowChange& change, const Improvement* improvement, std::span<const std::uint8_t> changed,
              const WorkHandle& work) {
    if (options.rare_below.size() > 1) {
        const GroupMasses masses = masses_remembering(window, state.tally);
        const Solve solve =
            advance(without_memory(options, masses), state, workspace, window, change, improvement, changed, work);
        state.tally.remember_counted(groups_to_remember(options, masses));
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
    c.work.settle(c.work_of_looks(change.written.size()));
    if (state.started && state.stale) {
        c.rebook(change);
    } else if (state.started) {
        c.evict(change);
        c.admit(change);
        c.refresh_worn_sums();
    } else {
        for (const Slot slot : change.written) c.note(slot, no_cluster);
        seed_centres(c);
        c.admit_all();
        c.work.settle(c.work_of_looks(window.size()));
        state.started = true;
    }
    state.next_start = 0;
    c.keep_index();
    c.ask();
    // With fewer points than clusters some stay empty, and points with their nearest centre.
    if (few) {
        if (options.centre_update == CentreUpdate::exact) c.refresh_centres();
    } else {
        run_round_of_step(c, improvement, changed, solve);
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
