/// Curvature corrected by steps: it agrees with their differences, and solves reach their answers with it.

#include <gtest/gtest.h>

#include <cmath>

#include <fairstream/optimisation/detail/dc/idca.hpp>
#include <fairstream/optimisation/detail/dc/secants.hpp>

#include "dc/problems.hpp"
#include "support/streams.hpp"

namespace fairstream::dc {
namespace {

constexpr std::size_t secant_variables = 6;

std::vector<double> random_numbers(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> numbers(count);
    for (double& x : numbers) x = static_cast<double>(fairstream::test::normal(random));
    return numbers;
}

// A quadratic function with full matrices, and one constraint; the Lagrangian has three parts.
Gradients gradients_at(const std::vector<double>& v, double sign) {
    Gradients found{std::vector<double>(secant_variables), Matrix(1, secant_variables)};
    for (std::size_t i = 0; i < secant_variables; ++i)
        for (std::size_t j = 0; j < secant_variables; ++j) {
            const double entry = i == j ? 3.0 + static_cast<double>(i) : 0.4;
            found.objective[i] += sign * entry * v[j];
            found.constraints.at(0, i) += (i == j ? 1.0 : 0.1) * v[j];
        }
    return found;
}

CurvatureFactors estimate() {
    Matrix diagonal(secant_variables, 1);
    for (std::size_t i = 0; i < secant_variables; ++i) diagonal.values[i] = 1 + static_cast<double>(i);
    return {{{diagonal}}, 0};
}

Secants walked(int steps, double sign) {
    Secants secants;
    const std::vector<double> multipliers{3};
    for (int i = 0; i <= steps; ++i) {
        const std::vector<double> v = random_numbers(secant_variables, static_cast<std::uint64_t>(i));
        secants.note(v, gradients_at(v, sign), sign > 0 ? multipliers : std::vector<double>{0});
    }
    return secants;
}

fairstream::Vector inverse_times(const Secants& secants, const CurvatureFactors& factors,
                                 const std::vector<double>& x) {
    Matrix row(1, secant_variables);
    row.values = x;
    secants.forward(factors, row);
    fairstream::Vector longer = array(row.values);
    secants.backward(factors, longer);
    return longer;
}

TEST(Secants, AgreeWithTheChangeAlongTheLastStep) {
    for (const int steps : {1, 4, 25}) {
        const std::vector<double> before = random_numbers(secant_variables, static_cast<std::uint64_t>(steps - 1)),
                                  after = random_numbers(secant_variables, static_cast<std::uint64_t>(steps));
        const Gradients from = gradients_at(before, 1), to = gradients_at(after, 1);
        std::vector<double> change(secant_variables);
        for (std::size_t j = 0; j < secant_variables; ++j)
            change[j] = to.objective[j] - from.objective[j] + 3 * (to.constraints.at(0, j) - from.constraints.at(0, j));
        const fairstream::Vector step = inverse_times(walked(steps, 1), estimate(), change);
        for (std::size_t j = 0; j < secant_variables; ++j) EXPECT_NEAR(step(j), after[j] - before[j], 1e-10);
    }
}

TEST(Secants, MakeProductsOfRowsThoseByTheInverse) {
    const Secants secants = walked(4, 1);
    const CurvatureFactors factors = estimate();
    Matrix rows(2, secant_variables);
    rows.values = random_numbers(2 * secant_variables, 50);
    const Matrix given = rows;
    secants.forward(factors, rows);
    for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t b = 0; b < 2; ++b) {
            double product = 0, expected = 0;
            for (std::size_t j = 0; j < rows.cols; ++j) product += rows.at(a, j) * rows.at(b, j);
            const fairstream::Vector solved =
                inverse_times(secants, factors, {given.row(b), given.row(b) + secant_variables});
            for (std::size_t j = 0; j < secant_variables; ++j) expected += given.at(a, j) * solved(j);
            EXPECT_NEAR(product, expected, 1e-10);
        }
}

TEST(Secants, LeaveTheEstimateWhereAFunctionBendsDown) {
    const CurvatureFactors factors = estimate();
    const std::vector<double> x = random_numbers(secant_variables, 51);
    const fairstream::Vector found = inverse_times(walked(4, -1), factors, x);
    for (std::size_t j = 0; j < secant_variables; ++j)
        EXPECT_NEAR(found(j), x[j] / (1 + static_cast<double>(j)), 1e-12);
}

// A valley a thousand times as steep as it is long, and an estimate that is equally steep everywhere. With the estimate
// alone, a long way remains after a thousand steps.
TEST(Secants, CorrectPoorEstimate) {
    constexpr std::size_t variables = 4;
    const auto steepness = [](std::size_t j) { return std::pow(10, static_cast<double>(j)); };
    const test::Convex valley{[=](const test::Vector& v) {
                                  double sum = 0;
                                  for (std::size_t j = 0; j < variables; ++j) sum += steepness(j) * v[j] * v[j] / 2;
                                  return sum;
                              },
                              [=](const test::Vector& v) {
                                  test::Vector g(variables);
                                  for (std::size_t j = 0; j < variables; ++j) g[j] = steepness(j) * v[j];
                                  return g;
                              },
                              steepness(variables - 1)};
    for (const bool whole : {false, true}) {
        test::Example problem(variables, {{valley, test::nothing()}}, whole);
        std::vector<double> v(variables, 1.0);
        IdcaOptions options;
        options.tolerance = 1e-6;
        options.outer = whole ? 1000 : 100;
        const IdcaResult result = minimise(problem, v, options);
        EXPECT_EQ(result.end, whole ? End::iteration_limit : End::converged);
        EXPECT_EQ(result.kkt.residual() > 0.1, whole) << result.kkt.residual();
    }
}

}  // namespace
}  // namespace fairstream::dc
