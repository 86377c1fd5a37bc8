#pragma once
/// Common parts of searches for a few eigenvalues: the dense form of a small matrix, an error bound for Ritz values,
/// and the end of a search.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/numeric/detail/eigen/symmetric_operator.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream {

/// Largest number of rows of a matrix that is written out and decomposed.
inline constexpr std::size_t most_dense_rows = 400;
/// Writes the matrix out by n products, and decomposes it.
[[nodiscard]] Spectrum dense_spectrum(SymmetricOperator& a);

/// Bounds the error of the sum of the first k Ritz values, against that of the k outermost eigenvalues. `theta` go
/// inwards from an end of the spectrum; `norms` are those of their residuals r_j. At the upper end, let X be the first
/// p >= k Ritz vectors, R their residuals, and C the restriction of A to the space orthogonal to X. C must have no
/// eigenvalue above theta_k.
/// - p = k: A is diag(Theta, C) with R and Rᵀ off the diagonal. They raise a sum of k eigenvalues by at most the sum of
///   the singular values of R, which is at most |r_1| + ... + |r_k|.
/// - any p: A <= diag(Theta + RᵀR / delta, C + delta I) for delta > 0, as 2 yᵀRx <= |Rx|^2 / delta + delta |y|^2. With
///   delta = theta_k - c, c the largest eigenvalue of C, the k largest on the right are those of the first block: their
///   sum is at most ||R||_F^2 / delta above theta_1 + ... + theta_k.
/// The search does not know c, and estimates it by theta_(p+1) + |r_(p+1)|.
[[nodiscard]] double error_of_sum(std::span<const double> theta, std::span<const double> norms, std::size_t k);

/// The errors of a search, one per restart.
class ErrorHistory {
public:
    /// Returns whether the search must end. It ends if `error`, the error of `value`, is within `allowed`, if rounding
    /// in the operator keeps error and value from falling any further, or at the limit of restarts. To be called once
    /// per restart.
    [[nodiscard]] bool has_ended(double value, double error, double allowed);

private:
    std::vector<double> values_, errors_;
};

}  // namespace fairstream
