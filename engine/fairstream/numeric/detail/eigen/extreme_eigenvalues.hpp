#pragma once
/// Both ends of the spectrum of a symmetric operator.

#include <cstdint>

#include <fairstream/numeric/detail/eigen/symmetric_operator.hpp>

namespace fairstream {

struct ExtremeEigenvalues {
    double smallest = 0, largest = 0;  ///< within the spectrum, but for rounding
    /// Bound of how far either is from its end of the spectrum, by what the search has seen (`error_of_sum`); above
    /// what was asked for where rounding of the operator or a limit of restarts ended it.
    double error = 0;
};

/// Finds them for n >= 1 to `tolerance` times the width of the spectrum, largest - smallest. Up to 400 rows the matrix
/// is decomposed; above, block Lanczos looks from random columns, which have a part in every eigenvector. Memory 640 n
/// bytes, 1,700 n where wide blocks are preferred. Eigenvectors of a matrix near this one are no good start: they save
/// a tenth of the products, and hide an eigenvalue that is new, as that of points that have come together.
[[nodiscard]] ExtremeEigenvalues extreme_eigenvalues(SymmetricOperator& a, double tolerance, std::uint64_t seed);

}  // namespace fairstream
