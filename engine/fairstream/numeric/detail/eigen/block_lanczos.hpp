#pragma once
/// Block Lanczos with thick restarts, step by step: which eigenvectors are looked for, and when to end, is its caller's
/// to say.

#include <cstdint>
#include <span>

#include <fairstream/numeric/detail/eigen/krylov_basis.hpp>

namespace fairstream {

/// Restarts as in K. Wu and H. Simon, "Thick-restart Lanczos method for large symmetric eigenvalue problems", 2000,
/// with blocks, and with all of SᵀAS worked out. A block finds at most as many of equal eigenvalues as it is wide. S is
/// [Z V]:
///   Z   Ritz vectors that the last restart kept, X first
///   V   the blocks that A made of them since
struct BlockLanczos {
    SymmetricOperator& a;
    const Matrix& q;        // n x r, orthonormal
    KrylovBasis basis;      // S
    Matrix t;               // SᵀAS, room x room
    Matrix next;            // the next block: new directions, orthonormal
    int products_left = 0;  // of a random block before it has shown what it has

    /// Borrows the operator and Q. `room`: columns of S between restarts, from `width` to n - rank(Q).
    BlockLanczos(SymmetricOperator& matrix, const Matrix& orthogonal_to, std::size_t width, std::size_t room)
        : a(matrix), q(orthogonal_to), basis(matrix.rows(), width, room), t(room, room) {}

    [[nodiscard]] std::size_t room() const { return t.cols; }
    /// Makes the next block a random one, as wide as there is room for.
    void start_block(std::size_t block, std::uint64_t seed);
    /// Makes the next block of residuals among the first `count` that are above `settled`. After random blocks those do
    /// not lie in the span of the next block any more, as those of restarts alone do.
    void go_on_from_residuals(std::size_t count, double settled, std::size_t block);
    /// Appends the next block, and makes another of its product.
    void append_next();
    /// Extends S until its room is full or S is invariant; returns whether it is. An invariant S of fewer than `width`
    /// columns is extended by a random block, as A leads nowhere new.
    bool fill(std::uint64_t seed);
    /// Restarts by Rayleigh-Ritz on S: keeps the Ritz vectors `which`, numbered from that of the largest value. The
    /// first `width` are the new X.
    void restart(std::span<const std::size_t> which);
};

}  // namespace fairstream
