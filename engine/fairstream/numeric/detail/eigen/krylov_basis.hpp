#pragma once
/// The orthonormal basis, with its products, in which solvers search for eigenvectors of a symmetric operator.

#include <cstdint>
#include <vector>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/eigen/symmetric_operator.hpp>

namespace fairstream {

/// Orthonormal columns S, all orthogonal to the orthonormal columns of a matrix Q, and AS. The eigenvectors are those
/// of A restricted to the complement of Q. The first `width` columns are the approximation X: XᵀAX = diag(theta).
struct KrylovBasis {
    std::size_t width;
    Matrix s, as;          // n x room
    std::size_t used = 0;  // columns in use
    std::vector<double> theta;
    Matrix residual;            // (I - QQᵀ)(AX - X Theta), n x width
    std::vector<double> norms;  // norms of the columns of the residual

    KrylovBasis(std::size_t n, std::size_t columns, std::size_t room) : width(columns), s(n, room), as(n, room) {}

    [[nodiscard]] Block all() { return {s, 0, used}; }
    [[nodiscard]] Block all_products() { return {as, 0, used}; }
    /// Appends the columns of w to S and those of A w to AS.
    void append(SymmetricOperator& a, const Matrix& w);
    /// Replaces S by S C and AS by AS C.
    void multiply_by(const Matrix& c);
    void find_residuals(const Matrix& q);

private:
    Matrix scratch_;
};

/// Returns an orthonormal block orthogonal to Q, n x width, that contains the start x, completed with random columns.
/// `x` may have fewer columns, or dependent ones. Needs width <= n - rank(Q).
[[nodiscard]] Matrix orthonormal_start(const Matrix& q, Matrix x, std::size_t n, std::size_t width, std::uint64_t seed);

}  // namespace fairstream
