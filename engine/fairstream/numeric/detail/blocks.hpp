#pragma once
/// Linear algebra of tall blocks of vectors: n x k with k far below n.
///
/// Rows are taken in parts of a fixed number, each a task, and what is summed over rows is summed in their order:
/// results do not depend on threads. The products are kernels of our own and not BLAS: Debian's one-threaded OpenBLAS
/// must not be called from two tasks (its buffers are in a table without a lock), the others start threads of their
/// own, and all choose their kernels by a finer kind of processor than `cpu_level` names. Sizes must fit; they are
/// asserted, not checked.

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

// NOLINTBEGIN(google-explicit-constructor): a whole matrix is meant to be taken where a block is.

/// Some columns of a matrix, side by side.
struct ConstBlock {
    const double* values;
    std::size_t rows, cols, stride;

    ConstBlock(const double* at, std::size_t n, std::size_t k, std::size_t apart)
        : values(at), rows(n), cols(k), stride(apart) {}
    ConstBlock(const Matrix& x) : ConstBlock(x, 0, x.cols) {}
    ConstBlock(const Matrix& x, std::size_t first, std::size_t count)
        : values(x.values.data() + first), rows(x.rows), cols(count), stride(x.cols) {}
    [[nodiscard]] const double* row(std::size_t i) const noexcept { return values + i * stride; }
};
struct Block {
    double* values;
    std::size_t rows, cols, stride;

    Block(double* at, std::size_t n, std::size_t k, std::size_t apart) : values(at), rows(n), cols(k), stride(apart) {}
    Block(Matrix& x) : Block(x, 0, x.cols) {}
    Block(Matrix& x, std::size_t first, std::size_t count)
        : values(x.values.data() + first), rows(x.rows), cols(count), stride(x.cols) {}
    [[nodiscard]] double* row(std::size_t i) const noexcept { return values + i * stride; }
    operator ConstBlock() const noexcept { return {values, rows, cols, stride}; }
};

// NOLINTEND(google-explicit-constructor)

/// Rows per task.
inline constexpr std::size_t block_rows = 512;

/// Calls `task(first, last)` for the parts [first, last) of [0, n), side by side.
void for_row_blocks(std::size_t n, const std::function<void(std::size_t first, std::size_t last)>& task);

/// aᵀ b, n x p and n x q to p x q.
[[nodiscard]] Matrix gram(ConstBlock a, ConstBlock b);
/// x s, n x p and p x q to n x q. `out` shares nothing with them.
void multiply(ConstBlock x, const Matrix& s, Block out);
void multiply(const Matrix& x, const Matrix& s, Matrix& out);
[[nodiscard]] Matrix product(const Matrix& x, const Matrix& s);
/// x diag(factors).
[[nodiscard]] Matrix scaled_columns(Matrix x, std::span<const double> factors);
/// out -= x s, of the same shapes; `out` may be other columns of the matrix that x is part of.
void subtract_product(ConstBlock x, const Matrix& s, Block out);
/// x -= q (qᵀ x): takes out what lies in the range of q, whose columns are orthonormal. Returns qᵀ x.
Matrix project_out(ConstBlock q, Block x);
void copy(ConstBlock from, Block to);
/// The columns [first, first + count) of x.
[[nodiscard]] Matrix columns(const Matrix& x, std::size_t first, std::size_t count);
/// The columns of x in this order.
[[nodiscard]] Matrix columns(const Matrix& x, std::span<const std::size_t> which);
/// The columns of a, then those of b.
[[nodiscard]] Matrix beside(const Matrix& a, const Matrix& b);
[[nodiscard]] Matrix transposed(const Matrix& x);
/// Sum of squares.
[[nodiscard]] double squared_norm(const Matrix& x);
/// Sum of squares of each column.
[[nodiscard]] std::vector<double> column_squares(ConstBlock x);

/// The nearest matrix with orthonormal columns, x (xᵀx)^(-1/2), by an eigendecomposition of xᵀx, once more to bring
/// xᵀx to the identity to rounding. Directions that x lacks (below 1e-12 of its largest) are left out: then the columns
/// are not orthonormal and false is returned.
bool make_polar(Matrix& x);
/// An orthonormal basis of the range of x; columns that depend on the others (below `tolerance` of the largest, by
/// singular value of x with columns of unit length) are dropped.
[[nodiscard]] Matrix orthonormal_basis(Matrix x, double tolerance = 1e-10);
/// An orthonormal basis of what x adds to `bases`, blocks of orthonormal columns that are orthogonal to each other: of
/// its range without theirs. Orthogonal to them to rounding, however little x adds; without columns when it adds none.
[[nodiscard]] Matrix new_directions(std::initializer_list<ConstBlock> bases, Matrix x);

}  // namespace fairstream
