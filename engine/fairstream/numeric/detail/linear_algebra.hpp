#pragma once
/// Linear algebra of small square matrices, of clusters, constraints or parameters, by LAPACK.
///
/// The library is linked with the reference implementation: it has one kernel for all processors and no threads, so
/// results do not depend on either, and any number of tasks may call it at once. A program may have loaded another one
/// before, or its administrator have put one in its place: `linear_algebra_libraries` names what is used, and calls
/// then wait for each other, as Debian's OpenBLAS without threads needs it.

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
/// Takes the mean of `a`, k x k, and its transpose. All results are NaN when an entry is not finite.
[[nodiscard]] Spectrum symmetric_spectrum(const Matrix& a);
/// V diag(f(value)) Vᵀ of a symmetric matrix.
[[nodiscard]] Matrix symmetric_function(const Matrix& a, const std::function<double(double)>& f);

/// A matrix as left diag(values) rightᵀ.
struct Svd {
    std::vector<double> values;  ///< r = min(m, p), largest first
    Matrix left, right;          ///< m x r and p x r, of orthonormal columns
};
/// Takes a matrix of finite entries, m x p.
[[nodiscard]] Svd singular_values(const Matrix& a);

/// A symmetric matrix as L Lᵀ, block by block: LAPACK works on the blocks of the diagonal, and the products between
/// blocks, nearly all of the work, are those of the kernels.
class Cholesky {
public:
    /// Holds no factor: there is nothing to solve with.
    Cholesky() = default;
    /// Factors `a`, n x n, of which the lower triangle is read.
    explicit Cholesky(const Matrix& a);

    /// Says whether `a` is positive definite to rounding. Otherwise there is nothing to solve with.
    [[nodiscard]] bool positive_definite() const noexcept { return positive_definite_; }
    /// Returns the x with a x = b, n.
    [[nodiscard]] Vector solve(const Vector& b) const;
    /// Replace each row b of `rows`, m x n, by L^-1 b, and by L^-T b: a^-1 is the one after the other.
    void forward(Matrix& rows) const;
    void backward(Matrix& rows) const;
    void backward(Vector& b) const;

private:
    using Factor = xt::xtensor<double, 2, xt::layout_type::column_major>;

    Matrix lower_;                  // n x n; what lies above the blocks of the diagonal has no meaning
    std::vector<Factor> diagonal_;  // its blocks of the diagonal
    bool positive_definite_ = false;
};

/// a x, n x p and p to n.
[[nodiscard]] Vector dot(const Matrix& a, const Vector& x);
/// xᵀ y.
[[nodiscard]] double dot(const Vector& x, const Vector& y);

/// The files that LAPACK and BLAS come from, with their versions: "liblapack.so.3.11.0 libblas.so.3.11.0".
[[nodiscard]] const std::string& linear_algebra_libraries();

}  // namespace fairstream
