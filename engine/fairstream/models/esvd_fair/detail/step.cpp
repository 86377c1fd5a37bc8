#include <algorithm>
#include <cmath>

#include <fairstream/models/esvd_fair/detail/find_solution.hpp>
#include <fairstream/models/esvd_fair/detail/options.hpp>
#include <fairstream/models/list_changes.hpp>

namespace fairstream::esvd_fair {
namespace {

// Points that came or left: the last layer's inputs followed by the target, groups, weights.
struct Points {
    std::vector<float> rows, targets;
    std::vector<GroupId> groups;
    std::vector<double> weights;

    void add(const float* features, std::size_t dimensions, float target, GroupId group, double weight) {
        rows.insert(rows.end(), features, features + dimensions);
        targets.push_back(target);
        groups.push_back(group);
        weights.push_back(weight);
    }
};

struct Exchange {
    Points left, came;
    std::vector<Slot> slots;  // slots of the points that came
};

Exchange exchange_of(const Options& options, const State& state, const Window& window, const WindowChange& change) {
    Exchange exchange;
    const std::size_t d = window.dimensions(), a = state.attributes, at = static_cast<std::size_t>(options.attribute);
    const PointBatch& replaced = change.replaced;
    for (std::size_t i = 0; i < change.written.size(); ++i)
        if (replaced.ids[i] != no_point)
            exchange.left.add(&replaced.features[i * d], d, replaced.targets.empty() ? 0 : replaced.targets[i],
                              a == 0 ? GroupId{0} : replaced.groups[i * a + at],
                              replaced.weights.empty() ? 1 : replaced.weights[i]);
    for (std::size_t i = 0; i < change.occupied_count(window.size()); ++i) {
        const Slot slot = change.written[i];
        exchange.slots.push_back(slot);
        exchange.came.add(window.features(slot), d, window.format().has_targets ? window.target(slot) : 0,
                          a == 0 ? GroupId{0} : window.group(slot, static_cast<std::uint32_t>(at)),
                          window.weight(slot));
    }
    return exchange;
}

// Returns whether the rounding errors of all removed points may have changed an entry by more than a ten-thousandth of
// the largest.
bool are_inaccurate(const GroupMoments& moments) {
    constexpr double most = 1e-4;
    for (std::size_t g = 0; g < moments.groups(); ++g) {
        const Moments& of = moments.of(g);
        double largest = 0;
        for (std::size_t j = 0; j < of.mean.size(); ++j) largest = std::max(largest, of.scatter.at(j, j));
        if (of.rounding > most * largest) return true;
    }
    return false;
}

// Updates the moments for points that came and points that left, and predicts the points that came.
void follow(const Options& options, const Window& window, const WindowChange& change, const Exchange& exchange,
            State& state) {
    const std::size_t p = state.network.layers.back().weights.cols;
    const std::vector<float> came = last_inputs(state.network, exchange.came.rows);
    if (state.is_stale || are_inaccurate(state.moments)) {
        sum_moments(options, window, state);
    } else {
        const std::vector<float> left = last_inputs(state.network, exchange.left.rows);
        state.moments.remove(
            {with_targets(left, p, exchange.left.targets), exchange.left.groups, exchange.left.weights});
        state.moments.add({with_targets(came, p, exchange.came.targets), exchange.came.groups, exchange.came.weights});
    }
    state.predictions.resize(window.size(), no_score);
    const std::vector<float> predicted = Evaluation(state.network, state.network.layers.size() - 1)(came);
    for (std::size_t i = 0; i < exchange.slots.size(); ++i)
        state.predictions[exchange.slots[i]] = prediction_of(predicted[i]);
    std::vector<Slot> moved_to;  // slots of points that did not come but moved
    for (const SlotMove& move : change.moved) moved_to.push_back(move.to);
    std::ranges::sort(moved_to);
    const double unit = window.weight_unit();
    for (std::size_t i = 0; i < exchange.slots.size(); ++i) {
        const GroupId group = exchange.came.groups[i];
        if (std::ranges::binary_search(moved_to, exchange.slots[i])) continue;
        const double weight = exchange.came.weights[i] / unit;
        state.solution.points += weight;
        state.solution.since_alarm += weight;
        if (group >= state.known_groups || options.false_alarms == 0) continue;
        const Score prediction = prediction_of(predicted[i]);
        const double distance = std::clamp(prediction - state.centres[group], -1e15, 1e15);
        state.outputs[group].add(prediction, weight);
        state.squares[group].add(distance * distance, weight);
        if (window.format().has_targets) state.errors[group].add(double{exchange.came.targets[i]} - prediction, weight);
    }
}

// Returns whether a group's predictions, their spread or errors changed by more than sampling explains.
bool has_changed(const Options& options, const State& state) {
    if (options.false_alarms == 0) return false;
    const double chance = options.false_alarms / static_cast<double>(3 * state.known_groups);
    const auto changed = [&](const ChangeDetector& detector) { return detector.changed(chance).has_value(); };
    return std::ranges::any_of(state.outputs, changed) || std::ranges::any_of(state.squares, changed) ||
           std::ranges::any_of(state.errors, changed);
}

// Returns whether a new solution is due, and plans further solutions. When a change or a new group is noticed, few
// points of the window came after it; each later solution sees more of them.
bool is_due(const Options& options, const Window& window, State& state) {
    constexpr double first_again = 1.0 / 16;  // share of the window before the next solution
    Solution& solution = state.solution;
    const bool changed = has_changed(options, state);
    if (changed || compared_groups(state) > solution.groups) {
        solution.alarms += changed;
        solution.since_alarm = 0;
        solution.next = first_again * window.size();
        return true;
    }
    if (solution.next == 0 || solution.since_alarm < solution.next) return false;
    while (solution.next != 0 && solution.next <= solution.since_alarm)
        solution.next = solution.next < window.capacity() ? 2 * solution.next : 0;
    return true;
}

// Share of training in the work if a search for limits that meet `ks_at_most` follows; without a search it is 1.
constexpr double share_before_limits = 0.7;
double share_of_training(const Options& options) {
    return options.ks_at_most < 1 ? share_before_limits : 1;
}

void fill_report(const Options& options, const State& state, bool solved, const WorkHandle& work, Solve& report) {
    report = {};
    const Solution& solution = state.solution;
    const bool is_missed =
        solution.is_left ||
        (options.ks_at_most < 1 && std::max(solution.held_back.ks, solution.after.ks) > options.ks_at_most);
    report.outcome = is_missed ? Outcome::stalled : work.stopped() ? Outcome::iteration_limit : Outcome::converged;
    report.iterations = solved;
    report.objective = Model::objective(state);
}

std::uint64_t least_points_to_start(const Options& options, const Window& window) {
    return std::min<std::uint64_t>(options.start_after, window.capacity());
}

// Starts with the given network, or with a trained one.
void begin(const Options& options, const Window& window, State& state, const WorkHandle& work) {
    const double trained = options.network.has_value() ? 0 : share_of_training(options);
    state.base = options.network.has_value() ? *options.network
                                             : trained_on(options, window, {}, options.epochs, work.part(0, trained));
    state.network = state.base;
    state.started = true;
    sum_moments(options, window, state);
    find_solution(options, window, state, work.part(trained, 1));
    if (window.size() < window.capacity()) state.solution.next = window.size();
}

void list_everything(const Window& window, const WindowChange& change, std::span<const Score> before,
                     const State& state, StepReport<Score>& report) {
    list_all_changes<Score>(window, change, before, state.predictions, report);
}

void solve_and_list(const Options& options, const Window& window, State& state, StepReport<Score>& report,
                    const WorkHandle& work) {
    const std::vector<Score> before = state.predictions;
    find_solution(options, window, state, work);
    list_everything(window, {}, before, state, report);
    fill_report(options, state, true, work, report.solve);
}

}  // namespace

void Model::step(const Options& options, State& state, Workspace&, const Window& window, const WindowChange& change,
                 StepReport<Score>& report, const WorkHandle& work) {
    if (!state.started) {
        if (window.size() < least_points_to_start(options, window)) {
            const std::vector<Score> before = state.predictions;
            state.predictions.assign(window.size(), no_score);
            list_everything(window, change, before, state, report);
            report.solve = {.objective = 0};
            return;
        }
        const std::vector<Score> before = state.predictions;
        begin(options, window, state, work);
        list_everything(window, change, before, state, report);
        fill_report(options, state, true, work, report.solve);
        return;
    }
    const std::vector<Score> before = state.predictions;
    follow(options, window, change, exchange_of(options, state, window, change), state);
    const bool solved = window.size() > 0 && is_due(options, window, state);
    if (solved) find_solution(options, window, state, work);
    list_everything(window, change, before, state, report);
    fill_report(options, state, solved, work, report.solve);
}

void Model::refine(const Options& options, State& state, Workspace&, const Window& window, std::int64_t rounds,
                   StepReport<Score>& report, const WorkHandle& work) {
    report.changes.clear();
    report.solve = {.objective = 0};
    report.churn = 0;
    if (!state.started || window.size() == 0) return;
    const double trained = options.network.has_value() ? 0 : share_of_training(options);
    if (!options.network.has_value()) {
        constexpr std::int64_t most_epochs = 10'000;
        state.base = trained_on(options, window, state.base,
                                rounds > 0 ? static_cast<int>(std::min(rounds, most_epochs)) : options.epochs,
                                work.part(0, trained));
        state.network = state.base;
        state.is_erased = false;
    }
    sum_moments(options, window, state);
    solve_and_list(options, window, state, report, work.part(trained, 1));
}

void Model::adjust(const Options& options, State& state, const Window& window, StepReport<Score>& report,
                   const WorkHandle& work) {
    report.changes.clear();
    report.solve = {.objective = 0};
    report.churn = 0;
    if (!state.started || window.size() == 0) return;
    if (state.is_stale) sum_moments(options, window, state);
    solve_and_list(options, window, state, report, work);
}

State Model::without_points(const State& state) {
    State part;
    part.dimensions = state.dimensions;
    part.attributes = state.attributes;
    part.groups = state.groups;
    part.known_groups = state.known_groups;
    part.network = state.network;
    part.started = state.started;
    return part;
}

void Model::predict(const Options&, const State& state, ConstRows rows, std::span<const GroupId>,
                    std::span<Score> out) {
    if (!state.started) {
        std::ranges::fill(out, no_score);
        return;
    }
    const std::vector<float> predicted = Evaluation(state.network)(rows);
    std::ranges::transform(predicted, out.begin(), prediction_of);
}

}  // namespace fairstream::esvd_fair
