/// Every compiled set of kernels that this machine can run, against naive loops in double.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

#include "kernel_sets.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

// Tolerances: the number of operations in one result; the naive loop's own rounding is far smaller.
//
// distances: d differences and squares, sums of about d/2 terms in each of two lanes, one sum of the two: every term
// passes at most 2 (the squared difference) + 1 (square) + d/2 + 1 roundings. All terms are nonnegative: relative to
// the result.
double distances_tolerance(std::size_t d) {
    return gamma(d / 2 + 5, float_unit);
}
// distance: the same in double, in any order: at most d + 3. The naive loop adds as many.
double distance_tolerance(std::size_t d) {
    return gamma(2 * (d + 3), double_unit);
}
// dot: a product and at most d sums per term, relative to the sum of |a_i b_i|.
double dot_tolerance(std::size_t d) {
    return gamma(d + 1, float_unit);
}
// accumulate: squares of floats are exact in double; one row sums d of them, n rows follow. Relative to all of them.
double squares_tolerance(std::size_t n, std::size_t d) {
    return gamma(2 * (n + d), double_unit);
}

double naive_distance(const float* a, const float* b, std::size_t d) {
    double total = 0;
    for (std::size_t j = 0; j < d; ++j) total += (double{a[j]} - double{b[j]}) * (double{a[j]} - double{b[j]});
    return total;
}

std::vector<float> packed(const std::vector<float>& centres, std::size_t k, std::size_t d) {
    std::vector<float> all(packed_size(k, d));
    pack_centres(centres.data(), k, d, all.data());
    return all;
}

std::vector<float> distances(const Kernels& kernels, const float* row, std::size_t d,
                             const std::vector<float>& packed_centres, std::size_t k) {
    std::vector<float> out((k + centre_lanes - 1) / centre_lanes * centre_lanes);
    kernels.distances(row, d, packed_centres.data(), k, out.data());
    return out;
}

std::vector<std::int32_t> assign(const Kernels& kernels, const std::vector<float>& rows, std::size_t d,
                                 const std::vector<float>& packed_centres, std::size_t k) {
    std::vector<std::int32_t> labels(rows.size() / d, -7);
    kernels.assign(rows.data(), labels.size(), d, packed_centres.data(), k, labels.data());
    return labels;
}

TEST(Kernels, PackingPadsOutOfReach) {
    for (std::size_t d = 1; d <= 9; ++d)
        for (std::size_t k = 1; k <= 70; ++k) {
            const std::vector<float> centres = values(k * d, k);
            const std::vector<float> all = packed(centres, k, d);
            ASSERT_EQ(all.size() % (centre_lanes * d), 0U);
            for (std::size_t l = 0; l < all.size() / d; ++l)
                for (std::size_t j = 0; j < d; ++j) {
                    const float x = all[packed_offset(l, d) + j * centre_lanes];
                    if (l < k)
                        ASSERT_EQ(x, centres[l * d + j]);
                    else
                        ASSERT_EQ(x * x, infinity);
                }
        }
}

TEST(Kernels, BestSupportedSetIsChosen) {
    EXPECT_EQ(&kernels(), runnable().back());
    EXPECT_TRUE(cpu_level().starts_with(std::string(runnable().back()->level) + ' '));
}

TEST_P(KernelSets, DistancesMatchNaiveLoop) {
    for (std::size_t d = 1; d <= 40; ++d)
        for (std::size_t k = 1; k <= 70; k += (d % 3) + 1) {
            const std::vector<float> centres = values(k * d, 100 * d + k), row = values(d, d);
            const std::vector<float> out = distances(kernels, row.data(), d, packed(centres, k, d), k);
            for (std::size_t l = 0; l < k; ++l) {
                const double exact = naive_distance(row.data(), &centres[l * d], d);
                ASSERT_LE(std::abs(out[l] - exact), distances_tolerance(d) * exact)
                    << "d " << d << " k " << k << " l " << l;
            }
            for (std::size_t l = k; l < out.size(); ++l) ASSERT_EQ(out[l], infinity);
        }
}

// The label is exactly the first of the smallest distances that `distances` gives, and so within rounding a nearest
// centre: for rows taken together, for the remaining rows, and for rows too wide to be taken together.
TEST_P(KernelSets, AssignTakesTheFirstOfTheSmallestDistances) {
    constexpr std::size_t n = 37;
    std::vector<std::size_t> widths(40);
    std::iota(widths.begin(), widths.end(), 1);
    widths.insert(widths.end(), {511, 512, 513, 600});
    for (const std::size_t d : widths)
        for (std::size_t k = 1; k <= 70; k += d <= 40 ? 1 : 23) {
            const std::vector<float> rows = values(n * d, d), all = packed(values(k * d, 7 * k + d), k, d);
            const std::vector<std::int32_t> labels = assign(kernels, rows, d, all, k);
            for (std::size_t i = 0; i < n; ++i) {
                const std::vector<float> away = distances(kernels, &rows[i * d], d, all, k);
                ASSERT_EQ(labels[i], std::ranges::min_element(away) - away.begin())
                    << "d " << d << " k " << k << " row " << i;
            }
        }
}

TEST_P(KernelSets, TiesGoToTheLowerIndex) {
    constexpr std::size_t d = 3, n = 17;  // rows: some taken together, one alone
    std::vector<float> rows;
    for (std::size_t i = 0; i < n; ++i) rows.insert(rows.end(), {0, 1, 2});
    for (std::size_t k = 2; k <= 70; ++k)
        for (std::size_t first = 0; first < k; ++first)
            for (std::size_t second = first + 1; second < k; ++second) {
                // Two equal centres beside the row, all others far away.
                std::vector<float> centres(k * d, 100);
                for (std::size_t j = 0; j < d; ++j) centres[first * d + j] = centres[second * d + j] = 1;
                ASSERT_EQ(assign(kernels, rows, d, packed(centres, k, d), k),
                          std::vector<std::int32_t>(n, static_cast<std::int32_t>(first)))
                    << k << " " << second;
            }
    EXPECT_EQ(assign(kernels, {5, 5, 5}, d, packed(std::vector<float>(70 * d, 1), 70, d), 70).front(), 0)
        << "all centres equal";
    EXPECT_EQ(assign(kernels, {0}, 1, packed({1, -1, 1}, 3, 1), 3).front(), 0) << "equally far on both sides";
}

TEST_P(KernelSets, RowsAreIndependent) {
    for (std::size_t d = 1; d <= 40; ++d) {
        constexpr std::size_t n = 37, k = 21;
        const std::vector<float> rows = values(n * d, d), all = packed(values(k * d, d + 1), k, d);
        const std::vector<std::int32_t> labels = assign(kernels, rows, d, all, k);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t shift = 0; shift < 17; ++shift) {
                // The row alone, at every alignment a float may have.
                std::vector<float> moved(shift + d);
                std::copy_n(&rows[i * d], d, &moved[shift]);
                std::int32_t alone = -7;
                kernels.assign(&moved[shift], 1, d, all.data(), k, &alone);
                ASSERT_EQ(alone, labels[i]);
                ASSERT_EQ(distances(kernels, &moved[shift], d, all, k), distances(kernels, &rows[i * d], d, all, k));
                ASSERT_EQ(kernels.distance(&moved[shift], rows.data(), d),
                          kernels.distance(&rows[i * d], rows.data(), d));
            }
    }
}

TEST_P(KernelSets, AllWithinSeesEveryPosition) {
    const float limit = feature_limit, above = std::nextafter(limit, infinity),
                nan = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t n = 0; n <= 70; ++n)
        for (std::size_t shift = 0; shift < 17; shift += 3) {
            std::vector<float> x(shift + n, 3);
            float* first = x.data() + shift;
            for (std::size_t i = 0; i < n; ++i) first[i] = i % 2 == 0 ? limit : -limit;
            ASSERT_TRUE(kernels.all_within(first, n, limit)) << n;
            for (std::size_t at = 0; at < n; ++at)
                for (const float bad : {nan, -nan, infinity, -infinity, above, -above}) {
                    const float kept = std::exchange(first[at], bad);
                    ASSERT_FALSE(kernels.all_within(first, n, limit)) << bad << " at " << at << " of " << n;
                    first[at] = kept;
                }
        }
    EXPECT_TRUE(kernels.all_within(nullptr, 0, limit));
}

// In the order of the rows: every sum equals that of a plain loop over the rows, bit for bit.
TEST_P(KernelSets, AccumulateAddsInTheOrderOfTheRows) {
    constexpr std::size_t n = 60, k = 4;
    for (std::size_t d = 1; d <= 40; ++d) {
        std::vector<float> rows = values(n * d, d);
        for (std::size_t i = 0; i < n; i += 7)
            rows[i * d] = i % 2 == 0 ? 1e15F : -1e15F;  // sums that depend on their order
        std::vector<std::int32_t> labels(n);
        Random random(d);
        for (std::int32_t& label : labels) label = static_cast<std::int32_t>(random.below(k));
        for (const double sign : {1.0, -1.0}) {
            std::vector<double> sums(k * d, 0.5), squares(k, 0.25), naive = sums, backwards = sums, exact = squares,
                                                                    scale = squares;
            kernels.accumulate(rows.data(), n, d, labels.data(), sign, nullptr, sums.data(), squares.data());
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < d; ++j) {
                    const auto l = static_cast<std::size_t>(labels[i]),
                               back = static_cast<std::size_t>(labels[n - 1 - i]);
                    naive[l * d + j] += sign * double{rows[i * d + j]};
                    backwards[back * d + j] += sign * double{rows[(n - 1 - i) * d + j]};
                    exact[l] += sign * double{rows[i * d + j]} * double{rows[i * d + j]};
                    scale[l] += double{rows[i * d + j]} * double{rows[i * d + j]};
                }
            ASSERT_EQ(sums, naive) << "d " << d;
            ASSERT_NE(sums, backwards) << "the order of these rows must matter for this test to mean anything";
            for (std::size_t l = 0; l < k; ++l)
                ASSERT_LE(std::abs(squares[l] - exact[l]), squares_tolerance(n, d) * scale[l]);
        }
    }
}

TEST_P(KernelSets, AccumulateRowByRowEqualsAllAtOnce) {
    constexpr std::size_t n = 30, k = 3;
    for (std::size_t d = 1; d <= 40; ++d) {
        const std::vector<float> rows = values(n * d, d);
        std::vector<std::int32_t> labels(n);
        for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int32_t>(i * i % k);
        std::vector<double> sums(k * d), squares(k), row_sums(k * d), row_squares(k);
        kernels.accumulate(rows.data(), n, d, labels.data(), 1, nullptr, sums.data(), squares.data());
        for (std::size_t i = 0; i < n; ++i)
            kernels.accumulate(&rows[i * d], 1, d, &labels[i], 1, nullptr, row_sums.data(), row_squares.data());
        ASSERT_EQ(sums, row_sums);
        ASSERT_EQ(squares, row_squares);
        kernels.accumulate(rows.data(), 0, d, labels.data(), 1, nullptr, sums.data(), squares.data());
        ASSERT_EQ(sums, row_sums) << "no rows change nothing";
    }
}

TEST_P(KernelSets, DistanceMatchesNaiveLoop) {
    for (std::size_t d = 1; d <= 70; ++d)
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            const std::vector<float> a = values(d, 2 * seed + 100 * d), b = values(d, 2 * seed + 1 + 100 * d);
            const double exact = naive_distance(a.data(), b.data(), d);
            ASSERT_LE(std::abs(kernels.distance(a.data(), b.data(), d) - exact), distance_tolerance(d) * exact);
            ASSERT_EQ(kernels.distance(a.data(), a.data(), d), 0);
            ASSERT_EQ(kernels.distance(a.data(), b.data(), d), kernels.distance(b.data(), a.data(), d));
        }
}

// Rows of a table in a random order, some more than once.
std::vector<std::uint32_t> drawn_rows(std::size_t n, std::uint32_t table, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::uint32_t> at(n);
    for (std::uint32_t& row : at) row = random.below(table);
    return at;
}

TEST_P(KernelSets, LeastDotIsALeastOneWithinRounding) {
    constexpr std::uint32_t table = 50;
    for (std::size_t d = 1; d <= 40; ++d)
        for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{80}}) {
            const std::vector<float> rows = values(table * d, d), direction = values(d, d + 1);
            const std::vector<std::uint32_t> at = drawn_rows(n, table, d + n);
            std::vector<double> products(n), error(n);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < d; ++j) {
                    const double product = double{rows[at[i] * d + j]} * double{direction[j]};
                    products[i] += product;
                    error[i] += dot_tolerance(d) * std::abs(product);
                }
            const std::size_t best = kernels.least_dot(rows.data(), at.data(), n, d, direction.data());
            ASSERT_LT(best, n);
            for (std::size_t i = 0; i < n; ++i) ASSERT_LE(products[best] - error[best], products[i] + error[i]);
            ASSERT_EQ(std::ranges::find(at, at[best]) - at.begin(), static_cast<std::ptrdiff_t>(best))
                << "a row that comes twice must win the first time";
        }
}

// Exactly the differences of the results of `distances`, each the first of the least.
TEST_P(KernelSets, LeastChangesAreThoseOfTheDistances) {
    constexpr std::uint32_t table = 50;
    for (std::size_t d = 1; d <= 20; ++d)
        for (std::size_t k = 1; k <= 40; ++k)
            for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{32}}) {
                const std::vector<float> rows = values(table * d, d), all = packed(values(k * d, k + d), k, d);
                const std::vector<std::uint32_t> at = drawn_rows(n, table, d + k + n);
                const std::size_t from = (7 * d + n) % k;
                std::vector<float> expected(k, infinity), least(packed_size(k, 1), -1);
                std::vector<std::uint32_t> expected_row(k, 0), which(packed_size(k, 1), 0);
                for (const std::uint32_t row : at) {
                    const std::vector<float> away = distances(kernels, &rows[row * d], d, all, k);
                    for (std::size_t l = 0; l < k; ++l)
                        if (away[l] - away[from] < expected[l]) {
                            expected[l] = away[l] - away[from];
                            expected_row[l] = row;
                        }
                }
                kernels.least_changes(rows.data(), at.data(), n, d, all.data(), k, from, least.data(), which.data());
                least.resize(k), which.resize(k);
                ASSERT_EQ(least, expected) << "d " << d << " k " << k << " n " << n;
                ASSERT_EQ(which, expected_row) << "d " << d << " k " << k << " n " << n;
            }
}

TEST_P(KernelSets, AccumulatePassesOverRowsWithoutALabel) {
    constexpr std::size_t d = 5;
    const std::vector<float> rows = values(3 * d, 1);
    const std::vector<std::int32_t> some{1, -1, 0}, all{1, 0};
    std::vector<float> kept(rows.begin(), rows.begin() + d);
    kept.insert(kept.end(), rows.begin() + 2 * d, rows.end());
    std::vector<double> sums(2 * d), squares(2), kept_sums = sums, kept_squares = squares;
    kernels.accumulate(rows.data(), 3, d, some.data(), 1, nullptr, sums.data(), squares.data());
    kernels.accumulate(kept.data(), 2, d, all.data(), 1, nullptr, kept_sums.data(), kept_squares.data());
    EXPECT_EQ(sums, kept_sums);
    EXPECT_EQ(squares, kept_squares);
}

// Rows as far from all centres as features allow: no distance overflows, and padding is still farther away.
TEST_P(KernelSets, PaddingNeverWins) {
    for (const std::size_t d : {std::size_t{1}, std::size_t{2}, std::size_t{17}, std::size_t{40}, std::size_t{65536}})
        for (const std::size_t k : {1U, 2U, 15U, 16U, 17U, 33U})
            for (const float sign : {1.0F, -1.0F}) {
                const std::vector<float> all = packed(std::vector<float>(k * d, -sign * feature_limit), k, d);
                const std::vector<float> row(d, sign * feature_limit);
                ASSERT_EQ(assign(kernels, row, d, all, k).front(), 0);
                const std::vector<float> away = distances(kernels, row.data(), d, all, k);
                for (std::size_t l = 0; l < k; ++l) ASSERT_LT(away[l], infinity);
            }
}

TEST_P(KernelSets, TheFarthestIndexIsExact) {
    constexpr std::size_t k = 32767;
    std::vector<float> centres(k);
    for (std::size_t l = 0; l < k; ++l) centres[l] = static_cast<float>(l);
    const std::vector<float> all = packed(centres, k, 1);
    for (const std::size_t l : {std::size_t{0}, std::size_t{15}, std::size_t{16}, k / 2, k - 2, k - 1})
        EXPECT_EQ(assign(kernels, {static_cast<float>(l)}, 1, all, k).front(), static_cast<std::int32_t>(l));
}

INSTANTIATE_TEST_SUITE_P(All, KernelSets, ::testing::ValuesIn(runnable()), level_of);

}  // namespace
}  // namespace fairstream::test
