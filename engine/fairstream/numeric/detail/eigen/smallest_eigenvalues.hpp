#pragma once
/// The lower end of the spectrum of a Laplacian.

#include <cstdint>
#include <vector>

#include <fairstream/numeric/detail/eigen/affinity_operators.hpp>

namespace fairstream {

struct SmallestEigenvalues {
    std::vector<double> values;  ///< ascending, each as often as it comes; not below the exact ones but for rounding
    /// Bound of the error of their sum, by what the search has seen (`error_of_sum`); above what was asked for where
    /// rounding of the operator or a limit of restarts ended it.
    double error = 0;
};

/// Finds the `count` smallest eigenvalues, count <= n, their sum to `tolerance` times itself, or times 1e-12 of the
/// largest degree where the sum is below that; or to `allowed` where that is more. Connected parts give their zeros
/// exactly; a value below 0, by rounding or by negative affinities, counts as 0. Up to 400 rows the matrix is
/// decomposed. Above, block Lanczos looks from random columns, as many as there are values to find, so that none is
/// left out however often it comes. It multiplies some hundred columns on graphs of neighbours in several dimensions,
/// but thousands along a line, where the smallest values are nearest to 0: their number grows with the root of the
/// largest eigenvalue over those. Memory about 16 n (count + max(120, 6 count)) bytes.
[[nodiscard]] SmallestEigenvalues smallest_eigenvalues(LaplacianOperator& laplacian, std::size_t count,
                                                       double tolerance, std::uint64_t seed, double allowed = 0);

}  // namespace fairstream
