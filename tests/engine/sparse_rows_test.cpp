/// Distances of rows that are mostly 0, against naive loops over all values.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <fairstream/numeric/detail/measured_rows.hpp>

#include "kernel_sets.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

using EntryColumns = std::vector<std::uint32_t>;

/// Columns `whole`, ..., d - 1 are sparse: each row has one value other than 0 in about `entries` of them.
struct MixedRows {
    MixedRows(std::size_t rows, std::size_t whole, std::size_t sparse, std::size_t entries, std::uint64_t seed)
        : n(rows), d(whole + sparse), order(rows), x(rows * (whole + sparse)) {
        Random random(seed);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < whole; ++j) x[i * d + j] = normal(random);
            for (std::size_t e = 0; e < entries; ++e)
                x[i * d + whole + random.below(static_cast<std::uint32_t>(sparse))] = random.below(2) == 0 ? 1 : 3.5F;
        }
        std::iota(order.rbegin(), order.rend(), 0);
    }
    [[nodiscard]] const float* row(std::size_t i) const { return &x[i * d]; }

    std::size_t n, d;
    EntryColumns order;
    std::vector<float> x;
};

double loop_square(const float* x, std::size_t d) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += double{x[j]} * double{x[j]};
    return sum;
}
double loop_distance(const float* a, const float* b, std::size_t d) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += (double{a[j]} - double{b[j]}) * (double{a[j]} - double{b[j]});
    return sum;
}
// Terms of |x|^2 + |c|^2 - 2 x.c: squares and products of floats are exact in double, at most 3 d are added.
double error_of_products(const float* a, const float* b, std::size_t d) {
    return 2 * gamma(3 * d + 3, double_unit) * (loop_square(a, d) + loop_square(b, d));
}
// Squares of differences in float, and the sums of both parts.
double error_in_float(double distance, std::size_t d) {
    return gamma(d + 5, float_unit) * distance;
}

std::vector<float> distances_of(MeasuredRows& rows, const std::vector<float>& centres, std::size_t k, std::size_t n) {
    std::vector<float> out(k * n, -1);
    rows.measure(centres, out);
    return out;
}

struct RowsShape {
    std::size_t n, whole, sparse, entries, k;
};

TEST(MeasuredRows, MeasureWhatANaiveLoopMeasures) {
    for (const auto& [n, whole, sparse, entries, k] :
         {RowsShape{300, 0, 200, 3, 10}, RowsShape{300, 2, 200, 3, 10}, RowsShape{1500, 7, 90, 1, 1},
          RowsShape{40, 3, 64, 2, 17}, RowsShape{33, 0, 500, 0, 5}, RowsShape{17, 1, 40, 4, 40},
          RowsShape{5, 30, 30, 1, 3}, RowsShape{1, 0, 30, 1, 2}}) {
        const MixedRows rows(n, whole, sparse, entries, n + k);
        const MixedRows centres(k, rows.d, 1, 0, k);  // all columns are whole
        std::vector<float> c;
        for (std::size_t l = 0; l < k; ++l) c.insert(c.end(), centres.row(l), centres.row(l) + rows.d);
        MeasuredRows stored;
        stored.copy(rows.x.data(), rows.d, rows.order);
        const std::vector<float> out = distances_of(stored, c, k, n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t l = 0; l < k; ++l) {
                const float* const row = rows.row(rows.order[i]);
                const double exact = loop_distance(row, &c[l * rows.d], rows.d);
                ASSERT_NEAR(out[l * n + i], exact,
                            error_in_float(exact, rows.d) + error_of_products(row, &c[l * rows.d], rows.d))
                    << n << " rows, row " << i << ", centre " << l;
            }
    }
}

TEST(MeasuredRows, ARowIsAtNoDistanceFromItself) {
    const MixedRows rows(200, 2, 300, 3, 5);
    MeasuredRows stored;
    stored.copy(rows.x.data(), rows.d, rows.order);
    for (std::size_t i = 0; i < rows.n; ++i) {
        const float* const row = rows.row(rows.order[i]);
        EXPECT_EQ(distances_of(stored, {row, row + rows.d}, 1, rows.n)[i], 0) << "squares of 1 and 3.5 are exact";
    }
}

TEST(MeasuredRows, AResultDependsOnItsRowAndCentreAlone) {
    const MixedRows rows(70, 3, 100, 2, 9), centres(20, 103, 1, 0, 4);
    std::vector<float> c;
    for (std::size_t l = 0; l < 20; ++l) c.insert(c.end(), centres.row(l), centres.row(l) + rows.d);
    MeasuredRows stored;
    stored.copy(rows.x.data(), rows.d, rows.order);
    const std::vector<float> all = distances_of(stored, c, 20, rows.n);
    for (std::size_t l = 0; l < 20; ++l) {
        const auto first = c.begin() + static_cast<std::ptrdiff_t>(l * rows.d);
        const std::vector<float> alone =
            distances_of(stored, {first, first + static_cast<std::ptrdiff_t>(rows.d)}, 1, rows.n);
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), &all[l * rows.n])) << l;
    }
}

TEST(MeasuredRows, SumsAreThoseOfNaiveLoops) {
    for (const std::size_t sparse : {3, 300}) {
        const MixedRows rows(50, 4, sparse, 2, sparse);
        MeasuredRows stored;
        stored.copy(rows.x.data(), rows.d, rows.order);
        std::vector<double> sums(rows.d, 1.5), expected = sums;
        double square = 2, expected_square = 2, magnitude = 2;
        for (std::size_t i = 0; i < rows.n; ++i) {
            const double factor = i % 3 == 0 ? -0.5 : 2;
            const float* const row = rows.row(rows.order[i]);
            stored.accumulate(i, row, factor, sums.data(), square);
            for (std::size_t j = 0; j < rows.d; ++j) expected[j] += factor * double{row[j]};
            expected_square += factor * loop_square(row, rows.d);
            magnitude += std::abs(factor) * loop_square(row, rows.d);
        }
        for (std::size_t j = 0; j < rows.d; ++j)
            EXPECT_EQ(sums[j], expected[j]) << "factors are powers of 2, and values are added in the same order";
        EXPECT_NEAR(square, expected_square, 2 * gamma(rows.n + rows.d, double_unit) * magnitude);
    }
}

TEST(MeasuredRows, WorkIsOfTheValuesThatAreRead) {
    MeasuredRows rows;
    const auto work = [&](const MixedRows& of) {
        rows.copy(of.x.data(), of.d, of.order);
        return rows.work_of_distance();
    };
    EXPECT_EQ(work(MixedRows(100, 40, 1, 1, 1)), 41);
    EXPECT_EQ(work(MixedRows(100, 40, 10, 1, 1)), 50) << "ten sparse columns save less than they cost";
    EXPECT_EQ(work(MixedRows(100, 5, 400, 1, 1)), 5 + values_per_entry);
    EXPECT_EQ(work(MixedRows(100, 0, 400, 0, 1)), 0);
    EXPECT_EQ(work(MixedRows(100, 60, 1, 1, 1)), 61) << "memory that is used again forgets the former rows";
}

TEST(SparseRows, DistancesAreThoseOfNaiveLoops) {
    const MixedRows rows(60, 3, 80, 4, 2);
    EntryColumns all(rows.d);
    std::iota(all.begin(), all.end(), 0);
    SparseRows sparse;
    for (std::size_t i = 0; i < rows.n; ++i) sparse.add(rows.row(i), all);
    for (std::size_t i = 0; i < rows.n; ++i)
        for (std::size_t other = 0; other < rows.n; ++other) {
            const float *const a = rows.row(i), *const b = rows.row(other);
            const double exact = loop_distance(a, b, rows.d), error = error_of_products(a, b, rows.d);
            ASSERT_NEAR(sparse.distance(i, other), exact, error);
            ASSERT_EQ(sparse.distance(i, other), sparse.distance(other, i));
            ASSERT_NEAR(sparse.distance(i, b, square_of(b, rows.d)), exact, error);
        }
}

TEST(SparseRows, KeepEntriesInTheOrderOfTheirColumns) {
    SparseRows sparse;
    sparse.add(std::vector<float>{0, 0, 0}.data(), EntryColumns{0, 1, 2});
    sparse.add(std::vector<float>{4, 0, -2}.data(), EntryColumns{0, 2});
    EXPECT_TRUE(sparse[0].entries.empty());
    EXPECT_EQ(sparse[0].square, 0);
    EXPECT_TRUE(std::ranges::equal(sparse[1].entries, std::vector<float>{4, -2}));
    EXPECT_TRUE(std::ranges::equal(sparse[1].columns, EntryColumns{0, 1}));
    EXPECT_EQ(sparse[1].square, 20);
    EXPECT_EQ(sparse.distance(0, 1), 20);
}

TEST(SparseRows, EntriesOfColumnsAreCountedInASampleOfAllRows) {
    EXPECT_EQ(entries_of_columns(nullptr, 0, 2), (std::vector<double>{0, 0}));
    std::vector<float> rows;
    for (int i = 0; i < 6000; ++i) rows.insert(rows.end(), {1, i < 3000 ? 0.0F : 2.0F, 0});
    const std::vector<double> entries = entries_of_columns(rows.data(), 6000, 3);
    EXPECT_EQ(entries[0], 6000);
    EXPECT_NEAR(entries[1], 3000, 24) << "a row of the sample is 24 rows";
    EXPECT_EQ(entries[2], 0);
}

class SparseKernels : public KernelSets {};

TEST_P(SparseKernels, DistancesOfEntriesAreThoseOfTheRow) {
    for (std::size_t d = 1; d <= 40; d += 3)
        for (std::size_t k = 1; k <= 40; ++k) {
            const std::vector<float> centres = values(k * d, k + d), row = values(d, d);
            std::vector<float> packed(packed_size(k, d)), entries, out(packed_size(k, 1), -1);
            pack_centres(centres.data(), k, d, packed.data());
            EntryColumns columns;
            for (std::uint32_t j = 0; j < d; ++j)
                if (row[j] != 0) entries.push_back(row[j]), columns.push_back(j);
            std::vector<double> squares(packed_size(k, 1), std::numeric_limits<double>::infinity());
            for (std::size_t l = 0; l < k; ++l) squares[l] = loop_square(&centres[l * d], d);
            kernels.entry_distances(entries.data(), columns.data(), entries.size(), loop_square(row.data(), d),
                                    packed.data(), d, squares.data(), k, out.data());
            for (std::size_t l = 0; l < k; ++l) {
                const double exact = loop_distance(row.data(), &centres[l * d], d);
                ASSERT_NEAR(out[l], exact,
                            gamma(1, float_unit) * exact + error_of_products(row.data(), &centres[l * d], d));
            }
            for (std::size_t l = k; l < out.size(); ++l) ASSERT_EQ(out[l], infinity) << "padding";
        }
}

INSTANTIATE_TEST_SUITE_P(All, SparseKernels, ::testing::ValuesIn(runnable()), level_of);

}  // namespace
}  // namespace fairstream::test
