#pragma once
/// The lower end of the spectrum of a Laplacian.

#include <cstdint>
#include <vector>

#include <fairstream/numeric/detail/eigen/affinity_operators.hpp>

namespace fairstream {

struct SmallestEigenvalues {
    std::vector<double> values;  ///< ascending, with multiplicities; up to rounding, not below the exact values
    /// Estimated bound (`error_of_sum`) of the error of their sum. It exceeds the tolerance if rounding of the operator
    /// or the limit of restarts ended the search.
    double error = 0;
};

/// Finds the `count` smallest eigenvalues, count <= n. Their sum has an error of at most `tolerance` times the sum, or
/// times 1e-12 of the largest degree if the sum is below that; or of at most `allowed` if that is more. Connected parts
/// give their zeros exactly; a value below 0, by rounding or negative affinities, counts as 0. Up to 400 rows the
/// matrix is decomposed. Above, block Lanczos starts from as many random columns as there are values to find, so that
/// multiple eigenvalues are found. It multiplies some hundred columns on graphs of neighbours in several dimensions.
/// Along a line, where the smallest eigenvalues are nearest to 0, it multiplies thousands: the number grows with the
/// square root of the largest eigenvalue divided by the smallest eigenvalues. Memory is about 16 n (count + max(120, 6
/// count)) bytes.
[[nodiscard]] SmallestEigenvalues smallest_eigenvalues(LaplacianOperator& laplacian, std::size_t count,
                                                       double tolerance, std::uint64_t seed, double allowed = 0);

}  // namespace fairstream
