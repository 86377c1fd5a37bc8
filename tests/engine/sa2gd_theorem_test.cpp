/// Theory of SA2GD: its limit, its speed, and the distance of a run from both.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "quadratics.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

const std::vector<std::pair<int, int>> efforts{{1, 1}, {3, 1}, {1, 4}, {2, 3}, {4, 0}, {0, 2}};

QuadraticPair full_matrices(double noise) {
    return {{symmetric({1, 1.5, 2}, {1, 2, -1}), {1, -2, 0.5}, noise},
            {symmetric({3, 1, 2}, {2, 0, 1}), {-1, 1, 2}, noise},
            1,
            3};
}

// Diagonal, so that the eigenvalues of every weighted sum are known; nearly round, so that the bound is tight.
QuadraticPair nearly_round(double noise) {
    return {{symmetric({1, 1.2, 1.1}, {}), {0.5, 0, 0}, noise},
            {symmetric({1.2, 1, 1.1}, {}), {-0.5, 0, 0}, noise},
            1,
            1.2};
}

sa2gd::Options effort(std::pair<int, int> steps, std::int64_t iterations, double c) {
    return {.steps_a = steps.first, .steps_b = steps.second, .iterations = iterations, .strong_convexity = c};
}

// Uniform noise is strictly sub-Gaussian, and so is a sum of such terms: P(|x - E x| > z sigma) <= 2 exp(-z^2 / 2),
// 3e-8 at six.
constexpr double six_sigma = 6;

TEST(Sa2gd, GoesToTheMinimiserOfTheWeightedSum) {
    const QuadraticPair pair = full_matrices(1);
    const Vector start{5, 5, -5};
    std::vector<Vector> limits;
    for (const auto& steps : efforts) limits.push_back(pair.minimiser(sa2gd::weight(effort(steps, 1, pair.c))));
    for (std::size_t e = 0; e < efforts.size(); ++e) {
        const sa2gd::Options options = effort(efforts[e], 40'000, pair.c);
        Moments exact{start};
        for (std::int64_t t = 0; t < options.iterations; ++t)
            exact.iterate(pair, options, theorem_step(pair, options, t));
        const Vector x = at(sa2gd::minimise(options, start, pair.a.drawn(), pair.b.drawn()).x);
        double reach = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double off = std::abs(exact.mean[i] - limits[e][i]) + six_sigma * std::sqrt(exact.covariance[i][i]);
            EXPECT_NEAR(x[i], limits[e][i], off);
            reach += off;
        }
        for (std::size_t other = 0; other < efforts.size(); ++other)
            EXPECT_TRUE(other == e || length(minus(limits[e], limits[other])) > 2 * reach)
                << "another limit is within tolerance";
    }
}

// To second order in alpha an iteration is x <- x - alpha n grad S(x) + alpha^2 v, where v sums H g over the pairs of
// an earlier step (g) and a later one (H). With x_t = x_* + E / t that gives (2 H - c) E = 4 v / (c n^2) for the H of
// S.
Vector limit_of_t_times_bias(const QuadraticPair& pair, const sa2gd::Options& options) {
    const auto a = static_cast<double>(options.steps_a), b = static_cast<double>(options.steps_b), n = a + b;
    const double lambda = sa2gd::weight(options);
    const Vector x = pair.minimiser(lambda), ga = pair.a.gradient(x), gb = pair.b.gradient(x);
    const Vector aa = times(pair.a.hessian, ga), ba = times(pair.b.hessian, ga), bb = times(pair.b.hessian, gb);
    const Matrix hessian = pair.hessian(lambda);
    return solve(matrix_of([&](std::size_t i, std::size_t j) { return 2 * hessian[i][j] - (i == j ? pair.c : 0); }),
                 vector_of([&](std::size_t i) {
                     return 4 / (pair.c * n * n) * (a * (a - 1) / 2 * aa[i] + a * b * ba[i] + b * (b - 1) / 2 * bb[i]);
                 }));
}

TEST(Sa2gd, NoiselessDistanceFallsAsOneOverT) {
    const QuadraticPair pair = full_matrices(0);
    const Vector start{5, 5, -5};
    for (const auto& steps : efforts) {
        const sa2gd::Options options = effort(steps, 4000, pair.c);
        const Vector limit = pair.minimiser(sa2gd::weight(options)), constant = limit_of_t_times_bias(pair, options);
        Moments exact{start};
        std::vector<double> off;  // by t: | t (x_t - x_*) - E |, itself O(1 / t)
        const auto observe = [&](std::int64_t t, std::span<const double> x) {
            exact.iterate(pair, options, theorem_step(pair, options, t - 1));
            const auto elapsed = static_cast<double>(t);
            // Rounding: at most 20 operations per step and coordinate on numbers below 100; only steps with alpha_t L >
            // 2 stretch an error, and those of the first iteration alone are such: by alpha_0 L - 1 <= 2, twice.
            const double rounding = 4 * 100 * gamma(static_cast<std::size_t>(t) * 5 * 20, double_unit);
            ASSERT_LT(length(minus(at(x), exact.mean)), rounding) << t;
            off.push_back(length(vector_of([&](std::size_t i) { return elapsed * (x[i] - limit[i]) - constant[i]; })));
        };
        (void)sa2gd::minimise(options, start, pair.a.drawn(), pair.b.drawn(), observe);
        ASSERT_EQ(off.size(), 4000U);
        for (const std::size_t t : {1000, 2000}) EXPECT_NEAR(off[2 * t - 1], off[t - 1] / 2, off[t - 1] / 10) << t;
    }
}

// Many runs of one problem.
struct Runs {
    std::vector<double> gap;       // by t: mean over the runs of S(x_t) - S(x_*); [0] is of the start
    std::vector<double> distance;  // by t: mean of |x_t - x_*|^2
    double diameter = 0;  // diagonal of a box around all that E.4 speaks of, every step and the three minimisers
};

Runs run(const QuadraticPair& pair, sa2gd::Options options, const Vector& start, int count) {
    const double lambda = sa2gd::weight(options);
    const Vector limit = pair.minimiser(lambda);
    const Gap gap(pair, lambda);
    const auto size = static_cast<std::size_t>(options.iterations) + 1;
    Runs runs{std::vector<double>(size), std::vector<double>(size), 0};
    Vector low = limit, high = limit;
    const auto reach = [&](const Vector& x) {
        for (std::size_t i = 0; i < 3; ++i) low[i] = std::min(low[i], x[i]), high[i] = std::max(high[i], x[i]);
    };
    reach(pair.a.centre), reach(pair.b.centre), reach(start);
    const auto reaching = [&](const sa2gd::Gradient& gradient) -> sa2gd::Gradient {
        return [&reach, gradient](auto x, Draws& draws, auto out) { reach(at(x)), gradient(x, draws, out); };
    };
    const auto observe = [&](std::int64_t t, std::span<const double> x) {
        const Vector off = minus(at(x), limit);
        runs.gap[static_cast<std::size_t>(t)] += gap.of(at(x)) / count;
        runs.distance[static_cast<std::size_t>(t)] += dot(off, off) / count;
        reach(at(x));
    };
    const sa2gd::Gradient a = reaching(pair.a.drawn()), b = reaching(pair.b.drawn());
    for (int i = 0; i < count; ++i) {
        options.seed = static_cast<std::uint64_t>(i);
        (void)sa2gd::minimise(options, start, a, b, observe);
    }
    runs.gap[0] = gap.of(start);
    runs.diameter = length(minus(high, low));
    return runs;
}

// By t: the expectation that the mean of the runs estimates, and its standard error, both exact.
struct Expectation {
    std::vector<double> gap, error;
};

Expectation expect(const QuadraticPair& pair, const sa2gd::Options& options, const Vector& start, int count) {
    const Gap gap(pair, sa2gd::weight(options));
    Moments x{start};
    Expectation expectation{{gap.of(start)}, {0}};
    for (std::int64_t t = 0; t < options.iterations; ++t) {
        x.iterate(pair, options, theorem_step(pair, options, t));
        expectation.gap.push_back(gap.expected(x));
        expectation.error.push_back(gap.deviation(x) / std::sqrt(count));
    }
    return expectation;
}

// The constants of Theorem 5.1. Of a drawn gradient E|g|^2 = |grad f|^2 + 3 variance: G = 3 variance and G' = 1.
struct Bound {
    double a, b, c, lipschitz, diameter, second_moment;  // c, L, Theta and M^2

    Bound(const QuadraticPair& pair, const sa2gd::Options& options, double diameter_of_runs)
        : a(static_cast<double>(options.steps_a)),
          b(static_cast<double>(options.steps_b)),
          c(pair.c),
          lipschitz(pair.lipschitz),
          diameter(diameter_of_runs),
          second_moment(3 * std::max(pair.a.variance(), pair.b.variance()) +
                        lipschitz * lipschitz * diameter * diameter) {}

    [[nodiscard]] double gap(std::size_t t) const {
        return 4 / (c * (static_cast<double>(t) + 1)) * ((a * a + b * b) / (a + b) * second_moment + (a + b) * drift());
    }
    [[nodiscard]] double sharper_gap(std::size_t t) const { return gap(t) / (a + b); }
    [[nodiscard]] double last_distance(std::size_t t) const {
        return 8 / (c * c * static_cast<double>(t)) * ((a * a + b * b) / ((a + b) * (a + b)) * second_moment + drift());
    }
    [[nodiscard]] double drift() const { return lipschitz * diameter * std::sqrt(second_moment); }
};

TEST(Sa2gd, KeepsTheBoundOfTheTheorem) {
    const Vector start{2, -1, 1};
    const int count = 100;
    for (const QuadraticPair& pair : {full_matrices(2), nearly_round(2)})
        for (const auto& steps : efforts) {
            const sa2gd::Options options = effort(steps, 300, pair.c);
            const Runs runs = run(pair, options, start, count);
            const Expectation exact = expect(pair, options, start, count);
            const Bound bound(pair, options, runs.diameter);
            double least = std::numeric_limits<double>::infinity(), expected_least = least;
            for (std::size_t t = 1; t < runs.gap.size(); ++t) {
                least = std::min(least, runs.gap[t]);
                expected_least = std::min(expected_least, exact.gap[t]);
                ASSERT_LE(least, bound.gap(t)) << t;
                ASSERT_LE(least, bound.sharper_gap(t)) << t;
                ASSERT_LE(expected_least, bound.sharper_gap(t)) << t;
                ASSERT_LE(runs.distance[t], t < 2 ? runs.distance[t] : bound.last_distance(t)) << t;
            }
        }
}

// With the covariance X / t its recursion is, at first order, (2 / c) (H X + X H) - X = 4 variance / (c^2 n), so that
// t (E S(x_t) - S(x_*)) -> 2 variance / (c n) sum over the eigenvalues h of H of h / (4 h - c). H is diagonal here.
double limit_of_t_times_gap(const QuadraticPair& pair, const sa2gd::Options& options) {
    const Matrix hessian = pair.hessian(sa2gd::weight(options));
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += hessian[i][i] / (4 * hessian[i][i] - pair.c);
    return 2 * pair.a.variance() / (pair.c * static_cast<double>(options.steps_a + options.steps_b)) * sum;
}

constexpr std::size_t early = 20, late = 2000;
const double log_range = std::log(static_cast<double>(late) / early);

double slope(const std::vector<double>& gap) {
    return std::log(gap[late] / gap[early]) / log_range;
}

TEST(Sa2gd, GapFallsAsOneOverT) {
    const QuadraticPair pair = nearly_round(3);
    const Vector start{0.5, -0.5, 0.5};
    const int count = 400;
    for (const auto& steps : {std::pair{1, 1}, {2, 1}}) {
        const sa2gd::Options options = effort(steps, late, pair.c);
        const Runs runs = run(pair, options, start, count);
        const Expectation exact = expect(pair, options, start, count);
        for (std::size_t t = 1; t <= late; ++t) ASSERT_NEAR(runs.gap[t], exact.gap[t], six_sigma * exact.error[t]) << t;

        const double constant = limit_of_t_times_gap(pair, options);
        const auto off = [&](std::size_t t) { return std::abs(static_cast<double>(t) * exact.gap[t] / constant - 1); };
        EXPECT_LT(off(late), off(early) / 20) << "of order 1 / t";
        const auto error = [&](std::size_t t) { return six_sigma * exact.error[t] / exact.gap[t]; };
        const double tolerance = (error(early) + error(late) + off(early) + off(late)) / log_range;
        EXPECT_LT(tolerance, 0.15);
        EXPECT_NEAR(slope(runs.gap), -1, tolerance);
    }
}

// What the two tests above report for a rule that does not converge.
TEST(Sa2gd, ConstantStepBreaksBound) {
    const QuadraticPair pair = nearly_round(3);
    sa2gd::Options options = effort({1, 1}, 5000, 0);
    options.step = [](std::int64_t) { return 0.5; };
    const Runs runs = run(pair, options, {0.5, -0.5, 0.5}, 100);
    EXPECT_GT(slope(runs.gap), -0.15);
    EXPECT_GT(*std::ranges::min_element(runs.gap), Bound(pair, options, runs.diameter).gap(5000));
}

// L / c = 1000: the theorem's steps first lead beyond the range of a double. From a later start no step overshoots.
TEST(Sa2gd, AnIllConditionedPairNeedsALaterStart) {
    const Matrix stretched = symmetric({1, 1000, 30}, {});
    const QuadraticPair pair{{stretched, {1, 1, 1}, 0}, {stretched, {3, -1, 1}, 0}, 1, 1000};
    const Vector start{0, 0, 0};
    sa2gd::Options options = effort({1, 1}, 20'000, pair.c);
    EXPECT_EQ(sa2gd::minimise(options, start, pair.a.drawn(), pair.b.drawn()).outcome, sa2gd::Outcome::not_finite);

    const auto from = [&](double t_0, double n) {
        return [=](std::int64_t t) { return 2 / ((static_cast<double>(t) + t_0) * n); };
    };
    const Vector limit = pair.minimiser(0.5), constant = limit_of_t_times_bias(pair, options);
    options.strong_convexity = 0;
    options.step = from(500, 2);
    const sa2gd::Result result = sa2gd::minimise(options, start, pair.a.drawn(), pair.b.drawn());
    EXPECT_EQ(result.outcome, sa2gd::Outcome::iteration_limit);
    EXPECT_LT(length(minus(at(result.x), limit)), 2 * length(constant) / 20'000) << "twice its first order";

    options = {.steps_a = 1, .steps_b = 0, .iterations = 2000, .step = from(1000, 1)};
    double distance = length(minus(start, pair.a.centre));
    const auto observe = [&](std::int64_t t, std::span<const double> x) {
        const double next = length(minus(at(x), pair.a.centre));
        ASSERT_LE(next, distance) << t;
        distance = next;
    };
    (void)sa2gd::minimise(options, start, pair.a.drawn(), pair.b.drawn(), observe);
}

}  // namespace
}  // namespace fairstream::test
