#pragma once
/// The nearest matrix to a given one whose Schatten norm of order 4, after scaling of columns, is within a limit.

#include <span>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream::esvd_fair {

struct Shrunk {
    Matrix z;
    double multiplier = 0;  ///< gamma, with z - z_0 + 2 gamma z D zᵀ z D = 0
    int rounds = 0;
};

/// Returns the Z, m x r, that minimises ||Z - Z_0||^2 / 2 with ||Z D Zᵀ||_F^2 = limit, to a relative error of 1e-9, if
/// Z_0 exceeds the limit. `sizes` are the diagonal of D, r, above 0.
///
/// The problem is convex. Its dual is over symmetric m x m matrices R >= 0, because ||P||_F <= s is equivalent to tr(R
/// P) <= s ||R||_F for all R: maximise min_Z ||Z - Z_0||^2 / 2 + (tr(R Z D Zᵀ) - s ||R||_F) / 2, with s^2 the limit. In
/// the basis of R's eigenvectors, with eigenvalues rho, Z_ij = Z0_ij / (1 + d_j rho_i). At the optimum R is P = Z D Zᵀ
/// times ||R||_F / s. Newton's method finds it. Each step uses conjugate gradients with two products of m x m and m x
/// r, and is then scaled along R to tr(R P) = s ||R||_F. The left side divided by the right decreases in the scale.
[[nodiscard]] Shrunk shrink_to_schatten(const Matrix& start, std::span<const double> sizes, double limit);

}  // namespace fairstream::esvd_fair
