#include <fairstream/models/partial_fair_scorer/detail/solve.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fairstream/models/partial_fair_scorer/detail/measured_gap.hpp>
#include <fairstream/models/partial_fair_scorer/detail/near_weights.hpp>
#include <fairstream/models/partial_fair_scorer/detail/options.hpp>
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

/// Returns the v of a solution, made feasible on this sample; if it cannot be made feasible, a start from w = 0. The
/// quadratic solver needs no feasible point.
std::vector<double> warm_start(const Options& options, const Sample& sample, Solution& solution, ScoreProblem& problem,
                               std::int64_t& inner, const WorkHandle& work) {
    std::vector<double> v = solution.weights;
    from_raw(options, sample, v);
    v.insert(v.end(), solution.thresholds.begin(), solution.thresholds.end());
    if (options.inner == Inner::quadratic) return v;
    if (dc::restore(problem, v, 0, options.inner_iterations, inner, work)) return v;
    solution.quality.restarted = true;
    return problem.with_fitting_thresholds(tied_start(options, sample));
}

/// Returns the score of the first point, by descending score, with which the total weight exceeds `mass`.
double score_below(double mass, const Sample& sample, std::span<const double> scores) {
    std::vector<std::size_t> falling(scores.size());
    std::iota(falling.begin(), falling.end(), std::size_t{0});
    std::ranges::sort(falling, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    double above = 0;
    for (const std::size_t row : falling) {
        above += sample.weight(row);
        if (above > mass) return scores[row];
    }
    return scores[falling.back()];
}

/// Sets the intercept so that as many points are above the threshold as are positive. Only for losses over pairs with
/// constraints that do not change when all scores shift, which leave the intercept undetermined.
void fit_intercept(const Options& options, const Sample& sample, std::span<const double> scores, Solution& solution) {
    double positives = 0;
    for (std::size_t row = 0; row < sample.size(); ++row) positives += sample.signs()[row] > 0 ? sample.weight(row) : 0;
    if (options.over == Over::points || compares_at_threshold(options) || positives == 0 ||
        std::ranges::count(sample.signs(), 1.0) == std::ssize(scores))
        return;
    const double shift = options.threshold - score_below(positives, sample, scores);
    solution.weights[0] += shift;
    for (double& theta : solution.thresholds) theta += shift;
}

void copy_quality(const dc::IdcaResult& result, std::int64_t inner, Quality& quality) {
    quality.loss = result.objective;
    quality.stationarity = result.kkt.stationarity;
    quality.infeasibility = result.kkt.infeasibility;
    quality.complementarity = result.kkt.complementarity;
    quality.outer_iterations += static_cast<double>(result.outer);
    quality.inner_iterations += static_cast<double>(inner + result.inner);
}

/// After a solve that stalled with violated constraints because no scores were near a threshold, solves once more from
/// tied scores, and keeps the less infeasible result.
void retry_from_ties(const Options& options, const Sample& sample, ScoreProblem& problem, std::vector<double>& v,
                     dc::IdcaResult& result, Quality& quality, const WorkHandle& work) {
    constexpr double broken = 10;  // in epsilons
    if (work.stopped() || options.inner == Inner::ssg || result.end != dc::End::stalled ||
        result.infeasibility <= broken * options.epsilon)
        return;
    std::vector<double> tied = problem.with_fitting_thresholds(tied_start(options, sample));
    dc::IdcaResult again = dc::minimise(problem, tied, idca_options(options, options.solve_iterations), {}, {}, work);
    const std::int64_t spent = result.inner + again.inner;
    quality.restarted = again.infeasibility < result.infeasibility;
    if (quality.restarted) {
        v = std::move(tied);
        result = std::move(again);
    } else {
        dc::Values values;
        problem.evaluate(v, values);
    }
    result.inner = spent;
}

/// Returns the cost in multiply-adds of the figures of one solution; upper limits are computed many times.
double work_of_measure(const Options& options, const ScoreProblem& problem) {
    return (options.confidence > 0 ? 64 : 1) * problem.work_of_values();
}

/// Solves once, with the solution's own kappa and levels.
dc::End solve_once(const Options& given, const Sample& sample, std::int64_t outer, Solution& solution,
                   const WorkHandle& work) {
    constexpr double of_start = 0.3, of_solve = 0.8;  // cumulative shares of the work
    const bool is_cold = solution.weights.empty();
    Options options = given;
    options.kappa = solution.kappa;
    if (solution.levels > 0) options.rank_levels = solution.levels;
    ScoreProblem problem(options, sample);
    std::int64_t inner = 0;
    Quality& quality = solution.quality;
    quality.restarted = false;
    std::vector<double> v = is_cold ? cold_start(options, sample, problem, inner, work.part(0, of_start))
                                    : warm_start(options, sample, solution, problem, inner, work);
    const std::vector<double> start = v;
    dc::IdcaResult result = dc::minimise(problem, v, idca_options(options, outer), solution.multipliers, {},
                                         work.part(is_cold ? of_start : 0, of_solve));
    retry_from_ties(options, sample, problem, v, result, quality, work.part(of_solve, 1));
    const auto parameters = static_cast<std::ptrdiff_t>(problem.parameters());
    // Conversion to the scaled features and back rounds weights, so unchanged weights are kept as they are.
    if (is_cold || v != start) {
        solution.weights.assign(v.begin(), v.begin() + parameters);
        to_raw(options, sample, solution.weights);
    }
    solution.thresholds.assign(v.begin() + parameters, v.end());
    solution.multipliers = std::move(result.kkt.multipliers);
    copy_quality(result, inner, quality);
    quality.kappa = solution.kappa;
    quality.levels = solution.levels;
    quality.surrogate_gap = problem.surrogate_gap();
    measure_gap(options, sample, problem.scores(), quality);
    work.settle(work_of_measure(options, problem));
    fit_intercept(options, sample, problem.scores(), solution);
    return result.end;
}

/// Returns values at this many levels, by linear interpolation of the given values.
std::vector<double> interpolated_at_levels(std::span<const double> values, std::size_t levels) {
    std::vector<double> found(levels);
    for (std::size_t q = 0; q < levels; ++q) {
        const double at = static_cast<double>(q * (values.size() - 1)) / static_cast<double>(levels - 1);
        const std::size_t below = std::min(static_cast<std::size_t>(at), values.size() - 2);
        const double share = at - static_cast<double>(below);
        found[q] = (1 - share) * values[below] + share * values[below + 1];
    }
    return found;
}

/// Compares the groups at this many levels from now on.
void set_levels(int levels, Solution& solution) {
    solution.thresholds = interpolated_at_levels(solution.thresholds, static_cast<std::size_t>(levels));
    solution.multipliers.clear();
    solution.levels = levels;
}

/// Returns the largest useful number of levels: four times the options' number, and at most the number of a group's
/// points among its ranks, since its tails take no more values.
int largest_useful_levels(const Options& options, const Sample& sample) {
    constexpr int most_times = 4;
    const RanksByGroup ranks = ranks_of(options, sample.known_groups());
    double most = std::min(most_levels, most_times * options.rank_levels);
    for (std::size_t g = 0; g < sample.known_groups(); ++g)
        if (sample.group(g).size() > 0) most = std::min(most, length(ranks[g]) * sample.mass(sample.group(g)));
    return std::max(options.rank_levels, static_cast<int>(most));
}

/// Searches the surrogate's kappa for which the points just meet the options' kappa. The metric of the points rises
/// with the surrogate's kappa, at about the same rate.
class KappaSearch {
public:
    KappaSearch(const Options& options, const Sample& sample)
        : options_(options),
          least_(options.tolerance / shortest_ranks(options, sample.known_groups())),
          most_levels_(largest_useful_levels(options, sample)),
          high_(options.kappa) {}

    /// Sets the kappa of the next solve, or doubles the levels if a lower kappa is useless. Returns whether another
    /// solve is wanted.
    bool prepare_next(Solution& solution) {
        constexpr double enough = 0.95;  // relative to kappa
        const double used = solution.kappa, left = options_.kappa - judged_gap(solution.quality);
        if (left >= 0) {
            low_ = used;
            const bool wanted = left > (1 - enough) * options_.kappa && high_ - used > least_;
            solution.kappa =
                std::min(options_.kappa, failed_ ? std::min(used + left, (used + high_) / 2) : used + left);
            return wanted;
        }
        failed_ = true;
        high_ = used;
        solution.kappa = std::max({0.0, low_, std::min(used + left, used - least_)});
        if (low_ == 0) return add_levels(solution) || used > 0;
        solution.kappa = std::max(solution.kappa, (low_ + used) / 2);
        return used - low_ > least_;
    }

private:
    bool add_levels(Solution& solution) {
        constexpr double useful = 0.25;  // relative to kappa
        const int levels = solution.levels > 0 ? solution.levels : options_.rank_levels;
        if (options_.metric != Metric::psp || solution.kappa > useful * options_.kappa || levels >= most_levels_)
            return false;
        set_levels(std::min(2 * levels, most_levels_), solution);
        solution.kappa = options_.kappa / 2;
        failed_ = false;
        high_ = options_.kappa;
        return true;
    }

    const Options& options_;
    double least_;  // smallest difference that the tolerance can resolve
    int most_levels_;
    double low_ = 0;  // largest kappa of the surrogate at which the points met the options' kappa
    double high_;     // smallest kappa of the surrogate at which they did not
    bool failed_ = false;
};

}  // namespace

bool is_better(const Options& options, const Solution& one, const Solution& other, double by) {
    // A gap that is .01 too large counts as much as a twentieth of the loss.
    constexpr double price = 5;
    const auto excess = [&](const Solution& solution) {
        return is_kept_by_points(options) ? std::max(0.0, judged_gap(solution.quality) - options.kappa)
                                          : std::max(0.0, solution.quality.infeasibility - options.tolerance);
    };
    const auto worth = [&](const Solution& solution) {
        return solution.quality.loss + price * excess(solution) * std::abs(solution.quality.loss);
    };
    if (one.quality.tied != other.quality.tied) return other.quality.tied;
    const bool kept = excess(one) == 0, others = excess(other) == 0;
    return kept != others ? kept : worth(one) < worth(other) - by * std::abs(other.quality.loss);
}

namespace {

/// Solves a few times until the points meet kappa; fewer times if the former solution missed kappa.
Solved search(const Options& options, const Sample& sample, std::int64_t outer, Solution from, const WorkHandle& work) {
    const bool was_missed = !from.weights.empty() && judged_gap(from.quality) > options.kappa;
    const int most = was_missed ? 3 : 6;
    const bool empirical = is_kept_by_points(options);
    Solution now = std::move(from);
    now.kappa = empirical && !now.weights.empty() ? std::min(now.kappa, options.kappa) : options.kappa;
    now.quality.outer_iterations = now.quality.inner_iterations = 0;
    Solution best;
    dc::End end{};
    KappaSearch search(options, sample);
    for (int round = 0; round < most; ++round) {
        const auto part = [&](int rounds) { return empirical ? static_cast<double>(rounds) / most : rounds; };
        const dc::End own = solve_once(options, sample, outer, now, work.part(part(round), part(round + 1)));
        const bool again = empirical && search.prepare_next(now);
        if (round == 0 || is_better(options, now, best)) best = now, end = own;
        if (!again || work.stopped()) break;
    }
    best.quality.outer_iterations = now.quality.outer_iterations;
    best.quality.inner_iterations = now.quality.inner_iterations;
    return {std::move(best), outcome_of(end)};
}

}  // namespace

namespace {

std::vector<double> scores_of(const Options& options, const Sample& sample, std::vector<double> weights) {
    std::vector<double> scores(sample.size());
    from_raw(options, sample, weights);
    make_score_function(options, sample)->evaluate(weights, scores);
    return scores;
}

void improve_by_near_weights(const Options& options, const Sample& sample, double trials, Solved& found,
                             const WorkHandle& work) {
    if (work.stopped() || !search_near(options, sample, trials, found.solution, work)) return;
    fit_intercept(options, sample, scores_of(options, sample, found.solution.weights), found.solution);
    if (found.outcome == Outcome::converged) found.outcome = Outcome::stalled;
}

/// Searches with `part` of the options' kappa, and then near the result if it misses the options' kappa.
Solved attempt(const Options& options, double part, const Sample& sample, std::int64_t outer, Solution from,
               const WorkHandle& work) {
    Options lowered = options;
    lowered.kappa *= part;
    Solved found = search(lowered, sample, outer, std::move(from), work);
    if (!exceeds_kappa(options, found.solution.quality)) return found;
    constexpr double by_evaluation = 2, most = 1000;  // number of trials
    improve_by_near_weights(options, sample, std::min(most, by_evaluation * found.solution.quality.inner_iterations),
                            found, work.part(1, 1));
    if (found.outcome == Outcome::converged && exceeds_kappa(options, found.solution.quality))
        found.outcome = Outcome::stalled;
    return found;
}

/// Returns the number of trials of a last search nearby; it takes equally long for many points and weights as for few.
/// None if every trial would have to compute the upper limit of its gap.
double long_trials(const Options& options, const Sample& sample, std::span<const double> weights) {
    constexpr double most = 10'000, products = 1e7;  // products of points and parameters over all trials
    if (options.confidence > 0) return 0;
    // Weights of 0 are for things that no point has, such as a group without points.
    const auto used = std::max<double>(1, static_cast<double>(std::ssize(weights) - std::ranges::count(weights, 0.0)));
    return std::min(most, products / (used * static_cast<double>(std::max<std::size_t>(1, sample.size()))));
}

/// Takes another solution if it is better, and adds up the work of both.
void take_better(const Options& options, Solved other, Solved& solved) {
    Quality &own = solved.solution.quality, &more = other.solution.quality;
    more.outer_iterations = own.outer_iterations += more.outer_iterations;
    more.inner_iterations = own.inner_iterations += more.inner_iterations;
    if (is_better(options, other.solution, solved.solution)) solved = std::move(other);
}

/// Searches with another ridge, and continues from there with the options' ridge.
Solved attempt_by_ridge(const Options& options, double ridge, const Sample& sample, std::int64_t outer,
                        const WorkHandle& work) {
    Options other = options;
    other.ridge = ridge;
    Solution found = search(other, sample, outer, {}, work).solution;
    return attempt(options, 1, sample, outer, std::move(found), work);
}

}  // namespace

Solved solve(const Options& options, const Sample& sample, std::int64_t outer, Solution from, const WorkHandle& work) {
    const bool is_cold = from.weights.empty();
    Solved solved = attempt(options, 1, sample, outer, std::move(from), work);
    // A search with a lower kappa takes another path, and may meet the requested one.
    constexpr double lower[] = {0.8, 0.6, 0.4};
    for (const double part : lower) {
        if (!is_cold || !exceeds_kappa(options, solved.solution.quality) || work.stopped()) break;
        take_better(options, attempt(options, part, sample, outer, {}, work.part(1, 1)), solved);
    }
    return solved;
}

void seek_kappa(const Options& options, const Sample& sample, std::int64_t outer, Solved& solved,
                const WorkHandle& work) {
    constexpr double ridges[] = {1e-3, 1e-2};
    for (const double ridge : ridges) {
        if (!exceeds_kappa(options, solved.solution.quality) || work.stopped()) return;
        take_better(options, attempt_by_ridge(options, ridge, sample, outer, work.part(1, 1)), solved);
    }
    if (exceeds_kappa(options, solved.solution.quality))
        improve_by_near_weights(options, sample, long_trials(options, sample, solved.solution.weights), solved,
                                work.part(1, 1));
}

}  // namespace fairstream::partial_fair_scorer
