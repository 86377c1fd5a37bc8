/// The whole training problem, and both ways of solving it for two different groups.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/models/partial_fair_scorer/detail/score_problem.hpp>
#include <fairstream/optimisation/detail/dc/idca.hpp>

#include "samples.hpp"
#include "support/threads.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;

std::vector<Options> problems() {
    std::vector<Options> all;
    for (const Metric metric : {Metric::psp, Metric::pdp, Metric::eop, Metric::eod, Metric::gauc, Metric::none})
        for (const Form form : {Form::linear, Form::mlp})
            for (const Surrogate surrogate : {Surrogate::clipped, Surrogate::logistic}) {
                Options options;
                options.loss = Loss::logistic;
                options.metric = metric, options.form = form, options.surrogate = surrogate;
                options.hidden = 2, options.rank_levels = 3, options.ridge = 0.3, options.kappa = 0.1;
                options.interval = {0.1, 0.6};
                options.loss = form == Form::linear ? Loss::sigmoid : Loss::logistic;
                all.push_back(options);
            }
    Options pairs;
    pairs.loss = Loss::logistic;
    pairs.over = Over::partial_auc, pairs.false_positives = {0.1, 0.5}, pairs.rank_levels = 3;
    all.push_back(pairs);
    return all;
}

template <class Check> void for_each_problem(const Sample& sample, Check&& check) {
    for (const Options& options : problems()) {
        SCOPED_TRACE(::testing::Message()
                     << "metric " << static_cast<int>(options.metric) << " form " << static_cast<int>(options.form)
                     << " surrogate " << static_cast<int>(options.surrogate));
        ScoreProblem problem(options, sample);
        check(options, problem);
    }
}

double value_of(ScoreProblem& problem, const Vector& v, std::size_t i, Side side) {
    dc::Values values;
    problem.evaluate(v, values);
    return (side == Side::plus ? values.plus : values.minus)[i];
}

TEST(ScoreProblem, GradientsOfEveryPartAreThoseOfDifferences) {
    const Sample sample = random_sample(50, 2, 2, 1);
    for_each_problem(sample, [&](const Options&, ScoreProblem& problem) {
        const std::size_t n = problem.variables(), m = problem.constraints();
        const Vector v = random_vector(n, 2, 0.6);
        for (std::size_t i = 0; i <= m; ++i)
            for (const Side side : {Side::plus, Side::minus}) {
                const Vector expected =
                    slopes_of([&](const Vector& at) { return value_of(problem, at, i, side); }, v, 1e-7);
                (void)value_of(problem, v, 0, side);
                Vector out(n, 1.0);
                side == Side::plus ? problem.add_plus_gradient(i, 2, out) : problem.add_minus_gradient(i, 2, out);
                for (double& value : out) value = (value - 1) / 2;
                ASSERT_LE(test::largest_difference(out, expected), 2e-6 * (1 + std::abs(value_of(problem, v, i, side))))
                    << "function " << i;
                if (i == 0) continue;
                (void)value_of(problem, v, 0, side);
                Matrix plus, minus;
                problem.constraint_gradients(plus, minus);
                ASSERT_EQ(plus.rows, m);
                const Matrix& all = side == Side::plus ? plus : minus;
                ASSERT_LE(test::largest_difference({all.row(i - 1), n}, out), 1e-11);
            }
    });
}

TEST(ScoreProblem, TheObjectiveIsTheLossWithItsRidge) {
    const Sample sample = random_sample(50, 2, 2, 1);
    for_each_problem(sample, [&](const Options& options, ScoreProblem& problem) {
        const Vector v = random_vector(problem.variables(), 3, 0.6);
        dc::Values values;
        problem.evaluate(v, values);
        LossParts parts;
        make_loss(options, sample)->evaluate(problem.scores(), parts);
        const double square = dot(std::span(v).first(problem.parameters()), std::span(v).first(problem.parameters()));
        EXPECT_NEAR(values.objective(), parts.plus - parts.minus + options.ridge / 2 * square, 1e-12);
        ASSERT_EQ(values.constraints(), problem.constraints());
    });
}

// Always if h is linear in w; for a network near its start, where its weak convexity is estimated.
TEST(ScoreProblem, BothPartsOfEveryFunctionAreConvex) {
    const Sample sample = random_sample(40, 2, 2, 4);
    for_each_problem(sample, [&](const Options& options, ScoreProblem& problem) {
        for (std::size_t i = 0; i <= problem.constraints(); ++i)
            for (const Side side : {Side::plus, Side::minus})
                ASSERT_LE(above_chords([&](const Vector& at) { return value_of(problem, at, i, side); },
                                       Vector(problem.variables(), 0.0), i, options.form == Form::linear ? 2 : 0.4),
                          1e-11)
                    << "function " << i;
    });
}

// A narrow surrogate is steep, and its steepness multiplies a network's deviation from convexity.
TEST(ScoreProblem, BothPartsAreConvexHoweverSteepTheSurrogate) {
    const Sample sample = random_sample(40, 2, 2, 4);
    for (const Surrogate surrogate : {Surrogate::clipped, Surrogate::logistic})
        for (const double width : {0.02, 0.2, 5.0}) {
            Options options;
            options.loss = Loss::logistic;
            options.form = Form::mlp, options.hidden = 2, options.rank_levels = 2, options.surrogate = surrogate;
            options.width = width;
            ScoreProblem problem(options, sample);
            for (std::size_t i = 1; i <= problem.constraints(); ++i)
                for (const Side side : {Side::plus, Side::minus})
                    EXPECT_LE(above_chords([&](const Vector& at) { return value_of(problem, at, i, side); },
                                           Vector(problem.variables(), 0.0), i, 0.4),
                              1e-11)
                        << "function " << i << " width " << width;
        }
}

// Cholesky's factorisation exists.
bool positive_definite(Matrix a) {
    for (std::size_t j = 0; j < a.rows; ++j) {
        for (std::size_t k = 0; k < j; ++k) a.at(j, j) -= a.at(j, k) * a.at(j, k);
        if (!(a.at(j, j) > 0)) return false;
        a.at(j, j) = std::sqrt(a.at(j, j));
        for (std::size_t i = j + 1; i < a.rows; ++i) {
            for (std::size_t k = 0; k < j; ++k) a.at(i, j) -= a.at(i, k) * a.at(j, k);
            a.at(i, j) /= a.at(j, j);
        }
    }
    return true;
}

TEST(ScoreProblem, CurvatureIsSymmetricAndPositiveDefinite) {
    PointColumns degenerate = random_points(50, 2, 2, 1);  // a feature that is 0 throughout, and a constant one
    for (std::size_t i = 0; i < 50; ++i) degenerate.features[2 * i] = 0;
    PointColumns twins = random_points(50, 2, 2, 1);
    for (std::size_t i = 0; i < 50; ++i) twins.features[2 * i] = twins.features[2 * i + 1];
    for (const PointColumns& points : {random_points(50, 2, 2, 1), degenerate, twins}) {
        const Sample sample = sample_of(points, 2, 2);
        for_each_problem(sample, [&](const Options& options, ScoreProblem& problem) {
            dc::Values values;
            for (const double scale : {0.0, 0.5, 20.0}) {
                problem.evaluate(random_vector(problem.variables(), 3, scale), values);
                for (const double multiplier : {0.0, 1.0, 20.0}) {
                    const dc::Curvature found = problem.curvature(Vector(problem.constraints(), multiplier));
                    ASSERT_EQ(found.blocks.size() == 1, options.form == Form::linear);
                    ASSERT_EQ(found.variables(), problem.variables());
                    const Matrix out = whole_of(found);
                    for (std::size_t i = 0; i < out.rows; ++i)
                        for (std::size_t j = 0; j < i; ++j)
                            ASSERT_NEAR(out.at(i, j), out.at(j, i), 1e-12 * (1 + std::abs(out.at(i, j))));
                    EXPECT_TRUE(positive_definite(out)) << "scale " << scale << " multiplier " << multiplier;
                }
            }
        });
    }
}

TEST(ScoreProblem, DoesNotDependOnThreads) {
    const Sample sample = random_sample(9'000, 2, 2, 5);
    for (const Options& options : problems()) {
        if (options.metric == Metric::gauc && options.surrogate == Surrogate::logistic) continue;  // O(n n')
        ScoreProblem problem(options, sample);
        const Vector v = random_vector(problem.variables(), 6, 0.5);
        fairstream::test::expect_same_at_any_thread_count([&] {
            dc::Values values;
            problem.evaluate(v, values);
            Matrix plus, minus;
            problem.constraint_gradients(plus, minus);
            Matrix curvature = whole_of(problem.curvature(Vector(problem.constraints(), 0.5)));
            Vector all(problem.variables(), 0.0);
            problem.add_plus_gradient(0, 1, all);
            if (problem.constraints() > 0) problem.add_plus_gradient(1, 1, all);
            for (const Vector* more : {&values.plus, &values.minus, &plus.values, &minus.values, &curvature.values})
                all.insert(all.end(), more->begin(), more->end());
            return all;
        });
    }
}

TEST(ScoreProblem, OfNothingEndsAtOnce) {
    const Sample empty = sample_of({}, 3, 2);
    for_each_problem(empty, [&](const Options& options, ScoreProblem& problem) {
        Vector v = problem.with_fitting_thresholds(initial_parameters(options, 3, 2));
        ASSERT_EQ(v.size(), problem.variables());
        for (const dc::Inner inner : {dc::Inner::quadratic, dc::Inner::ssg}) {
            dc::IdcaOptions idca;
            idca.inner = inner, idca.outer = 3, idca.inner_iterations = 5;
            const dc::IdcaResult result = dc::minimise(problem, v, idca);
            EXPECT_TRUE(std::isfinite(result.objective));
            EXPECT_EQ(result.infeasibility, 0);
            for (const double value : v) EXPECT_TRUE(std::isfinite(value));
        }
    });
}

TEST(ScoreProblem, DegenerateSamplesStayFinite) {
    PointColumns positives = random_points(30, 2, 2, 1), alone = positives;
    std::ranges::fill(positives.targets, 1.0F);
    std::ranges::fill(alone.groups, GroupId{1});
    for (const PointColumns& points : {positives, alone, random_points(1, 2, 2, 1)}) {
        const Sample sample = sample_of(points, 2, 2);
        for_each_problem(sample, [&](const Options& options, ScoreProblem& problem) {
            for (const dc::Inner inner : {dc::Inner::quadratic, dc::Inner::ssg}) {
                Vector v = problem.with_fitting_thresholds(initial_parameters(options, 2, 2));
                dc::IdcaOptions idca;
                idca.inner = inner, idca.outer = 5, idca.inner_iterations = 20;
                const dc::IdcaResult result = dc::minimise(problem, v, idca);
                EXPECT_TRUE(std::isfinite(result.objective) && std::isfinite(result.kkt.residual()));
                for (const double value : v) EXPECT_TRUE(std::isfinite(value));
            }
        });
    }
}

struct Solved {
    dc::IdcaResult result;
    double sp = 0, gap = 0;
};

// Compares the surrogate's shares with those of the points, at the thresholds.
double surrogate_gap(const Options& options, const Sample& sample, std::span<const double> scores,
                     std::span<const double> thetas) {
    double most = 0;
    for (std::size_t g = 0; g < sample.groups(); ++g)
        for (const double theta : thetas) {
            double sum = 0;
            for (std::size_t row = sample.group(g).first; row < sample.group(g).last; ++row)
                sum +=
                    std::clamp((scores[row] - theta) / options.width + 0.5, 0.0, 1.0) - (scores[row] > theta ? 1 : 0);
            most = std::max(most, std::abs(sum) / static_cast<double>(sample.group(g).size()));
        }
    return most;
}

Solved solved(const Options& options, const Sample& sample, const dc::IdcaOptions& idca) {
    ScoreProblem problem(options, sample);
    Vector v = problem.with_fitting_thresholds(initial_parameters(options, sample.dimensions(), sample.groups()));
    Solved found;
    found.result = dc::minimise(problem, v, idca);
    ScoreTally tally(sample.groups());
    for (std::size_t row = 0; row < sample.size(); ++row)
        tally.add(problem.scores()[row], static_cast<GroupId>(group_of(sample, row)), sample.signs()[row] > 0);
    tally.settle();
    found.sp = score_fairness(tally, ranks_of(options, sample.groups()), 0).sp;
    found.gap = surrogate_gap(options, sample, problem.scores(), std::span(v).subspan(problem.parameters()));
    return found;
}

dc::IdcaOptions idca_of(dc::Inner inner) {
    dc::IdcaOptions idca;
    idca.inner = inner;
    idca.outer = 60;
    return idca;
}

// Both solvers end feasible, the quadratic one no worse, and the constraints' promise for the scores holds, up to the
// spacing of the levels and twice the errors of the surrogate and of feasibility, in units of the ranks that count.
TEST(ScoreProblem, BothSolversKeepPromise) {
    const Sample sample = random_sample(2000, 5, 2, 7);
    for (const double kappa : {0.05, 0.2}) {
        Options options;
        options.loss = Loss::logistic;
        options.kappa = kappa, options.interval = {0.05, 0.4};
        double quadratic_loss = 0;
        for (const dc::Inner inner : {dc::Inner::quadratic, dc::Inner::ssg}) {
            SCOPED_TRACE(::testing::Message() << "kappa " << kappa << " inner " << static_cast<int>(inner));
            const dc::IdcaOptions idca = idca_of(inner);
            const Solved found = solved(options, sample, idca);
            EXPECT_LE(found.result.infeasibility, idca.epsilon);
            EXPECT_LT(found.result.objective, 0.6) << "better than scores that tie";
            const double open = 2 * (found.gap + found.result.infeasibility) / (0.4 - 0.05);
            EXPECT_LE(found.sp, kappa + (1 - kappa) / (options.rank_levels - 1) + open);
            if (inner == dc::Inner::quadratic) quadratic_loss = found.result.objective;
            EXPECT_LE(quadratic_loss, found.result.objective + 1e-3);
        }
    }
}

TEST(ScoreProblem, AllMetricsAreMadeFeasible) {
    const Sample sample = random_sample(600, 3, 3, 8);
    for (const Metric metric : {Metric::psp, Metric::pdp, Metric::eop, Metric::eod, Metric::gauc}) {
        SCOPED_TRACE(static_cast<int>(metric));
        Options options;
        options.loss = Loss::logistic;
        options.metric = metric, options.interval = {0.1, 0.5}, options.kappa = 0.1;
        options.group_terms = GroupTerms::none;
        const Solved found = solved(options, sample, idca_of(dc::Inner::quadratic));
        EXPECT_LE(found.result.infeasibility, 1e-3);
        EXPECT_LE(found.result.objective, std::log(2)) << "no worse than w = 0";
    }
}

// Without constraints and with a convex loss, both find the same least loss.
TEST(ScoreProblem, WithoutConstraintsTheLeastLossIsFound) {
    const Sample sample = random_sample(500, 3, 2, 9);
    for (const Loss loss : {Loss::logistic, Loss::squared}) {
        Options options;
        options.loss = Loss::logistic;
        options.metric = Metric::none, options.loss = loss, options.ridge = 0.01;
        dc::IdcaOptions idca = idca_of(dc::Inner::quadratic);
        idca.tolerance = 1e-9;
        const Solved exact = solved(options, sample, idca);
        EXPECT_EQ(exact.result.end, dc::End::converged);
        EXPECT_LE(exact.result.kkt.stationarity, 1e-9);
        const Solved rough = solved(options, sample, idca_of(dc::Inner::ssg));
        EXPECT_NEAR(rough.result.objective, exact.result.objective, 5e-3);
    }
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
