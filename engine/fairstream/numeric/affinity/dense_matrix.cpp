#include <fairstream/numeric/affinity/dense_matrix.hpp>

#include <algorithm>

#include <tbb/parallel_for.h>
#include <xtensor-blas/xlinalg.hpp>

#include <fairstream/numeric/blocks.hpp>

namespace fairstream {
namespace {

constexpr std::size_t tile_rows = 128;

// Rows `first` to `last` of the product, where `row(i)` is row i.
template <class Row> void multiply_part(std::size_t first, std::size_t last, std::size_t n, std::size_t stride,
                                        const Row& row, const CacheLineVector<float>& x, Matrix& out) {
    CacheLineVector<float> scratch;
    for (std::size_t i = first; i < last; ++i) std::fill_n(out.row(i), out.cols, 0.0);
    for (std::size_t column = 0; column < n; column += tile_width) {
        add_tile(row(first) + column, last - first, std::min(tile_width, n - column), stride, &x[column * out.cols],
                 out.cols, scratch, out.row(first));
    }
}

}  // namespace

CacheLineVector<float> as_floats(const Matrix& x) {
    CacheLineVector<float> floats((x.rows + 15) / 16 * 16 * x.cols, 0.0F);
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t at = first * x.cols; at < last * x.cols; ++at) floats[at] = static_cast<float>(x.values[at]);
    });
    return floats;
}

void add_tile(const float* tile, std::size_t rows, std::size_t width, std::size_t stride, const float* x, std::size_t k,
              CacheLineVector<float>& scratch, double* out) {
    scratch.resize(rows * k);
    const auto whole = [](std::size_t size) { return static_cast<int>(size); };
    cxxblas::gemm<int>(cxxblas::RowMajor, cxxblas::NoTrans, cxxblas::NoTrans, whole(rows), whole(k), whole(width), 1.0F,
                       tile, whole(stride), x, whole(k), 0.0F, scratch.data(), whole(k));
    for (std::size_t at = 0; at < rows * k; ++at) out[at] += static_cast<double>(scratch[at]);
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
    const CacheLineVector<float> floats = as_floats(x);
    tbb::parallel_for(std::size_t{0}, (size_ + tile_rows - 1) / tile_rows, [&](std::size_t block) {
        const std::size_t first = block * tile_rows, last = std::min(size_, first + tile_rows);
        multiply_part(
            first, last, size_, size_, [&](std::size_t i) { return row(i); }, floats, out);
    });
}

void DenseMatrix::multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const {
    out.reshape(which.size(), x.cols);
    if (x.cols == 0) return;
    const CacheLineVector<float> floats = as_floats(x);
    tbb::parallel_for(std::size_t{0}, which.size(), [&](std::size_t i) {
        multiply_part(
            i, i + 1, size_, size_, [&](std::size_t at) { return row(which[at]); }, floats, out);
    });
}

}  // namespace fairstream
