/// Both inner solvers on problems with known answers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fairstream/optimisation/detail/dc/idca.hpp>

#include "problems.hpp"

namespace fairstream::dc {
namespace {

using namespace test;

IdcaOptions options_of(Inner inner, double epsilon = 1e-3) {
    IdcaOptions options;
    options.inner = inner;
    options.outer = 300;
    options.inner_iterations = 400;
    options.epsilon = epsilon;
    options.tolerance = inner == Inner::quadratic ? 1e-7 : 1e-12;  // ssg: run to its limit
    return options;
}

double objective(Known& known, const Vector& v) {
    return known.problem.value(0, v);
}
double infeasibility(const Example& problem, const Vector& v) {
    double worst = 0;
    for (std::size_t i = 1; i <= problem.constraints(); ++i) worst = std::max(worst, problem.value(i, v));
    return worst;
}

TEST(Idca, TheQuadraticSolverEndsAtTheAnswer) {
    for (Known& known : known_problems()) {
        SCOPED_TRACE(known.name);
        Vector v = known.start;
        const IdcaResult result = minimise(known.problem, v, options_of(Inner::quadratic));
        // At kinks of the objective no single subgradient is small.
        if (known.name != "diamond") {
            EXPECT_EQ(result.end, End::converged);
            EXPECT_LE(result.kkt.residual(), 1e-7);
        }
        EXPECT_NEAR(objective(known, v), known.least, 1e-6);
        EXPECT_LE(infeasibility(known.problem, v), 1e-7);
        for (std::size_t i = 0; i < known.multipliers.size(); ++i)
            EXPECT_NEAR(result.kkt.multipliers[i], known.multipliers[i], 1e-6);
    }
}

// Theorem 6.5: within a multiple of epsilon of the answer.
TEST(Idca, TheSwitchingSubgradientMethodComesWithinEpsilon) {
    for (const double epsilon : {1e-2, 1e-3})
        for (Known& known : known_problems()) {
            SCOPED_TRACE(known.name + " at " + std::to_string(epsilon));
            Vector v = known.start;
            (void)minimise(known.problem, v, options_of(Inner::ssg, epsilon));
            EXPECT_LE(objective(known, v), known.least + 10 * epsilon);
            EXPECT_LE(infeasibility(known.problem, v), epsilon);
        }
}

TEST(Idca, SaysOfItsAnswerWhatTheAnswerIs) {
    for (const Inner inner : {Inner::quadratic, Inner::ssg})
        for (Known& known : known_problems()) {
            SCOPED_TRACE(known.name);
            Vector v = known.start;
            const IdcaResult result = minimise(known.problem, v, options_of(inner));
            EXPECT_EQ(result.objective, objective(known, v));
            EXPECT_EQ(result.infeasibility, infeasibility(known.problem, v));
            EXPECT_EQ(result.infeasibility, result.kkt.infeasibility);
        }
}

// What the caller asks the problem afterwards, such as the scores, is about the answer.
TEST(Idca, LeavesProblemAtAnswerAndCountsEvaluations) {
    for (const Inner inner : {Inner::quadratic, Inner::ssg})
        for (Known& known : known_problems()) {
            SCOPED_TRACE(known.name);
            Vector v = known.start;
            const IdcaResult result = minimise(known.problem, v, options_of(inner));
            EXPECT_EQ(known.problem.place(), v);
            EXPECT_EQ(result.inner, known.problem.evaluations);
        }
}

// Lemma D.1 of the paper's analysis: from a point that is feasible within epsilon, the convex problem's answer is no
// worse, since the tangents of the minuses bound the functions from above.
TEST(Idca, SubgradientMethodStaysFeasibleAndFalls) {
    for (Known& known : known_problems()) {
        SCOPED_TRACE(known.name);
        const IdcaOptions options = options_of(Inner::ssg);
        double before = std::numeric_limits<double>::infinity();
        Vector v = known.start;
        (void)minimise(known.problem, v, options, {}, [&](const IdcaResult& now) {
            EXPECT_LE(now.objective, before + 1e-12);
            EXPECT_LE(now.infeasibility, options.epsilon + 1e-12);
            before = now.objective;
        });
    }
}

TEST(Idca, QuadraticSolverReturnsBestFeasible) {
    for (Known& known : known_problems()) {
        SCOPED_TRACE(known.name);
        const IdcaOptions options = options_of(Inner::quadratic);
        double least = std::numeric_limits<double>::infinity();
        Vector v(known.start.size(), 3.0);  // infeasible in some
        const IdcaResult result = minimise(known.problem, v, options, {}, [&](const IdcaResult& now) {
            if (now.infeasibility <= options.epsilon) least = std::min(least, now.kkt.residual());
        });
        EXPECT_EQ(result.kkt.residual(), least);
        EXPECT_EQ(known.problem.place(), v);
    }
}

// The answer without the constraint, where the solver of scores begins, has no residual except its infeasibility. It
// became the answer when the constraint was violated by less than the residual of feasible points.
TEST(Idca, FeasibilityPrecedesResidual) {
    // max{0, 10 v_0 - 0.3 + |v_1|}, v_0 >= 0.05: the slope at 0 is 0; the kink, where |v_1| slopes, lies beyond.
    Example problem(2, {{largest_of({{{0, 0}, 0}, {{10, 1}, -0.3}, {{10, -1}, -0.3}}), nothing()},
                        {affine({-1, 0}, 0.05), nothing()}});
    Vector v{0, 0};
    IdcaOptions options = options_of(Inner::quadratic, 1e-3);
    options.outer = 40;
    bool seen = false;
    const IdcaResult result =
        minimise(problem, v, options, {}, [&](const IdcaResult& now) { seen |= now.infeasibility <= 1e-3; });
    EXPECT_TRUE(seen);
    EXPECT_LE(result.infeasibility, 1e-3);
}

TEST(Idca, TheQuadraticSolverMakesAnInfeasibleStartFeasible) {
    Known triangle = test::triangle();
    Vector v{40, -3};
    EXPECT_EQ(minimise(triangle.problem, v, options_of(Inner::quadratic)).end, End::converged);
    EXPECT_NEAR(v[0], 1, 1e-6);
    EXPECT_NEAR(v[1], 1, 1e-6);
    Known circle = outside_circle();
    v = {0.1, 0.3};
    EXPECT_EQ(minimise(circle.problem, v, options_of(Inner::quadratic)).end, End::converged);
    EXPECT_NEAR(objective(circle, v), circle.least, 1e-6);
}

// At the centre the tangent of |v|^2 says that no move helps: there is no direction.
TEST(Idca, StallsAtSymmetricCentre) {
    Example problem(2, {{paraboloid(1, {0, 0}), nothing()}, {affine({0, 0}, 1), paraboloid(2, {0, 0})}});
    for (const Inner inner : {Inner::quadratic, Inner::ssg}) {
        Vector v{0, 0};
        const IdcaResult result = minimise(problem, v, options_of(inner));
        EXPECT_EQ(result.end, End::stalled);
        EXPECT_EQ(result.infeasibility, 1);
        EXPECT_EQ(v, (Vector{0, 0}));
    }
}

TEST(Idca, InfeasibleProblemReportsViolation) {
    for (const Inner inner : {Inner::quadratic, Inner::ssg}) {
        Example problem = infeasible();
        Vector v{0.5};
        const IdcaResult result = minimise(problem, v, options_of(inner));
        EXPECT_NE(result.end, End::converged);
        EXPECT_TRUE(std::isfinite(v[0]));
        EXPECT_TRUE(std::isfinite(result.objective));
        EXPECT_GE(result.infeasibility, 1);
        EXPECT_LE(result.infeasibility, 2);
    }
}

TEST(Idca, EndsWhereTheProblemHasNoNumbers) {
    for (const Inner inner : {Inner::quadratic, Inner::ssg}) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        Example problem(2, {{affine({nan, 1}, 0), nothing()}, {affine({1, 0}, nan), nothing()}});
        Vector v{1, 2};
        EXPECT_NE(minimise(problem, v, options_of(inner)).end, End::converged);
        EXPECT_EQ(v, (Vector{1, 2}));
    }
}

TEST(Idca, ANearlyConvergedStartIsLeftAlone) {
    Known triangle = test::triangle();
    Vector v{1, 1};
    const IdcaResult result = minimise(triangle.problem, v, options_of(Inner::quadratic));
    EXPECT_EQ(result.end, End::converged);
    EXPECT_EQ(result.outer, 0);
    EXPECT_EQ(result.inner, 1);
    EXPECT_EQ(v, (Vector{1, 1}));
}

TEST(Idca, WarmMultipliersSaveNothingOfTheAnswer) {
    for (const Vector& guess : {Vector{}, Vector{1, 0}, Vector{20, 20}, Vector{7}}) {
        Known triangle = test::triangle();
        Vector v = triangle.start;
        (void)minimise(triangle.problem, v, options_of(Inner::quadratic), guess);
        EXPECT_NEAR(v[0], 1, 1e-6);
        EXPECT_NEAR(v[1], 1, 1e-6);
    }
}

TEST(Idca, StopsAtTheLimitOfOuterIterations) {
    Known triangle = test::triangle();
    IdcaOptions options = options_of(Inner::ssg);
    options.outer = 2;
    Vector v = triangle.start;
    const IdcaResult result = minimise(triangle.problem, v, options);
    EXPECT_EQ(result.end, End::iteration_limit);
    EXPECT_EQ(result.outer, 2);
}

TEST(Restore, FindsAFeasiblePoint) {
    for (Known& known : known_problems()) {
        SCOPED_TRACE(known.name);
        Vector v(known.start.size(), 0.4);
        v[0] = known.name == "outside a circle" ? 0.2 : 5;
        std::int64_t inner = 0;
        EXPECT_TRUE(restore(known.problem, v, 0, 200, inner));
        EXPECT_EQ(infeasibility(known.problem, v), 0);
        EXPECT_EQ(inner, known.problem.evaluations);
    }
}

TEST(Restore, LeavesAFeasiblePointAlone) {
    Known triangle = test::triangle();
    Vector v{0.5, 0.5};
    std::int64_t inner = 3;
    EXPECT_TRUE(restore(triangle.problem, v, 0, 100, inner));
    EXPECT_EQ(v, (Vector{0.5, 0.5}));
    EXPECT_EQ(inner, 4);
}

TEST(Restore, KeepsLeastInfeasiblePoint) {
    Example problem = infeasible();
    Vector v{4};
    std::int64_t inner = 0;
    EXPECT_FALSE(restore(problem, v, 0, 50, inner));
    EXPECT_EQ(inner, 51);
    EXPECT_LE(infeasibility(problem, v), 5);
    EXPECT_GE(v[0], -1);
    EXPECT_LE(v[0], 4);
}

// If plus and minus rise alike, their slopes differ by a rounding. A step along that, with a length of one over it, led
// 1e15 away, where a violated constraint may well hold.
TEST(Restore, ARoundingIsNoSlope) {
    const double off = 1 + 0x1p-52;
    Example problem(2, {{nothing(), nothing()}, {affine({0.1 * 3, 1}, 1), affine({0.3 * off, 1}, 0)}});
    Vector v{1, 2};
    std::int64_t inner = 0;
    EXPECT_FALSE(restore(problem, v, 0, 50, inner));
    EXPECT_EQ(v, (Vector{1, 2}));
    for (const Inner solver : {Inner::quadratic, Inner::ssg}) {
        (void)minimise(problem, v, options_of(solver));
        EXPECT_EQ(v, (Vector{1, 2}));
    }
}

TEST(Restore, EndsWithoutASlopeAndWithoutNumbers) {
    std::int64_t inner = 0;
    Example flat(1, {{nothing(), nothing()}, {affine({0}, 1), nothing()}});
    Vector v{2};
    EXPECT_FALSE(restore(flat, v, 0, 50, inner));
    EXPECT_EQ(inner, 1);
    Example none(1, {{nothing(), nothing()}, {affine({1}, std::numeric_limits<double>::quiet_NaN()), nothing()}});
    EXPECT_FALSE(restore(none, v, 0, 50, inner));
    EXPECT_EQ(v, Vector{2});
}

}  // namespace
}  // namespace fairstream::dc
