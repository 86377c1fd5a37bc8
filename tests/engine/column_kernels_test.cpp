/// The kernels that take points in columns, at every instruction set, against naive loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fairstream/numeric/detail/kernels.hpp>

#include "kernel_sets.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

class ColumnKernels : public KernelSets {};

constexpr float untouched_column = -77;
constexpr float nan_feature = std::numeric_limits<float>::quiet_NaN();

// `rows` columns of n values, `stride` apart, starting at `shift`; the gaps contain NaN.
struct Columns {
    Columns(std::size_t rows, std::size_t n, std::size_t gap, std::size_t shift, std::uint64_t seed)
        : stride(n + gap), at(shift), all(shift + rows * stride, nan_feature) {
        const std::vector<float> x = values(rows * n, seed);
        for (std::size_t row = 0; row < rows; ++row)
            std::copy_n(x.data() + row * n, n, all.data() + shift + row * stride);
    }
    [[nodiscard]] const float* data() const { return all.data() + at; }
    [[nodiscard]] float operator()(std::size_t row, std::size_t i) const { return all[at + row * stride + i]; }
    std::size_t stride, at;
    std::vector<float> all;
};

// Calls check(n, gap, shift) for all numbers of points up to 40, with columns that begin anywhere.
template <class Check> void for_each_shape(Check&& check) {
    for (std::size_t n = 0; n <= 40; ++n)
        for (const std::size_t gap : {1, 2, 5})
            for (const std::size_t shift : {0, 1, 3}) check(n, gap, shift);
}

// Eight vectors of sixteen lanes are summed together, then single ones.
TEST_P(ColumnKernels, DistancesOfManyPointsAreThoseOfEach) {
    for (const std::size_t n : {127, 128, 129, 300})
        for (const std::size_t d : {1, 5}) {
            const Columns columns(d, n, 3, 1, n + d);
            const std::vector<float> centre = values(d, d);
            std::vector<float> all(n + 20, untouched_column), alone(1);
            kernels.column_distances(columns.data(), columns.stride, n, d, centre.data(), all.data());
            for (std::size_t i = 0; i < n; ++i) {
                kernels.column_distances(columns.data() + i, columns.stride, 1, d, centre.data(), alone.data());
                ASSERT_EQ(alone[0], all[i]) << "n " << n << " d " << d << " i " << i;
            }
            ASSERT_EQ(std::ranges::count(all, untouched_column), 20) << "beyond the points nothing is written";
        }
}

// A point's distance is d squared differences, added one by one: each term passes two roundings as a difference
// squared, one as a square and d as a summand. All are nonnegative: relative to the result.
double column_tolerance(std::size_t d) {
    return gamma(d + 3, float_unit);
}

TEST_P(ColumnKernels, DistancesMatchNaiveLoop) {
    for_each_shape([&](std::size_t n, std::size_t gap, std::size_t shift) {
        for (const std::size_t d : {1, 2, 3, 8, 17}) {
            const Columns columns(d, n, gap, shift, n + 100 * d);
            const std::vector<float> centre = values(d, d);
            std::vector<float> out(n + 20, untouched_column);
            kernels.column_distances(columns.data(), columns.stride, n, d, centre.data(), out.data());
            for (std::size_t i = 0; i < n; ++i) {
                double exact = 0;
                for (std::size_t j = 0; j < d; ++j) exact += std::pow(double{columns(j, i)} - double{centre[j]}, 2);
                ASSERT_LE(std::abs(out[i] - exact), column_tolerance(d) * exact) << "n " << n << " d " << d;
            }
            ASSERT_EQ(std::ranges::count(out, untouched_column), 20) << "beyond the points nothing is written";
        }
    });
}

TEST_P(ColumnKernels, DistanceIsIndependentOfPosition) {
    constexpr std::size_t n = 40, d = 7;
    const Columns columns(d, n, 3, 1, 5);
    const std::vector<float> centre = values(d, 6);
    std::vector<float> out(n), alone(1), rest(n);
    kernels.column_distances(columns.data(), columns.stride, n, d, centre.data(), out.data());
    for (std::size_t i = 0; i < n; ++i) {
        kernels.column_distances(columns.data() + i, columns.stride, 1, d, centre.data(), alone.data());
        ASSERT_EQ(alone[0], out[i]);
        kernels.column_distances(columns.data() + i, columns.stride, n - i, d, centre.data(), rest.data());
        ASSERT_TRUE(std::equal(out.data() + i, out.data() + n, rest.data()));
    }
}

// A sum, minima and a difference of floats: the same bits in any order.
TEST_P(ColumnKernels, GapIsToBestOther) {
    for_each_shape([&](std::size_t n, std::size_t gap, std::size_t shift) {
        for (std::size_t k = 1; k <= 5; ++k)
            for (std::size_t l = 0; l < k; ++l) {
                const Columns away(k, n, gap, shift, n + 100 * k);
                const std::vector<float> prices = values(k, k);
                std::vector<float> expected(n), out(n + 20, untouched_column);
                for (std::size_t i = 0; i < n; ++i) {
                    float least = infinity;
                    for (std::size_t h = 0; h < k; ++h)
                        if (h != l) least = std::min(least, away(h, i) + prices[h]);
                    expected[i] = away(l, i) - least;
                }
                // Values before l one way, values after it the other, into another buffer and in place.
                std::vector<float> before(n + 20, infinity), after(n + 20, infinity);
                for (std::size_t h = 0; h < l; ++h)
                    kernels.least_priced(away.data() + h * away.stride, n, prices[h], before.data(), before.data());
                for (std::size_t h = k - 1; h > l; --h) {
                    std::vector<float> next(n + 20, infinity);
                    kernels.least_priced(away.data() + h * away.stride, n, prices[h], after.data(), next.data());
                    after = next;
                }
                EXPECT_TRUE(std::all_of(before.begin() + static_cast<std::ptrdiff_t>(n), before.end(),
                                        [](float x) { return x == infinity; }));
                kernels.gaps(away.data() + l * away.stride, n, before.data(), after.data(), out.data());
                ASSERT_EQ(std::ranges::count(out, untouched_column), 20);
                out.resize(n);
                ASSERT_EQ(out, expected) << "n " << n << " k " << k << " l " << l;
            }
    });
}

TEST_P(ColumnKernels, NearestIsFirstLeastPricedDistance) {
    for_each_shape([&](std::size_t n, std::size_t gap, std::size_t shift) {
        for (std::size_t k = 1; k <= 7; ++k) {
            Columns away(k, n, gap, shift, n + 100 * k);
            // A coarse grid: many ties.
            for (float& x : away.all) x = std::round(x);
            std::vector<float> prices = values(k, k);
            for (float& price : prices) price = std::round(price);
            std::vector<std::int32_t> expected(n), labels(n + 20, -7);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t l = 1; l < k; ++l) {
                    const auto best = static_cast<std::size_t>(expected[i]);
                    if (away(l, i) + prices[l] < away(best, i) + prices[best])
                        expected[i] = static_cast<std::int32_t>(l);
                }
            kernels.priced_nearest(away.data(), away.stride, n, k, prices.data(), labels.data());
            ASSERT_EQ(std::ranges::count(labels, -7), 20);
            labels.resize(n);
            ASSERT_EQ(labels, expected) << "n " << n << " k " << k;
        }
    });
}

TEST_P(ColumnKernels, EqualPricesLeaveTheLowerIndex) {
    const std::vector<float> away(33 * 5, 2), prices(5, -1);
    std::vector<std::int32_t> labels(33, -7);
    kernels.priced_nearest(away.data(), 33, 33, 5, prices.data(), labels.data());
    EXPECT_EQ(labels, std::vector<std::int32_t>(33, 0));
}

TEST_P(ColumnKernels, CountBelowIsStrict) {
    for (std::size_t n = 0; n <= 40; ++n)
        for (const std::size_t shift : {0, 1, 3}) {
            std::vector<float> x = values(shift + n, n);
            for (std::size_t i = shift; i < x.size(); i += 5) x[i] = i % 2 == 0 ? infinity : -infinity;
            std::vector<float> limits{0, 1, -infinity, infinity};
            limits.insert(limits.end(), x.begin(), x.end());
            for (const float limit : limits) {
                std::size_t expected = 0;
                for (std::size_t i = shift; i < x.size(); ++i) expected += x[i] < limit ? 1 : 0;
                ASSERT_EQ(kernels.count_below(x.data() + shift, n, limit), expected) << "n " << n << " limit " << limit;
            }
        }
}

// Each lane counts separately: many points in one lane must not overflow into another.
TEST_P(ColumnKernels, CountBelowCountsMany) {
    const std::vector<float> x(1'000'003, -1);
    EXPECT_EQ(kernels.count_below(x.data(), x.size(), 0), x.size());
    EXPECT_EQ(kernels.count_below(x.data(), x.size(), -1), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, ColumnKernels, ::testing::ValuesIn(runnable()), level_of);

}  // namespace
}  // namespace fairstream::test
