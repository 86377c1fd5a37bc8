#pragma once
/// Block Lanczos with thick restarts, step by step. The caller chooses the wanted eigenvectors and the end.

#include <cstdint>
#include <span>

#include <fairstream/numeric/detail/eigen/krylov_basis.hpp>

namespace fairstream {

/// Restarts as in K. Wu and H. Simon, "Thick-restart Lanczos method for large symmetric eigenvalue problems", 2000, but
/// with blocks and with all of SᵀAS computed. A block finds at most as many equal eigenvalues as it is wide. S is [Z
/// V]:
///   Z   Ritz vectors that the last restart kept, X first
///   V   the blocks that A made of them since
struct BlockLanczos {
    SymmetricOperator& a;
    const Matrix& q;        // n x r, orthonormal
    KrylovBasis basis;      // S
    Matrix t;               // SᵀAS in its first `used` rows and columns, room x room
    Matrix next;            // the next block: new orthonormal directions
    int products_left = 0;  // until a random block has shown its part in outlying eigenvalues

    /// Borrows the operator and Q. `room` is the number of columns of S between restarts, from `width` to n - rank(Q).
    BlockLanczos(SymmetricOperator& matrix, const Matrix& orthogonal_to, std::size_t width, std::size_t room)
        : a(matrix), q(orthogonal_to), basis(matrix.rows(), width, room), t(room, room) {}

    [[nodiscard]] std::size_t room() const { return t.cols; }
    /// Makes the next block random, as wide as the room allows up to `block`.
    void start_block(std::size_t block, std::uint64_t seed);
    /// Makes the next block from those residuals of the first `count` columns whose norm is above
    /// `small_enough_residual`. Used after random blocks. After restarts only, the residuals lie in the span of the
    /// next block; after a random block they do not.
    void continue_from_residuals(std::size_t count, double small_enough_residual, std::size_t block);
    /// Appends the next block, and makes another one from its product with A.
    void append_next();
    /// Extends S until its room is full or S is invariant; returns whether it is invariant. An invariant S of fewer
    /// than `width` columns is extended by a random block, since A adds no directions.
    bool fill(std::uint64_t seed);
    /// Restarts by Rayleigh-Ritz on S: keeps the Ritz vectors `which`, numbered from the largest value. The first
    /// `width` are the new X.
    void restart(std::span<const std::size_t> which);
};

}  // namespace fairstream
