/// Residuals and multipliers with known values.

#include <gtest/gtest.h>

#include <cmath>

#include <fairstream/optimisation/detail/dc/kkt.hpp>

#include "problems.hpp"

namespace fairstream::dc {
namespace {

using namespace test;

Kkt kkt_at(Example& problem, const Vector& v, double near = 1e-3) {
    Values values;
    Gradients gradients;
    problem.evaluate(v, values);
    take_gradients(problem, gradients);
    return kkt(values, gradients, near);
}

TEST(Kkt, VanishesAtAnswer) {
    Known triangle = test::triangle();
    const Kkt inside = kkt_at(triangle.problem, {1, 1});
    EXPECT_NEAR(inside.residual(), 0, 1e-12);
    EXPECT_NEAR(inside.multipliers[0], 1, 1e-12);
    EXPECT_EQ(inside.multipliers[1], 0) << "it is not active";
    Known circle = outside_circle();
    const double r = std::hypot(0.2, 0.1);
    const Kkt on = kkt_at(circle.problem, {0.2 / r, 0.1 / r});
    EXPECT_NEAR(on.residual(), 0, 1e-12);
    EXPECT_NEAR(on.multipliers[0], circle.multipliers[0], 1e-12);
}

TEST(Kkt, OfAFreeProblemIsTheGradient) {
    Known free = free_paraboloid();
    const Kkt found = kkt_at(free.problem, {1, -2, 4.5});
    EXPECT_NEAR(found.stationarity, 3, 1e-12);
    EXPECT_EQ(found.infeasibility, 0);
    EXPECT_EQ(found.complementarity, 0);
    EXPECT_TRUE(found.multipliers.empty());
}

TEST(Kkt, ResidualsAreThoseOfTheirMultipliers) {
    Known triangle = test::triangle();
    const Kkt found = kkt_at(triangle.problem, {1.5, 0.6}, 0.05);
    EXPECT_NEAR(found.infeasibility, 0.1, 1e-12);
    // |(-0.5, -1.4) + a (1, 1) + b (1, 0)| is least in a, b >= 0 at a = 0.95, b = 0.
    EXPECT_NEAR(found.multipliers[0], 0.95, 1e-12);
    EXPECT_EQ(found.multipliers[1], 0) << "a negative one would be better, and is not allowed";
    EXPECT_NEAR(found.stationarity, std::hypot(0.45, 0.45), 1e-12);
    EXPECT_NEAR(found.complementarity, 0.095, 1e-12);
    EXPECT_EQ(found.residual(), found.stationarity);
}

TEST(Kkt, ConstraintsFurtherThanNearTakeNoPart) {
    Known triangle = test::triangle();
    const Vector v{0.9, 0.9};  // 0.2 below the first
    EXPECT_EQ(kkt_at(triangle.problem, v, 0.1).multipliers, (Vector{0, 0}));
    EXPECT_NEAR(kkt_at(triangle.problem, v, 0.1).stationarity, std::hypot(1.1, 1.1), 1e-12);
    const Kkt wide = kkt_at(triangle.problem, v, 0.3);
    EXPECT_NEAR(wide.stationarity, 0, 1e-12);
    EXPECT_NEAR(wide.complementarity, 0.22, 1e-12) << "what the nearness costs";
}

TEST(Kkt, TwoSidesOfAnEqualityAreOneMultiplier) {
    Example problem(
        2, {{paraboloid(1, {3, 0}), nothing()}, {affine({1, 0}, -1), nothing()}, {affine({-1, 0}, 1), nothing()}});
    const Kkt found = kkt_at(problem, {1, 0});
    EXPECT_NEAR(found.multipliers[0] - found.multipliers[1], 2, 1e-9);
    EXPECT_NEAR(found.residual(), 0, 1e-9);
}

TEST(Values, WorstAndTotalViolation) {
    Values values{{0, 1, 5, 2}, {3, 2, 1, 0}};
    EXPECT_EQ(values.constraints(), 3U);
    EXPECT_EQ(values.objective(), -3);
    EXPECT_EQ(values.worst(), 4);
    EXPECT_EQ(values.violation(), 6);
    EXPECT_EQ((Values{{1, 0}, {0, 2}}).worst(), -2) << "of constraints that all hold it is what is left";
    EXPECT_EQ((Values{{1, 0}, {0, 2}}).violation(), 0);
    EXPECT_EQ((Values{{1}, {0}}).worst(), 0);
}

}  // namespace
}  // namespace fairstream::dc
