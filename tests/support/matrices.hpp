#pragma once
/// Matrices for tests: random ones, plain arithmetic, and distances.

#include <algorithm>
#include <cmath>
#include <functional>

#include <fairstream/numeric/matrix.hpp>

#include "support/streams.hpp"

namespace fairstream::test {

inline Matrix random_matrix(std::size_t n, std::size_t k, std::uint64_t seed) {
    Random random(seed, 77);
    Matrix x(n, k);
    for (double& value : x.values) value = static_cast<double>(normal(random));
    return x;
}

inline Matrix identity(std::size_t n) {
    Matrix x(n, n);
    for (std::size_t i = 0; i < n; ++i) x.at(i, i) = 1;
    return x;
}

/// Returns aᵀ b, entry by entry; with `magnitudes`, the product of the magnitudes, to which rounding errors are
/// relative.
inline Matrix plain_gram(const Matrix& a, const Matrix& b, bool magnitudes = false) {
    Matrix out(a.cols, b.cols);
    for (std::size_t i = 0; i < a.cols; ++i)
        for (std::size_t j = 0; j < b.cols; ++j) {
            long double sum = 0;
            for (std::size_t r = 0; r < a.rows; ++r) {
                const long double term = static_cast<long double>(a.at(r, i)) * b.at(r, j);
                sum += magnitudes ? std::abs(term) : term;
            }
            out.at(i, j) = static_cast<double>(sum);
        }
    return out;
}

inline Matrix plain_transpose(const Matrix& a) {
    Matrix out(a.cols, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.cols; ++j) out.at(j, i) = a.at(i, j);
    return out;
}

/// Returns a b, entry by entry.
inline Matrix plain_product(const Matrix& a, const Matrix& b, bool magnitudes = false) {
    return plain_gram(plain_transpose(a), b, magnitudes);
}

inline double largest(const Matrix& a) {
    double most = 0;
    for (const double value : a.values) most = std::max(most, std::abs(value));
    return most;
}

/// Returns the largest difference of two entries; infinite when the shapes differ.
inline double largest_difference(const Matrix& a, const Matrix& b) {
    if (a.rows != b.rows || a.cols != b.cols) return std::numeric_limits<double>::infinity();
    double most = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        const double gap = std::abs(a.values[i] - b.values[i]);
        if (!(gap <= most)) most = gap;  // also for NaN
    }
    return most;
}

/// Returns the deviation of the columns from orthonormality.
inline double orthonormality_error(const Matrix& x) {
    return largest_difference(plain_gram(x, x), identity(x.cols));
}

}  // namespace fairstream::test
