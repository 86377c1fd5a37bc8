/// Linear algebra of tall blocks, against plain loops and the definitions of its factors.

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

#include "support/matrices.hpp"
#include "support/rounding.hpp"
#include "support/threads.hpp"

namespace fairstream::test {
namespace {

// Numbers of rows for one block, for some blocks, and for more blocks than there are separate sums.
const std::vector<std::size_t> row_counts{0, 1, 7, 511, 512, 513, 1'537, 6'001};
const std::vector<std::size_t> widths{0, 1, 3, 8, 17};

// Sums of `terms` products, added in any order; the oracle rounds once.
void expect_sums(const Matrix& out, const Matrix& exact, const Matrix& magnitudes, std::size_t terms) {
    ASSERT_EQ(out.rows, exact.rows);
    ASSERT_EQ(out.cols, exact.cols);
    for (std::size_t i = 0; i < out.values.size(); ++i)
        ASSERT_LE(std::abs(out.values[i] - exact.values[i]), gamma(terms + 12, double_unit) * magnitudes.values[i]);
}

TEST(Blocks, EveryRowIsInOneBlock) {
    for (const std::size_t n : row_counts) {
        std::vector<int> seen(n);
        for_row_blocks(n, [&](std::size_t first, std::size_t last) {
            EXPECT_LE(last - first, block_rows);
            for (std::size_t i = first; i < last; ++i) ++seen[i];
        });
        EXPECT_EQ(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(n));
    }
}

TEST(Blocks, GramsMatchPlainLoop) {
    for (const std::size_t n : row_counts)
        for (const std::size_t p : widths)
            for (const std::size_t q : {std::size_t{0}, std::size_t{5}}) {
                const Matrix a = random_matrix(n, p, n + p), b = random_matrix(n, q, n + q + 1);
                expect_sums(gram(a, b), plain_gram(a, b), plain_gram(a, b, true), n);
            }
}

TEST(Blocks, ProductsMatchPlainLoop) {
    for (const std::size_t n : row_counts)
        for (const std::size_t p : widths)
            for (const std::size_t q : {std::size_t{0}, std::size_t{5}}) {
                const Matrix x = random_matrix(n, p, n + p), s = random_matrix(p, q, q);
                Matrix out = random_matrix(3, 2, 1);  // earlier contents do not matter
                multiply(x, s, out);
                expect_sums(out, plain_product(x, s), plain_product(x, s, true), p);
            }
}

TEST(Blocks, ProjectingOutRemovesAndReturnsRange) {
    for (const std::size_t n : {std::size_t{20}, std::size_t{1'537}})
        for (const std::size_t r : {std::size_t{0}, std::size_t{1}, std::size_t{6}}) {
            const Matrix q = orthonormal_basis(random_matrix(n, r, 3)), x = random_matrix(n, 4, 4);
            Matrix rest = x;
            const Matrix within = project_out(q, rest);
            EXPECT_LE(largest_difference(within, plain_gram(q, x)), 1e-12);
            EXPECT_LE(largest(plain_gram(q, rest)), 1e-12);
            const Matrix back = plain_product(q, within);
            for (std::size_t i = 0; i < x.values.size(); ++i)
                ASSERT_NEAR(rest.values[i] + back.values[i], x.values[i], 1e-12);
        }
}

// Some columns of wider matrices: the same bits as separate matrices, and the columns beside them stay unchanged.
TEST(Blocks, PartsOfMatricesAreAsGoodAsMatrices) {
    for (const std::size_t n : {std::size_t{3}, std::size_t{1'537}}) {
        Matrix a = random_matrix(n, 9, 1), b = random_matrix(n, 6, 2);
        const Matrix inner_a = columns(a, 2, 4), inner_b = columns(b, 1, 3);
        const ConstBlock part_a(a, 2, 4), part_b(b, 1, 3);
        EXPECT_EQ(gram(part_a, part_b), gram(inner_a, inner_b));
        EXPECT_EQ(column_squares(part_a), column_squares(inner_a));
        const Matrix s = random_matrix(4, 3, 3), kept = b;
        Matrix product, rest = inner_b;
        multiply(inner_a, s, product);
        multiply(part_a, s, Block(b, 1, 3));
        EXPECT_EQ(columns(b, 1, 3), product);
        b = kept;
        const Matrix q = orthonormal_basis(inner_a), within = project_out(q, rest);
        EXPECT_EQ(project_out(q, Block(b, 1, 3)), within);
        EXPECT_EQ(columns(b, 1, 3), rest);
        copy(inner_b, {b, 1, 3});
        EXPECT_EQ(b, kept);
    }
}

TEST(Blocks, ColumnsAreCopied) {
    const Matrix x = random_matrix(1'537, 7, 1);
    const std::vector<std::size_t> order{6, 0, 0, 3};
    const Matrix some = columns(x, order), middle = columns(x, 2, 3), none = columns(x, 7, 0);
    EXPECT_EQ(some.cols, 4U);
    EXPECT_EQ(none.rows, 1'537U);
    EXPECT_EQ(none.cols, 0U);
    for (std::size_t i = 0; i < x.rows; ++i) {
        for (std::size_t j = 0; j < order.size(); ++j) ASSERT_EQ(some.at(i, j), x.at(i, order[j]));
        for (std::size_t j = 0; j < 3; ++j) ASSERT_EQ(middle.at(i, j), x.at(i, 2 + j));
    }
    const Matrix first = columns(x, 0, 2), rest = columns(x, 2, 5);
    const Matrix back = joined_columns(joined_columns(first, none), rest);
    EXPECT_EQ(back, x);
    EXPECT_EQ(transposed(transposed(first)), first);
    EXPECT_EQ(transposed(first), plain_transpose(first));
}

TEST(Blocks, SquaresAreSummed) {
    const Matrix x = random_matrix(700, 3, 2);
    const std::vector<double> squares = column_squares(x);
    const Matrix square = plain_gram(x, x);
    double all = 0;
    for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(squares[j], square.at(j, j), gamma(702, double_unit) * square.at(j, j));
        all += square.at(j, j);
    }
    EXPECT_NEAR(squared_norm(x), all, gamma(705, double_unit) * all);
    EXPECT_EQ(squared_norm(Matrix(5, 0)), 0);
}

TEST(Blocks, ResultsDoNotDependOnThreads) {
    const Matrix a = random_matrix(6'001, 9, 1), b = random_matrix(6'001, 4, 2), q = orthonormal_basis(a);
    expect_same_at_any_thread_count([&] {
        Matrix product, rest = b, polar = a;
        multiply(a, gram(a, b), product);
        make_polar(polar);
        std::vector<Matrix> all{gram(a, b), product, project_out(q, rest), rest, polar, orthonormal_basis(a)};
        return all;
    });
}

// X = U S, with S symmetric and without negative eigenvalues, defines the factor, and makes U the nearest matrix with
// orthonormal columns.
void expect_polar(const Matrix& u, const Matrix& x) {
    EXPECT_LE(orthonormality_error(u), 1e-13);
    const Matrix s = plain_gram(u, x);
    const double scale = std::sqrt(squared_norm(x));
    EXPECT_LE(largest_difference(s, plain_transpose(s)), 1e-12 * scale);
    EXPECT_GE(symmetric_spectrum(s).values.back(), -1e-12 * scale);
    EXPECT_LE(largest_difference(plain_product(u, s), x), 1e-12 * scale);
}

TEST(Polar, FactorIsOrthonormalAndSemidefinite) {
    for (const std::size_t n : {std::size_t{6}, std::size_t{30}, std::size_t{1'537}})
        for (std::size_t k = 1; k <= 6; ++k)
            for (const double spread : {1.0, 1e-3}) {  // of the singular values
                Matrix x = random_matrix(n, k, n + k);
                for (std::size_t i = 0; i < n; ++i) x.at(i, 0) *= spread;
                Matrix u = x;
                EXPECT_TRUE(make_polar(u));
                expect_polar(u, x);
            }
}

TEST(Polar, IsNearestOrthonormalMatrix) {
    const Matrix x = random_matrix(12, 4, 5);
    Matrix u = x;
    ASSERT_TRUE(make_polar(u));
    const auto distance = [&](const Matrix& from) {
        double sum = 0;
        for (std::size_t i = 0; i < x.values.size(); ++i) sum += std::pow(x.values[i] - from.values[i], 2);
        return sum;
    };
    for (std::uint64_t seed = 100; seed < 150; ++seed) {
        Matrix other = u;
        const Matrix step = random_matrix(12, 4, seed);
        for (std::size_t i = 0; i < step.values.size(); ++i) other.values[i] += 0.05 * step.values[i];
        EXPECT_GT(distance(orthonormal_basis(other)), distance(u));
        ASSERT_TRUE(make_polar(other));
        EXPECT_GT(distance(other), distance(u));
    }
}

TEST(Polar, SaysThatAMatrixLacksDirections) {
    Matrix zero(20, 3), repeated = random_matrix(20, 3, 1), wide = random_matrix(3, 5, 2);
    for (std::size_t i = 0; i < 20; ++i) repeated.at(i, 2) = repeated.at(i, 0) - 2 * repeated.at(i, 1);
    const Matrix kept = repeated;
    EXPECT_FALSE(make_polar(zero));
    EXPECT_FALSE(make_polar(repeated));
    EXPECT_FALSE(make_polar(wide));
    // The nonzero part is orthonormal: singular values 1, 1 and 0.
    const std::vector<double> squares = symmetric_spectrum(plain_gram(repeated, repeated)).values;
    EXPECT_NEAR(squares[0], 1, 1e-12);
    EXPECT_NEAR(squares[1], 1, 1e-12);
    EXPECT_NEAR(squares[2], 0, 1e-12);
    Matrix nothing(20, 0);
    EXPECT_TRUE(make_polar(nothing));
}

TEST(OrthonormalBasis, SpansTheSameWithoutTheColumnsThatDepend) {
    for (const std::size_t n : {std::size_t{9}, std::size_t{1'537}}) {
        Matrix x = random_matrix(n, 7, n);
        for (std::size_t i = 0; i < n; ++i) {
            x.at(i, 2) = 0;
            x.at(i, 4) = 3 * x.at(i, 0) - x.at(i, 1);
            x.at(i, 6) = 1e-9 * x.at(i, 5);  // the length of a column does not matter
            x.at(i, 3) *= 1e6;
        }
        const Matrix basis = orthonormal_basis(x);
        EXPECT_EQ(basis.cols, 4U);
        EXPECT_LE(orthonormality_error(basis), 1e-13);
        const Matrix back = plain_product(basis, plain_gram(basis, x));
        EXPECT_LE(largest_difference(back, x), 1e-12 * largest(x));
    }
}

TEST(OrthonormalBasis, OfNothingIsNothing) {
    EXPECT_EQ(orthonormal_basis(Matrix(5, 0)).cols, 0U);
    EXPECT_EQ(orthonormal_basis(Matrix(5, 3)).cols, 0U);
    EXPECT_EQ(orthonormal_basis(random_matrix(3, 8, 1)).cols, 3U) << "no more than there are rows";
}

// Columns that lie almost or fully in the bases leave mostly rounding.
TEST(NewDirections, AreOrthogonalHoweverSmall) {
    for (const std::size_t n : {std::size_t{40}, std::size_t{1'537}}) {
        const Matrix all = orthonormal_basis(random_matrix(n, 9, 1));
        const Matrix a = columns(all, 0, 3), b = columns(all, 3, 2), fresh = columns(all, 5, 4);
        Matrix within = plain_product(columns(all, 0, 5), random_matrix(5, 4, 2));
        for (const double share : {1.0, 1e-3, 1e-9, 1e-12}) {
            Matrix x = within;
            for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += share * fresh.values[i];
            const Matrix found = new_directions({a, b}, x);
            ASSERT_EQ(found.cols, 4U) << share;
            EXPECT_LE(orthonormality_error(found), 1e-13);
            EXPECT_LE(largest(plain_gram(a, found)), 1e-14);
            EXPECT_LE(largest(plain_gram(b, found)), 1e-14);
            // The range is the same: the rounding of x is 1e-16 of it, and `share` of it is new.
            EXPECT_LE(largest_difference(plain_product(found, plain_gram(found, fresh)), fresh), 1e-14 / share);
        }
    }
}

TEST(NewDirections, AreNoneInFullSpace) {
    const Matrix all = orthonormal_basis(random_matrix(8, 8, 1)), a = columns(all, 0, 5), b = columns(all, 5, 3);
    ASSERT_EQ(all.cols, 8U);
    EXPECT_EQ(new_directions({a, b}, random_matrix(8, 4, 2)).cols, 0U);
    EXPECT_EQ(new_directions({a}, random_matrix(8, 6, 2)).cols, 3U);
    EXPECT_EQ(new_directions({}, Matrix(8, 0)).cols, 0U);
}

}  // namespace
}  // namespace fairstream::test
