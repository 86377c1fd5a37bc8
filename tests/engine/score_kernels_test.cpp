/// The kernels of scores, at every instruction set, against naive loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel_sets.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

class ScoreKernels : public KernelSets {};

constexpr double untouched_score = -77;
constexpr double overflowing = std::numeric_limits<double>::infinity();
constexpr double nan_score = std::numeric_limits<double>::quiet_NaN();
// As documented; a result below 2^-1022 / 1e-15 cannot keep it.
constexpr double logistic_error = 1e-15;

std::vector<double> doubles(std::size_t n, std::uint64_t seed) {
    const std::vector<float> x = values(n, seed);
    return {x.begin(), x.end()};
}

struct Logistic {
    std::vector<double> loss, probability;
};

Logistic logistic_of(const Kernels& kernels, const std::vector<double>& t) {
    Logistic found{std::vector<double>(t.size(), untouched_score), std::vector<double>(t.size(), untouched_score)};
    kernels.logistic(t.data(), t.size(), found.loss.data(), found.probability.data());
    return found;
}

long double exact_probability(long double t) {
    return t < 0 ? std::exp(t) / (1 + std::exp(t)) : 1 / (1 + std::exp(-t));
}
long double exact_loss(long double t) {
    return std::log1p(std::exp(-std::abs(t))) + std::max(-t, 0.0L);
}

TEST_P(ScoreKernels, LogisticIsRightToFourRoundings) {
    std::vector<double> t;
    for (int i = -700'000; i <= 700'000; i += 7) t.push_back(i * 1e-3);
    for (int i = -60; i <= 9; ++i) t.push_back(std::ldexp(1.2345, i)), t.push_back(-t.back());
    const Logistic found = logistic_of(kernels, t);
    for (std::size_t i = 0; i < t.size(); ++i) {
        const long double p = exact_probability(t[i]), loss = exact_loss(t[i]);
        ASSERT_LE(std::abs(found.probability[i] - p), logistic_error * p) << t[i];
        ASSERT_LE(std::abs(found.loss[i] - loss), logistic_error * loss) << t[i];
    }
}

TEST_P(ScoreKernels, LogisticHasItsLimitsFarOut) {
    const std::vector<double> t{800, -800, 1e300, -1e300, overflowing, -overflowing, 0.0, -0.0};
    const Logistic found = logistic_of(kernels, t);
    for (std::size_t i = 0; i < 6; i += 2) {
        EXPECT_EQ(found.probability[i], 1) << t[i];
        EXPECT_LE(found.loss[i], 1e-300) << t[i];
        EXPECT_GE(found.loss[i], 0) << t[i];
        EXPECT_LE(found.probability[i + 1], 1e-300) << t[i + 1];
        EXPECT_GE(found.probability[i + 1], 0) << t[i + 1];
        EXPECT_EQ(found.loss[i + 1], -t[i + 1]);
    }
    for (const std::size_t i : {6, 7}) {
        EXPECT_EQ(found.probability[i], 0.5);
        EXPECT_NEAR(found.loss[i], std::log(2), logistic_error);
    }
}

TEST_P(ScoreKernels, LogisticPassesOnWhatIsNoNumber) {
    const Logistic found = logistic_of(kernels, {1, nan_score, 2});
    EXPECT_TRUE(std::isnan(found.loss[1]));
    EXPECT_TRUE(std::isnan(found.probability[1]));
    EXPECT_FALSE(std::isnan(found.loss[0]) || std::isnan(found.loss[2]));
}

TEST_P(ScoreKernels, LogisticFitsAnySizeAndPlace) {
    const std::vector<double> t = doubles(60, 1);
    Logistic alone{std::vector<double>(60), std::vector<double>(60)};
    for (std::size_t i = 0; i < 60; ++i) kernels.logistic(&t[i], 1, &alone.loss[i], &alone.probability[i]);
    for (std::size_t n = 0; n <= 40; ++n)
        for (const std::size_t shift : {0, 1, 3, 7}) {
            std::vector<double> loss(n + 20, untouched_score), probability = loss;
            kernels.logistic(t.data() + shift, n, loss.data(), probability.data());
            ASSERT_TRUE(std::equal(loss.data(), loss.data() + n, alone.loss.data() + shift)) << n;
            ASSERT_TRUE(std::equal(probability.data(), probability.data() + n, alone.probability.data() + shift)) << n;
            ASSERT_EQ(std::ranges::count(loss, untouched_score), 20) << "beyond the numbers nothing is written";
            ASSERT_EQ(std::ranges::count(probability, untouched_score), 20);
            for (const bool over_loss : {true, false}) {
                std::vector<double> in_place(t.data() + shift, t.data() + shift + n), other(n);
                kernels.logistic(in_place.data(), n, over_loss ? in_place.data() : other.data(),
                                 over_loss ? other.data() : in_place.data());
                const auto& expected = over_loss ? alone.loss : alone.probability;
                ASSERT_TRUE(std::equal(in_place.begin(), in_place.end(), expected.data() + shift)) << n;
            }
        }
}

TEST_P(ScoreKernels, TanhIsAccurate) {
    for (const std::size_t n : {0, 1, 3, 8, 17, 1000}) {
        std::vector<double> x = doubles(n + 1, 3);
        for (std::size_t i = 0; i < n; ++i) x[i] *= std::pow(10.0, static_cast<double>(i % 7) - 4);
        x[n] = untouched_score;
        const std::vector<double> given = x;
        kernels.hyperbolic_tangents(x.data(), n);
        EXPECT_EQ(x[n], untouched_score);
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_NEAR(x[i], std::tanh(given[i]), 3e-16) << given[i];
            double alone = given[i];
            kernels.hyperbolic_tangents(&alone, 1);
            EXPECT_EQ(alone, x[i]) << "it does not depend on its place";
        }
    }
    std::vector<double> ends{1e300, -1e300, overflowing, -overflowing, 0.0, nan_score};
    kernels.hyperbolic_tangents(ends.data(), ends.size());
    EXPECT_EQ(std::vector<double>(ends.begin(), ends.end() - 1), (std::vector<double>{1, -1, 1, -1, 0}));
    EXPECT_TRUE(std::isnan(ends.back()));
}

TEST_P(ScoreKernels, ExcessesSumAndCountsAreStrict) {
    for (std::size_t n = 0; n <= 70; ++n)
        for (const std::size_t shift : {0, 1, 3}) {
            const std::vector<double> z = doubles(n + shift, n);
            std::vector<double> thresholds = doubles(5, 100 + n);
            thresholds.insert(thresholds.end(), z.begin() + static_cast<std::ptrdiff_t>(std::min(shift, n)), z.end());
            const std::size_t m = thresholds.size();
            std::vector<double> excess(m + 3, untouched_score), count = excess;
            kernels.excesses(z.data() + shift, n, thresholds.data(), m, excess.data(), count.data());
            for (std::size_t j = 0; j < m; ++j) {
                double sum = 0, above = 0;
                for (std::size_t i = shift; i < z.size(); ++i) {
                    sum += std::max(z[i] - thresholds[j], 0.0);
                    above += z[i] > thresholds[j] ? 1 : 0;
                }
                ASSERT_EQ(count[j], above) << n << " at " << thresholds[j];
                ASSERT_LE(std::abs(excess[j] - sum), gamma(2 * n + 2, double_unit) * sum) << n;
            }
            ASSERT_EQ(std::ranges::count(excess, untouched_score), 3);
            ASSERT_EQ(std::ranges::count(count, untouched_score), 3);
        }
}

// Rows lie one behind the other: those of d = 3 begin anywhere.
TEST_P(ScoreKernels, RowProductsAreThoseOfTheNaiveLoop) {
    for (std::size_t d = 0; d <= 40; ++d)
        for (const std::size_t n : {0, 1, 2, 5}) {
            const std::vector<float> rows = values(n * d, d + 100 * n);
            const std::vector<double> w = doubles(d, d);
            std::vector<double> out(n + 3, untouched_score);
            kernels.row_products(rows.data(), n, d, w.data(), 0.25, out.data());
            for (std::size_t i = 0; i < n; ++i) {
                double sum = 0.25, magnitude = 0.25, alone = 0;
                for (std::size_t j = 0; j < d; ++j) {
                    sum += double{rows[i * d + j]} * w[j];
                    magnitude += std::abs(double{rows[i * d + j]} * w[j]);
                }
                ASSERT_LE(std::abs(out[i] - sum), 2 * gamma(d + 2, double_unit) * magnitude) << n << " x " << d;
                kernels.row_products(rows.data() + i * d, 1, d, w.data(), 0.25, &alone);
                ASSERT_EQ(alone, out[i]) << "a row does not depend on the others";
            }
            ASSERT_EQ(std::ranges::count(out, untouched_score), 3);
        }
}

TEST_P(ScoreKernels, WeightedRowsAreAddedInTheirOrder) {
    for (std::size_t d = 0; d <= 40; ++d)
        for (const std::size_t n : {0, 1, 2, 9}) {
            const std::vector<float> rows = values(n * d, d + 100 * n);
            const std::vector<double> weights = doubles(n, d + 3), before = doubles(d + 3, 5);
            std::vector<double> out = before, one_by_one = before;
            kernels.add_weighted_rows(rows.data(), n, d, weights.data(), out.data());
            for (std::size_t i = 0; i < n; ++i)
                kernels.add_weighted_rows(rows.data() + i * d, 1, d, &weights[i], one_by_one.data());
            ASSERT_EQ(out, one_by_one) << n << " x " << d;
            for (std::size_t j = 0; j < d; ++j) {
                double sum = before[j], magnitude = std::abs(before[j]);
                for (std::size_t i = 0; i < n; ++i) {
                    sum += weights[i] * double{rows[i * d + j]};
                    magnitude += std::abs(weights[i] * double{rows[i * d + j]});
                }
                ASSERT_LE(std::abs(out[j] - sum), 2 * gamma(n + 1, double_unit) * magnitude);
            }
            ASSERT_TRUE(std::equal(out.begin() + static_cast<std::ptrdiff_t>(d), out.end(),
                                   before.begin() + static_cast<std::ptrdiff_t>(d)));
        }
}

TEST_P(ScoreKernels, RowsOfNoWeightArePassedOver) {
    const std::vector<float> rows(10, std::numeric_limits<float>::infinity());
    const std::vector<double> weights(2, 0.0);
    std::vector<double> out(5, 1.0);
    kernels.add_weighted_rows(rows.data(), 2, 5, weights.data(), out.data());
    EXPECT_EQ(out, std::vector<double>(5, 1.0));
}

TEST_P(ScoreKernels, EntriesMultiplyIntoRows) {
    const std::vector<std::uint32_t> listed{0, 2, 3, 7, 11};
    for (const std::size_t width : {8, 16, 24, 40})
        for (const bool all : {false, true})
            for (std::size_t count = 0; count <= listed.size(); ++count) {
                const std::vector<float> entries = values(count, width + count);
                const std::vector<double> weights = doubles(12 * width, width), factors = doubles(width, 3);
                const std::vector<double> sums_before = doubles(width, 4), before = doubles(12 * width, 5);
                std::vector<double> sums = sums_before, out = before;
                const std::uint32_t* const columns = all ? nullptr : listed.data();
                kernels.add_entry_products(entries.data(), columns, count, weights.data(), width, sums.data());
                kernels.add_entry_multiples(entries.data(), columns, count, factors.data(), width, out.data());
                for (std::size_t j = 0; j < width; ++j) {
                    double sum = sums_before[j], magnitude = std::abs(sums_before[j]);
                    std::vector<double> column(12);
                    for (std::size_t i = 0; i < 12; ++i) column[i] = before[i * width + j];
                    for (std::size_t i = 0; i < count; ++i) {
                        const std::size_t row = all ? i : listed[i];
                        sum += double{entries[i]} * weights[row * width + j];
                        magnitude += std::abs(double{entries[i]} * weights[row * width + j]);
                        column[row] += double{entries[i]} * factors[j];
                    }
                    ASSERT_LE(std::abs(sums[j] - sum), 2 * gamma(count + 1, double_unit) * magnitude);
                    for (std::size_t i = 0; i < 12; ++i)
                        ASSERT_NEAR(out[i * width + j], column[i], 4 * double_unit * (1 + std::abs(column[i]) + 10))
                            << "row " << i;
                }
            }
}

INSTANTIATE_TEST_SUITE_P(All, ScoreKernels, ::testing::ValuesIn(runnable()), level_of);

}  // namespace
}  // namespace fairstream::test
