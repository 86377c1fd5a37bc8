#include <fairstream/models/live_front.hpp>

#include <algorithm>
#include <numeric>

#include <tbb/parallel_for.h>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/live_front/options.hpp>
#include <fairstream/numeric/match_labels.hpp>

namespace fairstream::live_front {
namespace {

std::size_t point_count(const Options& options) {
    return std::max({options.kmeans_updates.size(), options.swaps.size(), options.balance_at_least.size()});
}

safairkm::Options options_of(const Options& options, std::size_t i) {
    safairkm::Options point = options.common;
    point.kmeans_updates = options.kmeans_updates.of(i);
    point.swaps = options.swaps.of(i);
    point.balance_at_least = options.balance_at_least.of(i);
    return point;
}

// A scheduled model's state may have been made with other options than those of the moment, of more points.
safairkm::Options options_of_present(const Options& options, std::size_t i) {
    return options_of(options, std::min(i, point_count(options) - 1));
}

template <class List> void check_length(const char* name, const List& list, std::size_t points) {
    if (list.size() == 1 || list.size() == points) return;
    throw InvalidInput(Reason::bad_option, std::string(name) + " = " + number_text(list) + ": there are " +
                                               std::to_string(points) + " points, so it must be one value or " +
                                               std::to_string(points));
}

// Points that are new begin as copies of the published one. Where the published one is no more its clustering goes on
// as the first, so that no label jumps.
void keep_points(const Options& options, State& state) {
    const std::size_t points = point_count(options);
    if (state.published >= points) {
        std::swap(state.points[0], state.points[state.published]);
        state.published = 0;
    }
    const safairkm::State copied = points > state.points.size() ? state.points[state.published] : safairkm::State{};
    state.points.resize(points, copied);
}

// Publishes the point that the options name, its clusters under the names that fit the visible labels best. The state
// is that of the window.
void publish(const Options& options, State& state, const Window& window) {
    const safairkm::State& visible = state.points[state.published];
    state.published = static_cast<std::uint32_t>(options.published);
    safairkm::State& now = state.points[state.published];
    if (now.started && visible.started)
        rename_clusters(now, match_labels(visible.labels, now.labels, now.squares.size()), window);
}

}  // namespace

void check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    const std::size_t points = point_count(options);
    check_length("kmeans_updates", options.kmeans_updates, points);
    check_length("swaps", options.swaps, points);
    check_length("balance_at_least", options.balance_at_least, points);
    if (points > point_limit)
        throw InvalidInput(Reason::bad_option, std::to_string(points) + " operating points: at most " +
                                                   std::to_string(point_limit) + " are kept");
    if (options.common.attribute.size() > 1)
        throw InvalidInput(Reason::bad_option, "attribute = " + number_text(options.common.attribute) +
                                                   ": a front is over the balance of one attribute");
    if (static_cast<std::size_t>(options.published) >= points)
        throw InvalidInput(Reason::bad_option, "published = " + std::to_string(options.published) + ": there are " +
                                                   std::to_string(points) + " points, counted from 0");
    for (std::size_t i = 0; i < points; ++i) safairkm::check(options_of(options, i), format);
}

State start(const Options& options, const Window& window) {
    State state;
    for (std::size_t i = 0; i < point_count(options); ++i)
        state.points.push_back(safairkm::start(options_of(options, i), window));
    state.published = static_cast<std::uint32_t>(options.published);
    return state;
}

namespace {

void verify_shape(const State& state) {
    if (state.points.empty() || state.points.size() > point_limit || state.published >= state.points.size())
        throw InvalidInput(Reason::bad_state, "saved state of live_front: the published point is none of its points");
}

}  // namespace

void verify(const Options& options, const State& state, const StreamFormat& format) {
    verify_shape(state);
    for (std::size_t i = 0; i < state.points.size(); ++i)
        safairkm::verify(options_of_present(options, i), state.points[i], format);
}

void verify(const Options& options, const State& state, const Window& window) {
    verify_shape(state);
    for (std::size_t i = 0; i < state.points.size(); ++i)
        safairkm::verify(options_of_present(options, i), state.points[i], window);
}

void step(const Options& options, State& state, Workspace& workspace, const Window& window, const WindowChange& change,
          StepReport<ClusterId>& report) {
    keep_points(options, state);
    workspace.points.resize(state.points.size());
    workspace.reports.resize(state.points.size());
    tbb::parallel_for(std::size_t{0}, state.points.size(), [&](std::size_t i) {
        workspace.reports[i].solve =
            advance(options_of(options, i), state.points[i], workspace.points[i], window, change);
    });
    const safairkm::Workspace& visible = workspace.points[state.published];
    workspace.slots.assign(visible.journal.begin(), visible.journal.end());
    workspace.before.assign(visible.before.begin(), visible.before.end());
    if (static_cast<int>(state.published) != options.published) {
        // Any label may change: those the step left alone are their own before.
        std::vector<bool> listed(window.size());
        for (const Slot slot : workspace.slots) listed[slot] = true;
        for (Slot slot = 0; slot < window.size(); ++slot)
            if (!listed[slot]) workspace.slots.push_back(slot), workspace.before.push_back(outputs(state)[slot]);
        publish(options, state, window);
    }
    report.changes.clear();
    report.churn = 0;
    report.solve = workspace.reports[state.published].solve;
    if (report.solve.outcome != Outcome::warming)
        list_changes(window, change, {workspace.slots, workspace.before}, outputs(state), {}, report);
}

void adjust(const Options& options, State& state, const Window& window, StepReport<ClusterId>& report) {
    report.changes.clear();
    report.churn = 0;
    const std::vector<ClusterId> before(outputs(state).begin(), outputs(state).end());
    keep_points(options, state);
    if (static_cast<int>(state.published) != options.published) publish(options, state, window);
    if (report.solve.outcome == Outcome::warming) return;
    report.solve.objective = objective(state);
    std::vector<Slot> slots(window.size());
    std::iota(slots.begin(), slots.end(), Slot{0});
    list_changes(window, {}, {slots, before}, outputs(state), {}, report);
}

void refine(const Options& options, State& state, Workspace& workspace, const Window& window, std::int64_t rounds,
            StepReport<ClusterId>& report) {
    workspace.points.resize(state.points.size());
    workspace.reports.resize(state.points.size());
    tbb::parallel_for(std::size_t{0}, state.points.size(), [&](std::size_t i) {
        refine(options_of(options, i), state.points[i], workspace.points[i], window, rounds, workspace.reports[i]);
    });
    std::swap(report, workspace.reports[state.published]);
}

void predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out) {
    predict(options_of_present(options, state.published), state.points[state.published], rows, out);
}

void assign_fair(const Options& options, const State& state, ConstRows rows, std::span<const GroupId> groups,
                 std::span<ClusterId> out) {
    assign_fair(options_of_present(options, state.published), state.points[state.published], rows, groups, out);
}

std::vector<OperatingPoint> front(const Options& options, const State& state) {
    std::vector<OperatingPoint> points;
    for (std::size_t i = 0; i < state.points.size(); ++i) {
        const safairkm::Options point = options_of_present(options, i);
        const safairkm::State& at = state.points[i];
        points.push_back({point.kmeans_updates, point.swaps, point.balance_at_least[0], safairkm::objective(at),
                          at.tally.attributes() == 0 ? 0 : minimum_balance(at.tally, point.attribute[0]),
                          i == state.published});
    }
    return points;
}

}  // namespace fairstream::live_front
