#pragma once
/// Linear algebra of small square matrices (of clusters, constraints or parameters) by LAPACK.
///
/// The library is linked with the reference implementation. It has one kernel for all processors and no threads, so
/// results depend on neither, and any number of tasks may call it at once. A program may have loaded another
/// implementation before, or its administrator may have installed one in its place. `linear_algebra_libraries` names
/// what is used; calls of another implementation wait for each other, as Debian's OpenBLAS without threads needs it.

#include <functional>
#include <string>
#include <vector>

#include <xtensor/xtensor.hpp>

#include <fairstream/numeric/detail/arrays.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// A symmetric matrix as V diag(values) Vᵀ.
struct Spectrum {
    std::vector<double> values;  ///< k, largest first
    Matrix vectors;              ///< k x k, columns in the order of the values; the largest entry of each is positive
};
/// Decomposes the mean of `a`, k x k, and its transpose. All results are NaN if an entry is not finite.
[[nodiscard]] Spectrum symmetric_spectrum(const Matrix& a);
/// Returns V diag(f(value)) Vᵀ for a symmetric matrix.
[[nodiscard]] Matrix symmetric_function(const Matrix& a, const std::function<double(double)>& f);

/// A matrix as left diag(values) rightᵀ.
struct Svd {
    std::vector<double> values;  ///< r = min(m, p), largest first
    Matrix left, right;          ///< m x r and p x r, with orthonormal columns
};
/// Decomposes a matrix of finite entries, m x p.
[[nodiscard]] Svd singular_values(const Matrix& a);

/// A symmetric matrix as L Lᵀ, by blocks: LAPACK factors the blocks of the diagonal, and the kernels multiply blocks,
/// which is nearly all of the work.
class Cholesky {
public:
    /// Makes an object without a factor, which cannot solve.
    Cholesky() = default;
    /// Factors `a`, n x n, of which only the lower triangle is read.
    explicit Cholesky(const Matrix& a);

    /// Returns whether `a` is positive definite to rounding; otherwise the object cannot solve.
    [[nodiscard]] bool positive_definite() const noexcept { return positive_definite_; }
    /// Returns the x with a x = b, n.
    [[nodiscard]] Vector solve(const Vector& b) const;
    /// Replace each row b of `rows`, m x n, by L^-1 b, and by L^-T b; both in this order give a^-1 b.
    void forward(Matrix& rows) const;
    void backward(Matrix& rows) const;
    void backward(Vector& b) const;

private:
    using Factor = xt::xtensor<double, 2, xt::layout_type::column_major>;

    Matrix lower_;                  // n x n; entries above the diagonal blocks are undefined
    std::vector<Factor> diagonal_;  // the blocks of its diagonal
    bool positive_definite_ = false;
};

/// Returns a x, n, for a of n x p and x of p.
[[nodiscard]] Vector dot(const Matrix& a, const Vector& x);
/// Returns xᵀ y.
[[nodiscard]] double dot(const Vector& x, const Vector& y);

/// Returns the files of LAPACK and BLAS with their versions: "liblapack.so.3.11.0 libblas.so.3.11.0".
[[nodiscard]] const std::string& linear_algebra_libraries();

}  // namespace fairstream
