#pragma once
/// LOBPCG, step by step: when to end is its caller's to say.

#include <cstdint>

#include <fairstream/numeric/detail/eigen/krylov_basis.hpp>

namespace fairstream {

/// Improves a start towards the eigenvectors of the largest eigenvalues of A on what is orthogonal to Q (A. Knyazev,
/// 2001), without a preconditioner, the orthonormal basis kept as in Hetmaniuk and Lehoucq, 2006. S is [X P W]:
///   P   where X came from in the last iteration
///   W   the residuals' directions that are new
struct Lobpcg {
    SymmetricOperator& a;
    const Matrix& q;    // n x r, orthonormal
    KrylovBasis basis;  // S

    /// Borrows the operator and Q. `start` is completed by random columns where it has fewer than `width`, at most n -
    /// rank(Q).
    Lobpcg(SymmetricOperator& matrix, const Matrix& orthogonal_to, std::size_t width, Matrix start, std::uint64_t seed);

    /// Appends W, the new directions in the residuals of columns that are above `settled`. Returns whether there are
    /// any.
    bool expand(double settled);
    /// Takes the best X in [X P W] by Rayleigh-Ritz, and as P the part of the step there that is orthogonal to it.
    void improve();
};

}  // namespace fairstream
