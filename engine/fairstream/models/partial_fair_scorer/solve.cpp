#include <fairstream/models/partial_fair_scorer/solve.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/models/partial_fair_scorer/linear.hpp>
#include <fairstream/models/partial_fair_scorer/score_problem.hpp>
#include <fairstream/numeric/dc/idca.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

dc::IdcaOptions idca_options(const Options& options, std::int64_t outer) {
    dc::IdcaOptions idca;
    idca.inner = options.inner == Inner::quadratic ? dc::Inner::quadratic : dc::Inner::ssg;
    idca.outer = outer;
    idca.inner_iterations = options.inner_iterations;
    idca.epsilon = options.epsilon;
    idca.tolerance = options.tolerance;
    return idca;
}

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

/// Where the quadratic solver begins: the constraints are easier met from the best scores without them than from w = 0,
/// where all scores tie. Losses that are not convex begin from the logistic one.
std::vector<double> unconstrained(const Options& options, const Sample& sample, std::vector<double> w,
                                  std::int64_t& inner) {
    Options free = options;
    free.metric = Metric::none;
    if (free.loss == Loss::sigmoid) free.loss = Loss::logistic;
    ScoreProblem problem(free, sample);
    inner += dc::minimise(problem, w, idca_options(free, options.outer)).inner;
    return w;
}

bool at_threshold(const Options& options) {
    return options.metric == Metric::pdp || options.metric == Metric::eop || options.metric == Metric::eod;
}

/// Where the subgradient method begins: all scores tie, as w = 0 makes them, at a value that meets the constraints. At
/// a given threshold that is one whose surrogate share lies in the middle of the first interval: at the threshold
/// itself it is 1/2, often outside of all intervals, where the constraints have no slope and nothing moves.
std::vector<double> tied_start(const Options& options, const Sample& sample) {
    std::vector<double> w = initial_parameters(options, sample.dimensions(), sample.groups());
    if (!at_threshold(options)) return w;
    const double share = (options.interval[0] + options.interval[1]) / 2;
    const double x = options.surrogate == Surrogate::clipped ? share - 0.5 : std::log(share / (1 - share));
    w[0] = options.threshold + options.width * x;
    return w;
}

/// The share of `rows` above the threshold by the surrogate, when `shift` is added to their scores.
double share_above(const Options& options, const Sample& sample, RowRange rows, std::span<const double> scores,
                   double shift) {
    Tails tails(options, sample, {{rows, Tail::fixed, options.threshold - shift}});
    tails.evaluate(scores, {});
    return tails.share(0);
}

/// What must be added to the scores of `rows` for that share to be `share`.
double shift_to(const Options& options, const Sample& sample, RowRange rows, std::span<const double> scores,
                double share) {
    constexpr int bisections = 50;
    const auto own = scores.subspan(rows.first, rows.size());
    const auto [least, most] = std::ranges::minmax(own);
    double low = options.threshold - most - options.width, high = options.threshold - least + options.width;
    for (int round = 0; round < bisections; ++round) {
        const double middle = (low + high) / 2;
        (share_above(options, sample, rows, scores, middle) < share ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// At a given threshold min{., alpha} and min{., beta} hide from the constraints how a group outside of its ranks gets
/// back: where scores may be shifted by group, those compared are shifted so that each has the share of all together,
/// or the nearest within the first interval.
void level_groups(const Options& options, const Sample& sample, std::vector<double>& w) {
    if (!at_threshold(options) || options.group_terms == GroupTerms::none) return;
    const auto function = make_score_function(options, sample);
    std::vector<double> scores(sample.size());
    function->evaluate(w, scores);
    const RanksByGroup ranks = ranks_of(options, sample.groups());
    const auto compared = [&](std::size_t g) {
        return options.metric == Metric::eop ? sample.positives(g) : sample.group(g);
    };
    double above = 0, all = 0;
    for (std::size_t g = 0; g < sample.groups(); ++g) {
        const auto size = static_cast<double>(compared(g).size());
        above += size * share_above(options, sample, compared(g), scores, 0);
        all += size;
    }
    if (all == 0) return;
    double first = 0;
    for (std::size_t g = 0; g < sample.groups(); ++g) {
        if (compared(g).size() == 0) continue;
        const double length = ranks[g].front().to - ranks[g].front().from, edge = 0.05 * length;
        const double share = std::clamp(above / all, ranks[g].front().from + edge, ranks[g].front().to - edge);
        const double shift = shift_to(options, sample, compared(g), scores, share);
        if (g == 0) first = shift;
        w[LinearScores::intercept(options.group_terms, sample.dimensions(), g)] += g == 0 ? shift : shift - first;
    }
}

std::vector<double> cold_start(const Options& options, const Sample& sample, ScoreProblem& problem,
                               std::int64_t& inner) {
    if (options.inner == Inner::ssg) return problem.with_fitting_thresholds(tied_start(options, sample));
    std::vector<double> w = initial_parameters(options, sample.dimensions(), sample.groups());
    w = unconstrained(options, sample, std::move(w), inner);
    level_groups(options, sample, w);
    return problem.with_fitting_thresholds(w);
}

/// The last solve's point, feasible on this sample; from w = 0 where it cannot be made so. The quadratic solver needs
/// no feasible point.
std::vector<double> warm_start(const Options& options, const Sample& sample, State& state, ScoreProblem& problem,
                               std::int64_t& inner) {
    std::vector<double> v = state.weights;
    v.insert(v.end(), state.thresholds.begin(), state.thresholds.end());
    if (options.inner == Inner::quadratic) return v;
    if (dc::restore(problem, v, 0, options.inner_iterations, inner)) return v;
    state.quality.restarted = true;
    return problem.with_fitting_thresholds(tied_start(options, sample));
}

/// The losses over pairs, with constraints that a shift of all scores leaves as they are, do not decide the intercept:
/// it is set so that as many points are above the threshold as are positive.
void settle_intercept(const Options& options, const Sample& sample, std::span<const double> scores, State& state) {
    const bool free = options.metric == Metric::psp || options.metric == Metric::gauc || options.metric == Metric::none;
    const auto positives = std::ranges::count(sample.signs(), 1.0);
    if (options.over == Over::points || !free || positives == 0 || positives == std::ssize(scores)) return;
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

/// The constrained metric of the sample, by its definition.
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

/// Where a solve stalled with constraints broken, nothing led back to them, for want of scores near a threshold: once
/// more from where all scores tie, and the less infeasible of the two.
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

/// One solve with `state.kappa`.
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

/// Sets the surrogate's kappa of the next solve: lower by what the points exceed the given one, and by no less than the
/// tolerance lets a constraint be missed; or higher by half of what they leave of it. Whether that solve is wanted at
/// once.
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
    solve.iterations = static_cast<std::int64_t>(state.quality.inner_iterations);
    solve.objective = state.quality.loss;
}

}  // namespace fairstream::partial_fair_scorer
