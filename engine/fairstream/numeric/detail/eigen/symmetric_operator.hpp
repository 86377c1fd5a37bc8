#pragma once
/// A symmetric matrix, given by its products with vectors.

#include <cstddef>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// A symmetric matrix A of n rows, used only through products. It counts its products and may keep scratch between
/// them, so only one thread may use it at a time.
class SymmetricOperator {
public:
    virtual ~SymmetricOperator() = default;

    [[nodiscard]] virtual std::size_t rows() const noexcept = 0;
    /// Returns whether a product with few columns costs nearly as much as one with many.
    [[nodiscard]] virtual bool prefers_wide_blocks() const noexcept = 0;
    /// Returns whether A has no negative eigenvalue but for rounding.
    [[nodiscard]] virtual bool positive_semidefinite() const noexcept = 0;
    /// out = A x, n x k.
    void apply(const Matrix& x, Matrix& out) {
        multiply(x, out);
        columns_applied_ += static_cast<double>(x.cols);
    }
    /// Counts a product of some rows of A, computed elsewhere, by their share of all rows.
    void count_rows(std::size_t rows_multiplied, std::size_t columns) noexcept {
        columns_applied_ += static_cast<double>(rows_multiplied * columns) / static_cast<double>(rows());
    }
    /// Returns the number of columns multiplied so far.
    [[nodiscard]] double columns_applied() const noexcept { return columns_applied_; }

private:
    virtual void multiply(const Matrix& x, Matrix& out) = 0;

    double columns_applied_ = 0;
};

}  // namespace fairstream
