#pragma once
/// What searches for a few eigenvalues have in common: the matrix written out where it is small, a bound of the error
/// of Ritz values, and an end.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/numeric/detail/eigen/symmetric_operator.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream {

/// Rows up to which a matrix is written out and decomposed.
inline constexpr std::size_t most_dense_rows = 400;
/// Writes the matrix out by n products, and decomposes it.
[[nodiscard]] Spectrum dense_spectrum(SymmetricOperator& a);

/// Bounds how far the sum of the first k Ritz values is from that of the k outermost eigenvalues. `theta` go inwards
/// from an end of the spectrum, `norms` are of their residuals r_j. At the upper end, with X the first p >= k Ritz
/// vectors, R their residuals, and C what A is on the space orthogonal to X, with no eigenvalue above theta_k:
/// - p = k: A is diag(Theta, C) with R and Rᵀ beside the diagonal. They raise a sum of k eigenvalues by the sum of the
///   singular values of R at most, which is at most that of |r_1|, ..., |r_k|.
/// - any p: A <= diag(Theta + RᵀR / delta, C + delta I) for delta > 0, as 2 yᵀRx <= |Rx|^2 / delta + delta |y|^2. With
///   delta = theta_k - c, c the largest eigenvalue of C, the k largest on the right are those of the first block: their
///   sum is at most ||R||_F^2 / delta above theta_1 + ... + theta_k.
/// The search does not know c: theta_(p+1) + |r_(p+1)|, what it has seen of it, stands for it.
[[nodiscard]] double error_of_sum(std::span<const double> theta, std::span<const double> norms, std::size_t k);

/// The errors of a search by restart.
class ErrorHistory {
public:
    /// Says whether the search ends: with an error within what is allowed, or where rounding of the operator leaves
    /// nothing to gain, so that neither the error nor `value`, what it is the error of, falls any more, or at a limit
    /// of restarts. To be called once per restart.
    [[nodiscard]] bool has_ended(double value, double error, double allowed);

private:
    std::vector<double> values_, errors_;
};

}  // namespace fairstream
