#include <fairstream/numeric/detail/affinity/dense_matrix.hpp>

#include <algorithm>
#include <numeric>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

constexpr std::size_t tile_rows = 128;

// Computes rows [first, last) of the product; `row(i)` returns row i.
template <class Row> void multiply_part(std::size_t first, std::size_t last, std::size_t n, std::size_t stride,
                                        const Row& row, const FloatBlock& x, Matrix& out) {
    CacheLineVector<float> scratch;
    for (std::size_t i = first; i < last; ++i) std::fill_n(out.row(i), out.cols, 0.0);
    for (std::size_t column = 0; column < n; column += tile_width) {
        add_tile(row(first) + column, last - first, std::min(tile_width, n - column), stride, x, column, scratch,
                 out.row(first));
    }
}

}  // namespace

FloatBlock::FloatBlock(const Matrix& x)
    : cols(x.cols), stride(product_padding(x.cols)), values((x.rows + 15) / 16 * 16 * stride, 0.0F) {
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < cols; ++j) values[i * stride + j] = static_cast<float>(x.at(i, j));
    });
}

void add_tile(const float* tile, std::size_t rows, std::size_t width, std::size_t stride, const FloatBlock& x,
              std::size_t first, CacheLineVector<float>& scratch, double* out) {
    scratch.assign(rows * x.cols, 0.0F);
    kernels().add_product_float(tile, stride, 1, rows, width, &x.values[first * x.stride], x.stride, x.cols,
                                scratch.data(), x.cols);
    for (std::size_t at = 0; at < scratch.size(); ++at) out[at] += static_cast<double>(scratch[at]);
}

void DenseMatrix::resize(std::size_t n) {
    if (n == size_) return;
    CacheLineVector<float> values(n * n, 0.0F);
    for (std::size_t i = 0; i < std::min(n, size_); ++i) std::copy_n(row(i), std::min(n, size_), &values[i * n]);
    values_ = std::move(values);
    size_ = n;
}

void DenseMatrix::multiply(const Matrix& x, Matrix& out) const {
    out.reshape(size_, x.cols);
    if (x.cols == 0) return;
    const FloatBlock floats(x);
    parallel_for(std::size_t{0}, (size_ + tile_rows - 1) / tile_rows, [&](std::size_t block) {
        const std::size_t first = block * tile_rows, last = std::min(size_, first + tile_rows);
        multiply_part(
            first, last, size_, size_, [&](std::size_t i) { return row(i); }, floats, out);
    });
}

void DenseMatrix::multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const {
    out.reshape(which.size(), x.cols);
    if (x.cols == 0) return;
    const FloatBlock floats(x);
    parallel_for(std::size_t{0}, which.size(), [&](std::size_t i) {
        multiply_part(
            i, i + 1, size_, size_, [&](std::size_t at) { return row(which[at]); }, floats, out);
    });
}

void DenseMatrix::copy_row(Slot i, AffinityRow& out) const {
    out.at.resize(size_);
    std::iota(out.at.begin(), out.at.end(), Slot{0});
    out.weights.assign(row(i), row(i) + size_);
}

std::vector<double> DenseMatrix::diagonal() const {
    std::vector<double> entries(size_);
    for (std::size_t i = 0; i < size_; ++i) entries[i] = static_cast<double>(row(i)[i]);
    return entries;
}

}  // namespace fairstream
