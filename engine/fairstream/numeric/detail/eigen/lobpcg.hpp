#pragma once
/// LOBPCG, step by step; the caller decides when to end.

#include <cstdint>

#include <fairstream/numeric/detail/eigen/krylov_basis.hpp>

namespace fairstream {

/// Improves a start towards the eigenvectors of the largest eigenvalues of A restricted to the complement of Q (A.
/// Knyazev, 2001), without a preconditioner; the basis is kept orthonormal as in Hetmaniuk and Lehoucq, 2006. S is [X P
/// W]:
///   P   the directions of the last step of X
///   W   the new directions of the residuals
struct Lobpcg {
    SymmetricOperator& a;
    const Matrix& q;    // n x r, orthonormal
    KrylovBasis basis;  // S

    /// Borrows the operator and Q. `start` is completed by random columns to `width`, which is at most n - rank(Q).
    Lobpcg(SymmetricOperator& matrix, const Matrix& orthogonal_to, std::size_t width, Matrix start, std::uint64_t seed);

    /// Appends W, the new directions of the residuals that are above `small_enough_residual`. Returns whether there are
    /// any.
    bool expand(double small_enough_residual);
    /// Takes the best X in [X P W] by Rayleigh-Ritz, and as P the part of that step orthogonal to X.
    void improve();
};

}  // namespace fairstream
