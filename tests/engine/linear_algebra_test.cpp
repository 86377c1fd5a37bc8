/// Small symmetric problems, checked by the definitions of their solutions.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include <xtensor/xview.hpp>

#include <fairstream/numeric/cpu_level.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

#include "support/matrices.hpp"
#include "support/threads.hpp"

namespace fairstream::test {
namespace {

Matrix random_square(std::size_t n, std::uint64_t seed) {
    const Matrix x = random_matrix(n + 3, n, seed);
    return plain_gram(x, x);
}

Vector random_vector(std::size_t n, std::uint64_t seed) {
    const Matrix x = random_matrix(n, 1, seed);
    return array(x.values);
}

TEST(Spectrum, EigenvectorsAreOrderedAndSigned) {
    for (const std::size_t k : {0, 1, 2, 3, 5, 10, 20, 31, 32, 33, 34, 64, 65, 66, 97, 155, 200}) {
        const Matrix x = random_matrix(k, k, k);
        Matrix a = plain_gram(x, x);
        for (std::size_t i = 0; i < k; ++i) a.at(i, i) -= static_cast<double>(k) / 2;  // of both signs
        const Spectrum spectrum = symmetric_spectrum(a);
        ASSERT_EQ(spectrum.values.size(), k);
        const Matrix image = plain_product(a, spectrum.vectors);
        const double bound = 1e-13 * static_cast<double>(k + 1) * std::max(1.0, largest(a));
        EXPECT_LE(orthonormality_error(spectrum.vectors), 1e-13 * static_cast<double>(k + 1));
        for (std::size_t j = 0; j < k; ++j) {
            double most = 0;
            for (std::size_t i = 0; i < k; ++i) {
                ASSERT_NEAR(image.at(i, j), spectrum.vectors.at(i, j) * spectrum.values[j], bound);
                if (std::abs(spectrum.vectors.at(i, j)) > std::abs(most)) most = spectrum.vectors.at(i, j);
            }
            EXPECT_GT(most, 0);
        }
        EXPECT_TRUE(std::ranges::is_sorted(spectrum.values, std::greater{}));
    }
}

TEST(Spectrum, FunctionActsOnEigenvalues) {
    const Matrix x = random_matrix(9, 6, 1), a = plain_gram(x, x);
    const Matrix root = symmetric_function(a, [](double value) { return std::sqrt(value); });
    EXPECT_LE(largest_difference(plain_product(root, root), a), 1e-12 * largest(a));
    const Matrix inverse = symmetric_function(a, [](double value) { return 1 / value; });
    EXPECT_LE(largest_difference(plain_product(a, inverse), identity(6)), 1e-11);
}

TEST(Spectrum, NonfiniteValuesGiveNan) {
    constexpr double largest = std::numeric_limits<double>::max();  // whose mean with itself is infinite
    for (const double value :
         {largest, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        Matrix a = identity(5);
        a.at(3, 1) = a.at(1, 3) = value;
        const Spectrum spectrum = symmetric_spectrum(a);
        for (const double x : spectrum.values) EXPECT_TRUE(std::isnan(x));
        for (const double x : spectrum.vectors.values) EXPECT_TRUE(std::isnan(x));
    }
}

TEST(Spectrum, ExtremeMagnitudesAreHandled) {
    for (const std::size_t k : {4, 40})
        for (const double scale : {1e-300, 1e-150, 1e150, 1e300}) {
            // 1 + i on the diagonal, turned by the reflector I - 2 u uᵀ, u constant.
            Matrix a(k, k);
            const auto n = static_cast<double>(k);
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t j = 0; j < k; ++j) {
                    const double sum = static_cast<double>(i + j + 2), all = n * (n + 1) / 2;
                    a.at(i, j) = scale * ((i == j ? static_cast<double>(i + 1) : 0) - 2 * sum / n + 4 * all / (n * n));
                }
            const Spectrum spectrum = symmetric_spectrum(a);
            for (std::size_t j = 0; j < k; ++j)
                EXPECT_NEAR(spectrum.values[j] / scale, static_cast<double>(k - j), 1e-13 * n) << scale;
        }
}

TEST(CholeskyFactor, SolvesToRounding) {
    for (const std::size_t n : {1, 2, 7, 40, 130}) {
        const Matrix a = random_square(n, n);
        const Cholesky factor(a);
        ASSERT_TRUE(factor.positive_definite());
        const Vector b = random_vector(n, 2), x = factor.solve(b);
        const Matrix image = plain_product(a, [&] {
            Matrix column(n, 1);
            array(column.values) = x;
            return column;
        }());
        // Backward stable: the residual is that of a matrix within rounding (N. Higham, "Accuracy and stability of
        // numerical algorithms", 2002, theorem 10.4).
        double most = 0;
        for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(x(i)));
        const double bound = 4e-16 * static_cast<double>((n + 1) * (n + 1)) * largest(a) * most;
        for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(image.at(i, 0), b(i), bound);
    }
}

TEST(CholeskyFactor, ForwardAndBackwardAreItsTwoHalves) {
    for (const std::size_t n : {1, 5, 70}) {
        const Matrix a = random_square(n, n);
        const Cholesky factor(a);
        Matrix rows = random_matrix(4, n, 1);
        const Matrix before = rows;
        factor.forward(rows);
        Matrix solved = rows;
        factor.backward(solved);
        for (std::size_t i = 0; i < 4; ++i) {
            Vector x = xt::row(array(rows), static_cast<std::ptrdiff_t>(i));
            factor.backward(x);
            EXPECT_EQ(x, factor.solve(xt::row(array(before), static_cast<std::ptrdiff_t>(i))));
            for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(solved.at(i, j), x(j), 1e-9 * (1 + std::abs(x(j))));
        }
    }
}

TEST(SingularValues, AreThoseOfTheProductOfTheFactors) {
    for (const auto& [m, p] : {std::pair<std::size_t, std::size_t>{1, 1}, {1, 6}, {6, 1}, {9, 5}, {5, 9}, {70, 40}}) {
        const Matrix a = random_matrix(m, p, m + p);
        const Svd found = singular_values(a);
        ASSERT_EQ(found.values.size(), std::min(m, p));
        EXPECT_TRUE(std::ranges::is_sorted(found.values, std::greater()));
        EXPECT_LE(orthonormality_error(found.left), 1e-13 * static_cast<double>(m + p));
        EXPECT_LE(orthonormality_error(found.right), 1e-13 * static_cast<double>(m + p));
        Matrix left = found.left;
        for (std::size_t i = 0; i < left.rows; ++i)
            for (std::size_t j = 0; j < left.cols; ++j) left.at(i, j) *= found.values[j];
        EXPECT_LE(largest_difference(plain_product(left, plain_transpose(found.right)), a),
                  1e-13 * found.values[0] * 100);
    }
    EXPECT_TRUE(singular_values(Matrix(0, 3)).values.empty());
}

TEST(CholeskyFactor, SaysWhatIsNotPositiveDefinite) {
    EXPECT_FALSE(Cholesky().positive_definite());
    Matrix indefinite = identity(4);
    indefinite.at(2, 2) = -1;
    EXPECT_FALSE(Cholesky(indefinite).positive_definite());
    EXPECT_FALSE(Cholesky(Matrix(3, 3)).positive_definite());
    Matrix nan = identity(3);
    nan.at(1, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(Cholesky(nan).positive_definite());
}

TEST(Products, AreThoseOfThePlainLoop) {
    for (const std::size_t n : {1, 3, 50})
        for (const std::size_t p : {1, 4, 200}) {
            const Matrix a = random_matrix(n, p, n + p);
            const Vector x = random_vector(p, 3), y = dot(a, x);
            ASSERT_EQ(y.size(), n);
            for (std::size_t i = 0; i < n; ++i) {
                double sum = 0;
                for (std::size_t j = 0; j < p; ++j) sum += a.at(i, j) * x(j);
                EXPECT_NEAR(y(i), sum, 1e-12);
            }
        }
    EXPECT_EQ(dot(random_vector(1, 1), Vector{0.0}), 0);
    EXPECT_EQ(dot(Matrix(3, 0), Vector()), xt::zeros<double>({3}));
    EXPECT_EQ(dot(Matrix(0, 2), random_vector(2, 1)), Vector());
    EXPECT_EQ(dot(Vector(), Vector()), 0);
    EXPECT_EQ(Cholesky(Matrix()).solve(Vector()), Vector());
}

// The same bits from 200 calls at once as from one alone: no buffer of LAPACK is shared.
template <class Solve> void expect_same_side_by_side(const std::vector<std::size_t>& sizes, const Solve& solve) {
    std::vector<decltype(solve(Matrix()))> alone;
    std::vector<Matrix> problems;
    for (const std::size_t n : sizes) {
        problems.push_back(random_square(n, n));
        alone.push_back(solve(problems.back()));
    }
    std::atomic<int> different = 0;
    with_threads(4, [&] {
        parallel_for(std::size_t{0}, std::size_t{200}, [&](std::size_t call) {
            const std::size_t which = call % sizes.size();
            if (solve(problems[which]) != alone[which]) ++different;
        });
        return 0;
    });
    EXPECT_EQ(different, 0);
}

TEST(LinearAlgebra, IsReproducibleInParallel) {
    std::vector<std::size_t> sizes;
    for (std::size_t n = 2; n <= 66; n += 2) sizes.push_back(n);
    for (const std::size_t n : {100, 129, 200, 350, 500}) sizes.push_back(n);
    expect_same_side_by_side(sizes, [](const Matrix& a) {
        const Spectrum spectrum = symmetric_spectrum(a);
        std::vector<double> all = spectrum.values;
        all.insert(all.end(), spectrum.vectors.values.begin(), spectrum.vectors.values.end());
        return all;
    });
    expect_same_side_by_side(sizes, [](const Matrix& a) {
        const Vector b = xt::ones<double>({a.rows});
        return a.rows == 0 ? b : Cholesky(a).solve(b);
    });
    expect_same_side_by_side(sizes, [](const Matrix& a) {
        const Vector b = xt::ones<double>({a.cols});
        return dot(a, b);
    });
}

TEST(LinearAlgebra, ItsLibrariesArePartOfTheLevel) {
    EXPECT_FALSE(linear_algebra_libraries().empty());
    EXPECT_NE(cpu_level().find(linear_algebra_libraries()), std::string_view::npos);
}

}  // namespace
}  // namespace fairstream::test
