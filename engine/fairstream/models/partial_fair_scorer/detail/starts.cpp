#include <fairstream/models/partial_fair_scorer/detail/starts.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/models/partial_fair_scorer/detail/linear.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// Returns the parameters of least loss without constraints, where the quadratic solver begins. Constraints are easier
/// to meet from there than from w = 0, where all scores tie. For losses that are not convex, uses the logistic loss.
std::vector<double> unconstrained(const Options& options, const Sample& sample, std::vector<double> w,
                                  std::int64_t& inner, const WorkHandle& work) {
    Options free = options;
    free.metric = Metric::none;
    if (free.loss == Loss::sigmoid) free.loss = Loss::logistic;
    ScoreProblem problem(free, sample);
    inner += dc::minimise(problem, w, idca_options(free, options.solve_iterations), {}, {}, work).inner;
    return w;
}

/// Returns the share of `rows` above the threshold, by the surrogate, if `shift` is added to their scores.
double share_above(const Options& options, const Sample& sample, RowRange rows, std::span<const double> scores,
                   double shift) {
    Tails tails(options, sample, {{rows, Tail::fixed, options.threshold - shift}});
    tails.evaluate(scores, {});
    return tails.share(0);
}

/// Returns the shift at which `share_above` of `rows` is `share`.
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

/// Shifts the scores of the compared groups, if group terms allow it. Each group then has the same share above the
/// given threshold as all groups together, or the nearest share within the first interval. Where the share is outside a
/// group's ranks, min{., alpha} and min{., beta} are constant. Constraints then have no slope that would lead the group
/// back into its ranks, so the shift puts it there.
void level_groups(const Options& options, const Sample& sample, std::vector<double>& w) {
    // Least distance of a share to the ends of its interval, relative to the interval's length. At the ends constraints
    // may have no slope.
    constexpr double inside = 0.05;
    if (!compares_at_threshold(options) || options.group_terms == GroupTerms::none) return;
    const auto function = make_score_function(options, sample);
    std::vector<double> scores(sample.size());
    function->evaluate(w, scores);
    const RanksByGroup ranks = ranks_of(options, sample.known_groups());
    const auto compared = [&](std::size_t g) {
        return is_of_positives(options.metric) ? sample.positives(g) : sample.group(g);
    };
    double above = 0, all = 0;
    for (std::size_t g = 0; g < sample.known_groups(); ++g) {
        const double size = sample.mass(compared(g));
        above += size * share_above(options, sample, compared(g), scores, 0);
        all += size;
    }
    if (all == 0) return;
    double first = 0;
    for (std::size_t g = 0; g < sample.known_groups(); ++g) {
        if (compared(g).size() == 0) continue;
        const RankInterval& own = ranks[g].front();
        const double edge = inside * (own.to - own.from);
        const double share = std::clamp(above / all, own.from + edge, own.to - edge);
        const double shift = shift_to(options, sample, compared(g), scores, share);
        if (g == 0) first = shift;
        w[LinearScores::intercept(options.group_terms, sample.dimensions(), g)] += g == 0 ? shift : shift - first;
    }
}

}  // namespace

dc::IdcaOptions idca_options(const Options& options, std::int64_t outer) {
    dc::IdcaOptions idca;
    idca.inner = options.inner == Inner::quadratic ? dc::Inner::quadratic : dc::Inner::ssg;
    idca.outer = outer;
    idca.inner_iterations = options.inner_iterations;
    idca.epsilon = options.epsilon;
    idca.tolerance = options.tolerance;
    return idca;
}

std::vector<double> tied_start(const Options& options, const Sample& sample) {
    std::vector<double> w = initial_parameters(options, sample.dimensions(), sample.groups());
    if (!compares_at_threshold(options)) return w;
    const double share = (options.interval[0] + options.interval[1]) / 2;
    const double x = options.surrogate == Surrogate::clipped ? share - 0.5 : std::log(share / (1 - share));
    w[0] = options.threshold + options.width * x;
    return w;
}

std::vector<double> cold_start(const Options& options, const Sample& sample, ScoreProblem& problem, std::int64_t& inner,
                               const WorkHandle& work) {
    if (options.inner == Inner::ssg) return problem.with_fitting_thresholds(tied_start(options, sample));
    std::vector<double> w = initial_parameters(options, sample.dimensions(), sample.groups());
    w = unconstrained(options, sample, std::move(w), inner, work);
    level_groups(options, sample, w);
    return problem.with_fitting_thresholds(w);
}

}  // namespace fairstream::partial_fair_scorer
