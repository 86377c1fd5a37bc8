#pragma once
/// Linear algebra of tall blocks of vectors: n x k with k far below n.
///
/// Rows are processed in parts of a fixed size, each a task, and sums over rows are taken in their order, so results do
/// not depend on threads. Products use our own kernels instead of BLAS for three reasons. Debian's one-threaded
/// OpenBLAS must not be called from two tasks, since its buffers are in a table without a lock; other libraries start
/// threads of their own; and all choose their kernels by a finer kind of processor than `cpu_level` names. Sizes must
/// fit; they are asserted, not checked.

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

// NOLINTBEGIN(google-explicit-constructor): a whole matrix converts to a block on purpose.

/// Some adjacent columns of a matrix.
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

/// Calls `task(first, last)` in parallel for the parts [first, last) of [0, n).
void for_row_blocks(std::size_t n, const std::function<void(std::size_t first, std::size_t last)>& task);

/// Returns aᵀ b, p x q, for a of n x p and b of n x q.
[[nodiscard]] Matrix gram(ConstBlock a, ConstBlock b);
/// out = x s, n x q, for x of n x p and s of p x q. `out` must not overlap them.
void multiply(ConstBlock x, const Matrix& s, Block out);
void multiply(const Matrix& x, const Matrix& s, Matrix& out);
[[nodiscard]] Matrix product(const Matrix& x, const Matrix& s);
/// Returns x diag(factors).
[[nodiscard]] Matrix scaled_columns(Matrix x, std::span<const double> factors);
/// out -= x s, of shapes as in `multiply`; `out` and x may be different columns of one matrix.
void subtract_product(ConstBlock x, const Matrix& s, Block out);
/// x -= q (qᵀ x): removes the component of x in the range of q, whose columns are orthonormal. Returns qᵀ x.
Matrix project_out(ConstBlock q, Block x);
void copy(ConstBlock from, Block to);
/// Returns the columns [first, first + count) of x.
[[nodiscard]] Matrix columns(const Matrix& x, std::size_t first, std::size_t count);
/// Returns the columns `which` of x, in this order.
[[nodiscard]] Matrix columns(const Matrix& x, std::span<const std::size_t> which);
/// Returns the columns of a, then those of b.
[[nodiscard]] Matrix joined_columns(const Matrix& a, const Matrix& b);
[[nodiscard]] Matrix transposed(const Matrix& x);
/// Returns the sum of squares of all entries.
[[nodiscard]] double squared_norm(const Matrix& x);
/// Returns the sum of squares of each column.
[[nodiscard]] std::vector<double> column_squares(ConstBlock x);

/// Replaces x by the nearest matrix with orthonormal columns, x (xᵀx)^(-1/2). Uses an eigendecomposition of xᵀx, twice,
/// so that xᵀx is the identity to rounding. Directions that x lacks (below 1e-12 of its largest) are left out; the
/// columns are then not orthonormal and the result is false.
bool make_polar(Matrix& x);
/// Returns an orthonormal basis of the range of x. Directions are dropped if their singular value, of x with columns
/// scaled to unit length, is below `tolerance` times the largest.
[[nodiscard]] Matrix orthonormal_basis(Matrix x, double tolerance = 1e-10);
/// Returns an orthonormal basis of what x adds to `bases`, which are mutually orthogonal blocks of orthonormal columns.
/// It is orthogonal to them to rounding, however little x adds, and has no columns if x adds nothing.
[[nodiscard]] Matrix new_directions(std::initializer_list<ConstBlock> bases, Matrix x);

}  // namespace fairstream
