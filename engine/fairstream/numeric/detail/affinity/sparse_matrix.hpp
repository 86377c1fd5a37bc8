#pragma once
/// A sparse symmetric matrix, row by row (CSR).

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

struct SparseMatrix {
    std::vector<std::uint64_t> first;  ///< n + 1: index of the first entry of each row
    std::vector<Slot> columns;         ///< ascending within a row
    std::vector<float> weights;

    [[nodiscard]] std::size_t rows() const noexcept { return first.empty() ? 0 : first.size() - 1; }
    [[nodiscard]] std::vector<double> row_sums() const;
    void multiply(const Matrix& x, Matrix& out) const;
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const;
    /// Computes one row of the product, x.cols numbers.
    void multiply_row(std::size_t row, const Matrix& x, double* out) const;
    void copy_row(Slot i, AffinityRow& out) const;
    [[nodiscard]] std::vector<double> diagonal() const;
};

}  // namespace fairstream
