#pragma once
/// Both ends of the spectrum of a symmetric operator.

#include <cstdint>

#include <fairstream/numeric/detail/eigen/symmetric_operator.hpp>

namespace fairstream {

struct ExtremeEigenvalues {
    double smallest = 0, largest = 0;  ///< within the spectrum up to rounding
    /// Estimated bound (`error_of_sum`) of the distance of both from the ends of the spectrum. It exceeds the tolerance
    /// if rounding of the operator or the limit of restarts ended the search.
    double error = 0;
};

/// Finds both ends for n >= 1, with an error of at most `tolerance` times the width of the spectrum, largest -
/// smallest. Up to 400 rows the matrix is decomposed. Above, block Lanczos starts from random columns, which have a
/// part in every eigenvector. Memory is 640 n bytes, or 1,700 n if wide blocks are preferred. Eigenvectors of a similar
/// matrix are a poor start: they save a tenth of the products, and hide a new eigenvalue, such as that of points that
/// have come together.
[[nodiscard]] ExtremeEigenvalues extreme_eigenvalues(SymmetricOperator& a, double tolerance, std::uint64_t seed);

}  // namespace fairstream
