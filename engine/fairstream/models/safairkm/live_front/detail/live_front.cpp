#include <fairstream/models/safairkm/live_front/detail/model.hpp>

#include <algorithm>
#include <numeric>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/safairkm/live_front/detail/options.hpp>
#include <fairstream/models/verify_state.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/match_labels.hpp>
#include <fairstream/targets/check_attributes.hpp>

namespace fairstream::live_front {
namespace {

std::size_t point_count(const Options& options) {
    return std::max({options.kmeans_updates.size(), options.swaps.size(), options.balance_at_least.size()});
}

safairkm::Options options_of(const Options& options, std::size_t i) {
    safairkm::Options point = options.common;
    point.kmeans_updates = options.kmeans_updates.of(i);
    point.swaps = options.swaps.of(i);
    point.targets.balance_at_least = options.balance_at_least.of(i);
    // Up to four operating points each spend as much work as one model; five or more share the work of four.
    constexpr double together = 4;
    point.effort = options.common.effort * std::min(1.0, together / static_cast<double>(point_count(options)));
    if (point.targets.parity_at_least == OneOrMore<double>(automatic)) point.targets.parity_at_least = 0;
    return point;
}

// Throws `InvalidInput` unless every list has one value for all operating points, or one for each; `why` completes the
// text.
void check_lengths(const Options& options, std::size_t points, const std::string& why) {
    const auto check_one = [&](const char* name, const auto& list) {
        if (list.size() == 1 || list.size() == points) return;
        throw InvalidInput(Reason::bad_option, std::string(name) + " = " + number_text(list) + ": there are " +
                                                   std::to_string(points) + why);
    };
    check_one("kmeans_updates", options.kmeans_updates);
    check_one("swaps", options.swaps);
    check_one("balance_at_least", options.balance_at_least);
}

TradeOff trade_off(const Options& options, const safairkm::State& state) {
    const int attribute = options.common.targets.attribute[0];
    return {safairkm::Model::objective(state),
            state.tally.attributes() == 0 ? 0 : minimum_balance(state.tally, attribute)};
}

// Returns the cheapest operating point that dominates the i-th and would meet the target of the i-th; i itself if no
// such point is cheaper by a worthwhile share.
std::size_t dominator(const Options& options, const std::vector<TradeOff>& points, std::size_t i) {
    constexpr double worthwhile = 1e-3;  // relative to the cost: copying has a cost, and labels may jump
    std::size_t best = i;
    for (std::size_t j = 0; j < points.size(); ++j) {
        const bool meets = points[j].balance >= std::max(points[i].balance, options.balance_at_least.of(i));
        if (meets && points[j].cost < points[i].cost * (1 - worthwhile) && points[j].cost < points[best].cost) best = j;
    }
    return best;
}

// Replaces each dominated operating point by its `dominator`. A point that is copied in this call is not replaced in
// it: a dominator of the copied point would also dominate the replaced one, more cheaply, and would have been chosen
// instead. Returns whether the published point now has another clustering; its former labels are then in the workspace.
bool replace_dominated(const Options& options, State& state, Workspace& workspace) {
    constexpr std::uint64_t interval = 8;
    if (options.dominated == Dominated::keep || !state.points[0].started || state.points[0].steps % interval != 0)
        return false;
    workspace.trade_offs.clear();
    for (const safairkm::State& point : state.points) workspace.trade_offs.push_back(trade_off(options, point));
    bool published = false;
    for (std::size_t i = 0; i < state.points.size(); ++i) {
        const std::size_t from = dominator(options, workspace.trade_offs, i);
        if (from == i) continue;
        if (i == state.published) workspace.visible.assign(Model::outputs(state).begin(), Model::outputs(state).end());
        const auto generator = state.points[i].generator;
        state.points[i] = state.points[from];
        state.points[i].generator = generator;
        ++state.points[i].improvements;  // the improvement of its last snapshot no longer applies
        published = published || i == state.published;
    }
    return published;
}

// Adds all slots that are not in the journal, with their visible labels. Any label may change, and slots that the step
// did not touch had their visible label before.
void list_unjournalled_slots(Workspace& workspace) {
    std::vector<bool> listed(workspace.visible.size());
    for (const Slot slot : workspace.slots) listed[slot] = true;
    for (Slot slot = 0; slot < listed.size(); ++slot)
        if (!listed[slot]) workspace.slots.push_back(slot), workspace.before.push_back(workspace.visible[slot]);
}

// Renames the clusters of the published operating point to match the formerly visible labels best. The state must be
// that of the window.
void rename_to_match(std::span<const ClusterId> visible, State& state, const Window& window) {
    safairkm::State& now = state.points[state.published];
    if (now.started) rename_clusters(now, match_labels(visible, now.labels, now.squares.size()), window);
}

}  // namespace

void Model::check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    const std::size_t points = point_count(options);
    check_lengths(options, points, " operating points: must be one value or " + std::to_string(points));
    if (points > point_limit)
        throw InvalidInput(Reason::bad_option, std::to_string(points) + " operating points: must be at most " +
                                                   std::to_string(point_limit));
    if (options.common.targets.attribute.size() > 1)
        throw InvalidInput(Reason::bad_option,
                           "attribute = " + attribute_names(options.common.targets.attribute, format) +
                               ": must be a single attribute, which the front balances");
    if (static_cast<std::size_t>(options.published) >= points)
        throw InvalidInput(Reason::bad_option, "published = " + std::to_string(options.published) + ": there are " +
                                                   std::to_string(points) + " operating points, counted from 0");
    for (std::size_t i = 0; i < points; ++i) safairkm::Model::check(options_of(options, i), format);
}

namespace {

template <class OfPoint> WorkEstimate work_of_points(const Options& options, const OfPoint& of_point) {
    WorkEstimate sum;
    for (std::size_t i = 0; i < point_count(options); ++i) sum = sum_of({of_point(options_of(options, i)), sum});
    return sum;
}

}  // namespace

WorkEstimate Model::step_work(const Options& options, const StreamFormat& format, std::uint64_t points,
                              std::uint64_t retained) {
    return work_of_points(options, [&](const safairkm::Options& point) {
        return safairkm::Model::step_work(point, format, points, retained);
    });
}

WorkEstimate Model::refine_work(const Options& options, const StreamFormat& format, std::int64_t rounds,
                                std::uint64_t retained) {
    return work_of_points(options, [&](const safairkm::Options& point) {
        return safairkm::Model::refine_work(point, format, rounds, retained);
    });
}

safairkm::Options published_options(const Options& options) {
    return options_of(options, static_cast<std::size_t>(options.published));
}

void Model::check_change(const Options& now, const Options& changed) {
    const std::size_t points = point_count(now);
    check_lengths(changed, points, " operating points, whose number cannot change while running");
    if (point_count(changed) != points)
        throw InvalidInput(Reason::bad_option, "one value for all would leave fewer than " + std::to_string(points) +
                                                   " operating points, whose number cannot change while running");
}

State Model::start(const Options& options, const Window& window) {
    State state;
    for (std::size_t i = 0; i < point_count(options); ++i)
        state.points.push_back(safairkm::Model::start(options_of(options, i), window));
    state.published = static_cast<std::uint32_t>(options.published);
    return state;
}

namespace {

constexpr StateCheck expect(Model::name);

void verify_shape(const Options& options, const State& state) {
    expect(state.points.size() == point_count(options) && state.published < state.points.size(),
           "its points do not match the options");
}

}  // namespace

void Model::verify(const Options& options, const State& state, const StreamFormat& format) {
    verify_shape(options, state);
    for (std::size_t i = 0; i < state.points.size(); ++i)
        safairkm::Model::verify(options_of(options, i), state.points[i], format);
}

void Model::verify(const Options& options, const State& state, const Window& window) {
    verify_shape(options, state);
    for (std::size_t i = 0; i < state.points.size(); ++i)
        safairkm::Model::verify(options_of(options, i), state.points[i], window);
}

namespace {

// `improvement` may be null.
void step_points(const Options& options, State& state, Workspace& workspace, const Window& window,
                 const WindowChange& change, const Improvement* improvement, std::span<const std::uint8_t> changed,
                 StepReport<ClusterId>& report, const WorkHandle& work) {
    workspace.points.resize(state.points.size());
    workspace.reports.resize(state.points.size());
    {
        WorkShares shares(work, state.points.size());
        parallel_for(std::size_t{0}, state.points.size(), [&](std::size_t i) {
            workspace.reports[i].solve =
                advance(options_of(options, i), state.points[i], workspace.points[i], window, change,
                        improvement == nullptr ? nullptr : &improvement->points[i], changed, shares[i]);
        });
    }
    const safairkm::Workspace& visible = workspace.points[state.published];
    workspace.slots.assign(visible.journal.begin(), visible.journal.end());
    workspace.before.assign(visible.before.begin(), visible.before.end());
    const bool switched = static_cast<int>(state.published) != options.published;
    if (switched) workspace.visible.assign(Model::outputs(state).begin(), Model::outputs(state).end());
    const bool replaced = replace_dominated(options, state, workspace);
    state.published = static_cast<std::uint32_t>(options.published);
    if (switched || replaced) {
        list_unjournalled_slots(workspace);
        rename_to_match(workspace.visible, state, window);
    }
    report.changes.clear();
    report.churn = 0;
    report.solve = workspace.reports[state.published].solve;
    if (report.solve.outcome != Outcome::warming)
        list_changes(window, change, {workspace.slots, workspace.before}, Model::outputs(state), {}, report);
}

}  // namespace

void Model::step(const Options& options, State& state, Workspace& workspace, const Window& window,
                 const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work) {
    step_points(options, state, workspace, window, change, nullptr, {}, report, work);
}

void Model::step(const Options& options, State& state, Workspace& workspace, const Window& window,
                 const WindowChange& change, const Improvement& improvement, std::span<const std::uint8_t> changed,
                 StepReport<ClusterId>& report, const WorkHandle& work) {
    const bool whole = improvement.points.size() == state.points.size();
    step_points(options, state, workspace, window, change, whole ? &improvement : nullptr, changed, report, work);
}

ImprovementIntervals Model::improvement_intervals(const Options& options, const State& state, const Window& window) {
    ImprovementIntervals shortest;
    for (std::size_t i = 0; i < state.points.size(); ++i) {
        const ImprovementIntervals own =
            safairkm::Model::improvement_intervals(options_of(options, i), state.points[i], window);
        if (own.begin > 0 && (shortest.begin == 0 || own.begin < shortest.begin)) shortest = own;
    }
    return shortest;
}

Improvement Model::improve(const Options& options, State& state, const Window& window,
                           std::vector<safairkm::ImprovementMemory>& memory, const WorkHandle& work) {
    Improvement improvement;
    memory.resize(state.points.size());
    improvement.points.resize(state.points.size());
    WorkShares shares(work, state.points.size());
    parallel_for(std::size_t{0}, state.points.size(), [&](std::size_t i) {
        improvement.points[i] =
            safairkm::Model::improve(options_of(options, i), state.points[i], window, memory[i], shares[i]);
    });
    return improvement;
}

void Model::verify(const Options& options, const Improvement& improvement, const Window& window) {
    for (std::size_t i = 0; i < improvement.points.size(); ++i)
        safairkm::Model::verify(options_of(options, std::min(i, point_count(options) - 1)), improvement.points[i],
                                window);
}

void Model::adjust(const Options& options, State& state, const Window& window, StepReport<ClusterId>& report) {
    report.changes.clear();
    report.churn = 0;
    if (static_cast<int>(state.published) == options.published) return;
    const std::vector<ClusterId> before(Model::outputs(state).begin(), Model::outputs(state).end());
    state.published = static_cast<std::uint32_t>(options.published);
    rename_to_match(before, state, window);
    if (report.solve.outcome == Outcome::warming) return;
    report.solve.objective = Model::objective(state);
    std::vector<Slot> slots(window.size());
    std::iota(slots.begin(), slots.end(), Slot{0});
    list_changes(window, {}, {slots, before}, Model::outputs(state), {}, report);
}

void Model::refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                   std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work) {
    workspace.points.resize(state.points.size());
    workspace.reports.resize(state.points.size());
    WorkShares shares(work, state.points.size());
    parallel_for(std::size_t{0}, state.points.size(), [&](std::size_t i) {
        safairkm::Model::refine(options_of(options, i), state.points[i], workspace.points[i], window, rounds,
                                workspace.reports[i], shares[i]);
    });
    std::swap(report, workspace.reports[state.published]);
}

State Model::without_points(const State& state) {
    State part{.points = std::vector<safairkm::State>(state.points.size()), .published = state.published};
    part.points[part.published] = safairkm::Model::without_points(state.points[state.published]);
    return part;
}

void Model::predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out) {
    safairkm::Model::predict(options_of(options, state.published), state.points[state.published], rows, out);
}

void Model::assign_fair(const Options& options, const State& state, const StreamFormat& format, ConstRows rows,
                        std::span<const GroupId> groups, std::span<ClusterId> out) {
    safairkm::Model::assign_fair(options_of(options, state.published), state.points[state.published], format, rows,
                                 groups, out);
}

std::vector<OperatingPoint> Model::front(const Options& options, const State& state) {
    std::vector<OperatingPoint> points;
    for (std::size_t i = 0; i < state.points.size(); ++i) {
        const safairkm::Options point = options_of(options, i);
        const safairkm::State& at = state.points[i];
        const auto [cost, balance] = trade_off(options, at);
        points.push_back({point.kmeans_updates, point.swaps, point.targets.balance_at_least[0], cost, balance,
                          i == state.published});
    }
    return points;
}

}  // namespace fairstream::live_front
