#include <fairstream/models/partial_fair_scorer/detail/solve.hpp>

#include <algorithm>

#include <fairstream/models/partial_fair_scorer/detail/starts.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

Outcome outcome_of(dc::End end) {
    switch (end) {
        case dc::End::converged:
            return Outcome::converged;
        case dc::End::stalled:
            return Outcome::stalled;
        case dc::End::iteration_limit:
            break;
    }
    return Outcome::iteration_limit;
}

/// Returns the last solve's point, made feasible on this sample, or a start from w = 0 where that fails. The quadratic
/// solver needs no feasible point.
std::vector<double> warm_start(const Options& options, const Sample& sample, State& state, ScoreProblem& problem,
                               std::int64_t& inner) {
    std::vector<double> v = state.weights;
    v.insert(v.end(), state.thresholds.begin(), state.thresholds.end());
    if (options.inner == Inner::quadratic) return v;
    if (dc::restore(problem, v, 0, options.inner_iterations, inner)) return v;
    state.quality.restarted = true;
    return problem.with_fitting_thresholds(tied_start(options, sample));
}

/// Sets the intercept so that as many points are above the threshold as are positive, where it is left open: by losses
/// over pairs with constraints that a shift of all scores leaves as they are.
void settle_intercept(const Options& options, const Sample& sample, std::span<const double> scores, State& state) {
    const auto positives = std::ranges::count(sample.signs(), 1.0);
    if (options.over == Over::points || at_threshold(options) || positives == 0 || positives == std::ssize(scores))
        return;
    std::vector<double> falling(scores.begin(), scores.end());
    std::ranges::nth_element(falling, falling.begin() + positives, std::greater<>());
    const double shift = options.threshold - falling[static_cast<std::size_t>(positives)];
    state.weights[0] += shift;
    for (double& theta : state.thresholds) theta += shift;
}

void take_quality(const dc::IdcaResult& result, double inner, State& state) {
    Quality& quality = state.quality;
    quality.loss = result.objective;
    quality.stationarity = result.kkt.stationarity;
    quality.infeasibility = result.kkt.infeasibility;
    quality.complementarity = result.kkt.complementarity;
    quality.outer_iterations += static_cast<double>(result.outer);
    quality.inner_iterations = inner;
    state.inner_iterations += inner;
}

/// Returns the constrained metric of the sample, by its definition.
double measured(const Options& options, const Sample& sample, std::span<const double> scores) {
    ScoreTally tally(sample.groups());
    for (std::size_t g = 0; g < sample.groups(); ++g)
        for (std::size_t row = sample.group(g).first; row < sample.group(g).last; ++row)
            tally.add(scores[row], static_cast<GroupId>(g), sample.signs()[row] > 0);
    tally.settle();
    const bool of_class = options.metric == Metric::eop || options.metric == Metric::eod;
    const ScoreFairness found = score_fairness(tally, ranks_of(options, sample.groups()), options.threshold,
                                               of_class ? RankAmong::group_and_class : RankAmong::group);
    switch (options.metric) {
        case Metric::psp:
            return found.sp;
        case Metric::pdp:
            return found.dp;
        case Metric::eop:
            return found.eop;
        case Metric::eod:
            return found.eod;
        case Metric::gauc:
            return found.gauc;
        case Metric::none:
            break;
    }
    return 0;
}

/// Solves once more, from where all scores tie, after a solve that stalled with broken constraints for want of scores
/// near a threshold, and keeps the less infeasible of the two.
void retry_from_ties(const Options& options, const Sample& sample, ScoreProblem& problem, std::vector<double>& v,
                     dc::IdcaResult& result, State& state) {
    constexpr double broken = 10;  // epsilons
    if (options.inner == Inner::ssg || result.end != dc::End::stalled ||
        result.infeasibility <= broken * options.epsilon)
        return;
    std::vector<double> tied = problem.with_fitting_thresholds(tied_start(options, sample));
    dc::IdcaResult again = dc::minimise(problem, tied, idca_options(options, options.outer));
    const std::int64_t spent = result.inner + again.inner;
    state.quality.restarted = again.infeasibility < result.infeasibility;
    if (state.quality.restarted) {
        v = std::move(tied);
        result = std::move(again);
    } else {
        dc::Values values;
        problem.evaluate(v, values);
    }
    result.inner = spent;
}

/// Solves once, with `state.kappa`.
dc::End solve_once(const Options& given, const Sample& sample, std::int64_t outer, State& state) {
    Options options = given;
    options.kappa = state.kappa;
    ScoreProblem problem(options, sample);
    std::int64_t inner = 0;
    state.quality.restarted = false;
    std::vector<double> v = state.started ? warm_start(options, sample, state, problem, inner)
                                          : cold_start(options, sample, problem, inner);
    dc::IdcaResult result = dc::minimise(problem, v, idca_options(options, outer), state.multipliers);
    retry_from_ties(options, sample, problem, v, result, state);
    const auto parameters = static_cast<std::ptrdiff_t>(problem.parameters());
    state.weights.assign(v.begin(), v.begin() + parameters);
    state.thresholds.assign(v.begin() + parameters, v.end());
    state.multipliers = result.kkt.multipliers;
    take_quality(result, static_cast<double>(inner + result.inner), state);
    state.quality.kappa = state.kappa;
    state.quality.surrogate_gap = problem.surrogate_gap();
    state.quality.measured = measured(options, sample, problem.scores());
    settle_intercept(options, sample, problem.scores(), state);
    state.started = true;
    return result.end;
}

/// Sets the surrogate's kappa of the next solve: lower by as much as the points exceed the given one, and by no less
/// than the tolerance lets a constraint be missed; or higher by half of what they leave of it. Returns whether that
/// solve is wanted at once.
bool adjust_kappa(const Options& options, State& state) {
    constexpr double enough = 0.9;
    const double measured = state.quality.measured, used = state.kappa;
    const double least = options.tolerance / shortest_ranks(options, state.groups);
    if (measured > options.kappa)
        state.kappa = std::max(0.0, used - std::max(measured - options.kappa, least));
    else if (measured < enough * options.kappa)
        state.kappa = std::min(options.kappa, used + (options.kappa - measured) / 2);
    return state.kappa < used;
}

}  // namespace

void solve(const Options& options, const Sample& sample, std::int64_t outer, State& state, Solve& solve) {
    constexpr int most = 4;  // solves until the points keep to kappa; later steps go on where these end
    const bool empirical = options.enforce == Enforce::empirical && options.metric != Metric::none;
    state.kappa = empirical && state.started ? std::min(state.kappa, options.kappa) : options.kappa;
    const double before = state.inner_iterations;
    state.quality.outer_iterations = 0;
    dc::End end{};
    for (int round = 0; round < most; ++round) {
        end = solve_once(options, sample, outer, state);
        if (!empirical || !adjust_kappa(options, state)) break;
    }
    state.quality.inner_iterations = state.inner_iterations - before;
    ++state.steps;
    solve.outcome = outcome_of(end);
    const bool missed = empirical && state.quality.measured > options.kappa;
    if (missed && solve.outcome == Outcome::converged) solve.outcome = Outcome::stalled;
    solve.iterations = static_cast<std::int64_t>(state.quality.inner_iterations);
    solve.objective = state.quality.loss;
}

}  // namespace fairstream::partial_fair_scorer
