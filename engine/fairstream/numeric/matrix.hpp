#pragma once
/// A matrix as part of states: row-major, in double.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fairstream {

/// A value type. `values` has rows x cols entries, row by row.
struct Matrix {
    std::uint64_t rows = 0, cols = 0;
    std::vector<double> values;

    Matrix() = default;
    Matrix(std::size_t n, std::size_t k) : rows(n), cols(k), values(n * k, 0.0) {}

    [[nodiscard]] double* row(std::size_t i) noexcept { return values.data() + i * cols; }
    [[nodiscard]] const double* row(std::size_t i) const noexcept { return values.data() + i * cols; }
    [[nodiscard]] double& at(std::size_t i, std::size_t j) noexcept { return values[i * cols + j]; }
    [[nodiscard]] double at(std::size_t i, std::size_t j) const noexcept { return values[i * cols + j]; }
    /// Changes the shape; the entries are lost.
    void reshape(std::size_t n, std::size_t k) {
        rows = n, cols = k;
        values.resize(n * k);
    }
    bool operator==(const Matrix&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.rows);
        archive(2, self.cols);
        archive(3, self.values);
    }
};

}  // namespace fairstream
