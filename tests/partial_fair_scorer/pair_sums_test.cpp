/// Sums over pairs against the double sum.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fairstream/models/partial_fair_scorer/detail/pair_sums.hpp>

#include "samples.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;

// log(1 + exp(-t)) and its derivative.
double log_loss(double t) {
    return std::max(0.0, -t) + std::log1p(std::exp(-std::abs(t)));
}
double slope(double t) {
    return -std::exp(std::min(0.0, -t)) / (1 + std::exp(-std::abs(t)));
}

PairKernel logistic_kernel() {
    return {3, 1, 1, 36, [](std::span<const double> t, Matrix& out) {
                for (std::size_t b = 0; b < t.size(); ++b) {
                    out.at(0, b) = out.at(1, b) = log_loss(t[b]);
                    out.at(2, b) = slope(t[b]);
                }
            }};
}

Vector risen(Vector points) {
    std::ranges::sort(points);
    return points;
}

Vector scaled(Vector points, double by, double shift = 0) {
    for (double& x : points) x = x * by + shift;
    return points;
}

// Compares with a sum in long double, to 1e-12 relative, as all terms of a function have one sign.
void expect_double_sum(const Vector& first, const Vector& second) {
    const PairSums found = pair_sums(first, second, logistic_kernel());
    ASSERT_EQ(found.totals.size(), 3);
    ASSERT_EQ(found.by_first.rows, 2);
    ASSERT_EQ(found.by_first.cols, first.size());
    ASSERT_EQ(found.by_second.cols, second.size());
    long double total = 0;
    Matrix by_second(2, second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        long double loss_sum = 0, slope_sum = 0;
        for (std::size_t j = 0; j < second.size(); ++j) {
            const double t = first[i] - second[j];
            loss_sum += log_loss(t), slope_sum += slope(t);
            by_second.at(0, j) += log_loss(t), by_second.at(1, j) += slope(t);
        }
        const auto rounding = 1e-15 * static_cast<double>(second.size());  // a term of exp(-36) may be missed
        ASSERT_NEAR(found.by_first.at(0, i), loss_sum, rounding + 1e-12 * std::abs(loss_sum)) << i;
        ASSERT_NEAR(found.by_first.at(1, i), slope_sum, rounding + 1e-12 * std::abs(slope_sum)) << i;
        total += loss_sum;
    }
    const auto rounding = 1e-15 * static_cast<double>(first.size());
    for (std::size_t c = 0; c < 2; ++c)
        for (std::size_t j = 0; j < second.size(); ++j)
            ASSERT_NEAR(found.by_second.at(c, j), by_second.at(c, j), rounding + 1e-12 * std::abs(by_second.at(c, j)))
                << j;
    ASSERT_NEAR(found.totals[0], total, rounding + 1e-12 * std::abs(total));
    ASSERT_EQ(found.totals[1], found.totals[0]);
}

TEST(PairSums, AreTheDoubleSum) {
    for (const double spread : {1e-9, 0.01, 1.0, 6.0, 40.0, 300.0, 1e6})
        for (const double shift : {0.0, 1.5, -700.0}) {
            SCOPED_TRACE(::testing::Message() << "spread " << spread << " shift " << shift);
            expect_double_sum(risen(random_vector(400, 1, spread)),
                              risen(scaled(random_vector(500, 2, spread), 1, shift)));
        }
}

// Points in clusters, some with more points than an interval has nodes and some with fewer, and a few far away.
TEST(PairSums, OfClustersAreTheDoubleSum) {
    Vector first = random_vector(400, 3), second = random_vector(500, 4);
    for (std::size_t i = 0; i < first.size(); i += 3) first[i] = 35 + first[i] / 10;
    for (std::size_t j = 0; j < second.size(); j += 4) second[j] = -37 + second[j] / 10;
    for (std::size_t j = 0; j < second.size(); j += 50) second[j] *= 1e5;
    expect_double_sum(risen(first), risen(second));
    expect_double_sum(risen(second), risen(first));
}

// For scores far from 0, differences are as exact as the scores.
TEST(PairSums, FarFromZeroAreTheDoubleSum) {
    for (const double spread : {1e-9, 1e-3, 3.0})
        expect_double_sum(risen(scaled(random_vector(300, 5, spread), 1, 1e6)),
                          risen(scaled(random_vector(400, 6, spread), 1, 1e6)));
}

// Also at the ends and the middles of intervals, and all in one place.
TEST(PairSums, OfTiesAreTheDoubleSum) {
    Random random(7);
    Vector first(600), second(500);
    for (double& x : first) x = random.below(9) * 0.5;
    for (double& x : second) x = random.below(5);
    expect_double_sum(risen(first), risen(second));
    expect_double_sum(Vector(600, 3.0), Vector(500, 3.0));
    expect_double_sum(Vector(600, 3.0), Vector(1, 90.0));
}

TEST(PairSums, WithoutPairsAreZero) {
    for (const auto& [n, m] : {std::pair{0, 0}, {5, 0}, {0, 40}}) {
        const PairSums found = pair_sums(Vector(static_cast<std::size_t>(n), 1.0),
                                         Vector(static_cast<std::size_t>(m), 1.0), logistic_kernel());
        EXPECT_EQ(found.totals, Vector(3, 0.0));
        EXPECT_EQ(found.by_first, Matrix(2, static_cast<std::size_t>(n)));
        EXPECT_EQ(found.by_second, Matrix(2, static_cast<std::size_t>(m)));
    }
}

// One point in each interval of a spread that would have ten million of them.
TEST(PairSums, TakeMemoryByPointsAndNotBySpread) {
    Vector first(200), second(200);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = 5e4 * static_cast<double>(i), second[i] = first[i] + 2e4;
    expect_double_sum(first, second);
    first.back() = 1e300;
    const PairSums found = pair_sums(first, second, logistic_kernel());
    EXPECT_TRUE(std::isfinite(found.totals[0]));
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
