#pragma once
/// The nearest matrix to a given one whose Schatten norm of order 4, after scaling columns, is below a limit.

#include <span>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream::esvd_fair {

struct Shrunk {
    Matrix z;
    double multiplier = 0;  ///< gamma, with z - z_0 + 2 gamma z D zᵀ z D = 0
    int rounds = 0;
};

/// Returns the Z, m x r, that minimises ||Z - Z_0||^2 / 2 with ||Z D Zᵀ||_F^2 = limit, to 1e-9 of it, where Z_0 has
/// more than that. `sizes` are the diagonal of D, r, above 0.
///
/// The problem is convex, and its dual one in a symmetric m x m matrix R >= 0, since ||P||_F <= s says that tr(R P) <=
/// s ||R||_F for all R: maximise min_Z ||Z - Z_0||^2 / 2 + (tr(R Z D Zᵀ) - s ||R||_F) / 2, s^2 the limit. In the basis
/// of R's eigenvectors, with eigenvalues rho, Z_ij = Z0_ij / (1 + d_j rho_i); then R is P = Z D Zᵀ times ||R||_F / s.
/// Newton's method finds it, each step by conjugate gradients of two products of m x m with m x r, scaled after each
/// along R to tr(R P) = s ||R||_F, a falling function of the scale.
[[nodiscard]] Shrunk shrink_to_schatten(const Matrix& start, std::span<const double> sizes, double limit);

}  // namespace fairstream::esvd_fair
