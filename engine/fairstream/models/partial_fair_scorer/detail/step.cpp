#include <algorithm>

#include <fairstream/models/list_changes.hpp>
#include <fairstream/models/partial_fair_scorer/detail/choose_loss.hpp>
#include <fairstream/models/partial_fair_scorer/detail/decision_shift.hpp>
#include <fairstream/models/partial_fair_scorer/detail/measured_gap.hpp>
#include <fairstream/models/partial_fair_scorer/detail/options.hpp>
#include <fairstream/models/partial_fair_scorer/detail/score_function.hpp>
#include <fairstream/models/partial_fair_scorer/detail/solve.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// Returns the group of the attribute of each point; empty if scores do not depend on groups.
std::vector<GroupId> groups_of_attribute(const Options& options, const State& state, std::span<const GroupId> groups) {
    std::vector<GroupId> own;
    if (!Model::needs_groups(options) || state.attributes == 0) return own;
    for (std::size_t i = static_cast<std::size_t>(options.attribute); i < groups.size(); i += state.attributes)
        own.push_back(groups[i]);
    return own;
}

Sample sample_of(const Options& options, const State& state, const Window& window) {
    return {window.points(), window.dimensions(),  window.attributes(), static_cast<std::size_t>(options.attribute),
            state.groups,    window.weight_unit(), state.known_groups};
}

// Chooses the loss if the options leave it open and a choice is due; returns the options with this loss.
Options with_chosen_loss(const Options& given, const Window& window, State& state, double& evaluations,
                         const WorkHandle& work) {
    Options options = given;
    if (given.loss != Loss::automatic) {
        state.choice = {};
        return options;
    }
    if (state.choice.points_left == 0) evaluations += choose_loss(given, window, state, work);
    options.loss = state.choice.loss;
    return options;
}

bool misses_kappa(const Options& options, const Solution& solution) {
    return exceeds_kappa(options, solution.quality) || (is_kept_by_points(options) && solution.quality.tied);
}

// Solves with the loss that was not chosen, and takes the result if it meets kappa and the result with the chosen loss
// does not.
void try_other_loss(const Options& chosen, const Sample& sample, bool to_the_end, State& state, Solved& better,
                    double& evaluations, const WorkHandle& work) {
    if (work.stopped()) return;
    Options options = chosen;
    options.loss = chosen.loss == Loss::sigmoid ? Loss::logistic : Loss::sigmoid;
    Solved other = solve(options, sample, options.solve_iterations, {}, work);
    if (to_the_end) seek_kappa(options, sample, options.solve_iterations, other, work);
    evaluations += other.solution.quality.inner_iterations;
    if (misses_kappa(options, other.solution)) return;
    better = std::move(other);
    state.choice.loss = options.loss;
}

// Solves by `outer` iterations from the present solution, with `afresh` also from a cold start, and takes the better
// result.
void improve(const Options& given, const Window& window, std::int64_t outer, bool afresh, State& state, Solve& report,
             const WorkHandle& work) {
    constexpr double of_choice = 0.5;    // share of the work
    constexpr double worthwhile = 5e-4;  // relative decrease of the loss for which all scores may change
    double evaluations = 0;
    const bool chooses = given.loss == Loss::automatic && state.choice.points_left == 0;
    const Options options = [&] {
        WorkShares shares(work, 2);
        return with_chosen_loss(given, window, state, evaluations, shares[0].part(0, of_choice, "choice of the loss"));
    }();
    const WorkHandle solving = work.part(chooses ? of_choice : 0, 1, "solver");
    const Sample sample = sample_of(options, state, window);
    Solved going_on, fresh;
    {
        WorkShares shares(solving, afresh ? 2 : 1);
        parallel_for(std::size_t{0}, std::size_t{afresh ? 2U : 1U}, [&](std::size_t i) {
            if (i == 0)
                going_on = solve(options, sample, outer, static_cast<const Solution&>(state), shares[i]);
            else
                fresh = solve(options, sample, options.solve_iterations, {}, shares[i]);
        });
    }
    evaluations += going_on.solution.quality.inner_iterations + fresh.solution.quality.inner_iterations;
    const bool takes_fresh = afresh && is_better(options, fresh.solution, going_on.solution, worthwhile);
    Solved& better = takes_fresh ? fresh : going_on;
    if (takes_fresh) better.solution.quality.restarted = true;
    const bool to_the_end = outer >= options.solve_iterations;
    if (to_the_end) {
        const double before = better.solution.quality.inner_iterations;
        seek_kappa(options, sample, outer, better, solving.part(1, 1));
        evaluations += better.solution.quality.inner_iterations - before;
    }
    if (given.loss == Loss::automatic && (afresh || !state.started) && misses_kappa(options, better.solution))
        try_other_loss(options, sample, to_the_end, state, better, evaluations, solving.part(1, 1));
    better.solution.quality.inner_iterations = evaluations;
    state.inner_iterations += evaluations;
    ++state.steps;
    state.started = true;
    static_cast<Solution&>(state) = std::move(better.solution);
    report.outcome = better.outcome;
    report.iterations = static_cast<std::int64_t>(evaluations);
    report.objective = state.quality.loss;
}

// Scores all points with the new state, which replaces the old one. Shifts the scores by `most_accurate_shift` of these
// points, if the loss needs it.
void publish(const Options& options, const Window& window, const WindowChange& change, State next, State& state,
             StepReport<Score>& report) {
    next.scores.resize(window.size());
    next.shift = 0;
    Model::predict(options, next, window.points().features, window.points().groups, next.scores);
    if (shifts_scores(options, options.loss == Loss::automatic ? next.choice.loss : options.loss))
        next.shift = most_accurate_shift(next.scores, window.points(), window.weight_unit(), options.threshold);
    for (Score& score : next.scores) score += next.shift;
    list_all_changes(window, change, state.scores, next.scores, report, ChurnRule<Score>(options.threshold));
    state = std::move(next);
}

// Keeps what was learned while the window is empty.
void empty(const Window& window, const WindowChange& change, State& state, StepReport<Score>& report) {
    list_all_changes<Score>(window, change, state.scores, {}, report, ChurnRule<Score>(0));
    state.scores.clear();
    report.solve.outcome = Outcome::stalled;
    report.solve.objective = state.quality.loss;
}

}  // namespace

void Model::step(const Options& options, State& state, Workspace&, const Window& window, const WindowChange& change,
                 StepReport<Score>& report, const WorkHandle& work) {
    report.changes.clear();
    report.solve = {};
    report.churn = 0;
    if (!state.started && !has_both_classes(window.points().targets)) {
        state.scores.resize(window.size(), no_score);
        return;
    }
    if (window.size() == 0) return empty(window, change, state, report);
    State next = state;
    next.choice.points_left -= std::min<std::uint64_t>(next.choice.points_left, change.occupied_count(window.size()));
    const auto every = static_cast<std::uint64_t>(options.fresh_every);
    const bool afresh = state.started && every > 0 && state.steps % every == 0;
    improve(options, window, state.started ? options.iterations : options.solve_iterations, afresh, next, report.solve,
            work);
    publish(options, window, change, std::move(next), state, report);
}

void Model::refine(const Options& options, State& state, Workspace&, const Window& window, std::int64_t rounds,
                   StepReport<Score>& report, const WorkHandle& work) {
    report.changes.clear();
    report.solve = {};
    report.churn = 0;
    if (!state.started || window.size() == 0) return;
    State next = state;
    const bool afresh = rounds == 0 && options.fresh_every > 0;
    improve(options, window, rounds > 0 ? rounds : options.solve_iterations, afresh, next, report.solve, work);
    publish(options, window, {}, std::move(next), state, report);
}

State Model::without_points(const State& state) {
    State part;
    static_cast<Solution&>(part) = state;
    part.dimensions = state.dimensions;
    part.attributes = state.attributes;
    part.groups = state.groups;
    part.known_groups = state.known_groups;
    part.started = state.started;
    part.shift = state.shift;
    return part;
}

void Model::predict(const Options& options, const State& state, ConstRows rows, std::span<const GroupId> groups,
                    std::span<Score> out) {
    if (!state.started) {
        std::ranges::fill(out, no_score);
        return;
    }
    const std::vector<GroupId> own = groups_of_attribute(options, state, groups);
    for_parts({0, out.size()}, [&](RowRange part) {
        const std::size_t d = state.dimensions;
        score_rows(
            options, state.weights, d, state.groups, rows.subspan(part.first * d, part.size() * d),
            own.empty() ? std::span<const GroupId>{} : std::span<const GroupId>(own).subspan(part.first, part.size()),
            out.subspan(part.first, part.size()));
        for (std::size_t i = part.first; i < part.last; ++i) out[i] += state.shift;
    });
}

}  // namespace fairstream::partial_fair_scorer
