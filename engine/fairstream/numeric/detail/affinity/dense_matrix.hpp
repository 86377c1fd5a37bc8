#pragma once
/// A square matrix of floats, and its product with tall blocks.

#include <span>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/cache_line_vector.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// A block in the form that float products read: padded with rows of zeros to a multiple of 16, and with columns to
/// `stride`.
struct FloatBlock {
    explicit FloatBlock(const Matrix& x);
    std::size_t cols, stride;
    CacheLineVector<float> values;
};

/// Number of terms of a product summed in float before they are added in double.
inline constexpr std::size_t tile_width = 1024;
/// out += tile x, rows x k. `tile` has `width` columns, at most `tile_width`, and a row stride of `stride` floats; it
/// multiplies the rows of x from `first` on. `scratch` keeps its memory between calls.
void add_tile(const float* tile, std::size_t rows, std::size_t width, std::size_t stride, const FloatBlock& x,
              std::size_t first, CacheLineVector<float>& scratch, double* out);

/// A square matrix of floats, row by row; memory 4 n^2 bytes.
class DenseMatrix {
public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// Resizes to n x n; entries of both sizes stay, new ones are 0.
    void resize(std::size_t n);
    [[nodiscard]] float* row(std::size_t i) noexcept { return values_.data() + i * size_; }
    [[nodiscard]] const float* row(std::size_t i) const noexcept { return values_.data() + i * size_; }

    /// out = this x, with the error of float32 sums of at most `tile_width` terms.
    void multiply(const Matrix& x, Matrix& out) const;
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const;
    void copy_row(Slot i, AffinityRow& out) const;
    [[nodiscard]] std::vector<double> diagonal() const;

private:
    std::size_t size_ = 0;
    CacheLineVector<float> values_;
};

}  // namespace fairstream
