#include <fairstream/numeric/detail/affinity/sparse_matrix.hpp>

#include <algorithm>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
std::vector<double> SparseMatrix::row_sums() const {
    std::vector<double> sums(rows(), 0.0);
    for (std::size_t i = 0; i < rows(); ++i)
        for (std::size_t at = first[i]; at < first[i + 1]; ++at) sums[i] += static_cast<double>(weights[at]);
    return sums;
}

void SparseMatrix::multiply_row(std::size_t row, const Matrix& x, double* out) const {
    std::fill_n(out, x.cols, 0.0);
    kernels().gather_rows(weights.data() + first[row], columns.data() + first[row], first[row + 1] - first[row],
                          x.values.data(), x.cols, out);
}

void SparseMatrix::copy_row(Slot i, AffinityRow& out) const {
    const auto begin = static_cast<std::ptrdiff_t>(first[i]), end = static_cast<std::ptrdiff_t>(first[i + 1]);
    out.at.assign(columns.begin() + begin, columns.begin() + end);
    out.weights.assign(weights.begin() + begin, weights.begin() + end);
}

std::vector<double> SparseMatrix::diagonal() const {
    std::vector<double> entries(rows(), 0.0);
    for (std::size_t i = 0; i < rows(); ++i)
        for (std::size_t at = first[i]; at < first[i + 1]; ++at)
            if (columns[at] == i) entries[i] += static_cast<double>(weights[at]);
    return entries;
}

void SparseMatrix::multiply(const Matrix& x, Matrix& out) const {
    out.reshape(rows(), x.cols);
    for_row_blocks(rows(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) multiply_row(i, x, out.row(i));
    });
}

void SparseMatrix::multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const {
    out.reshape(which.size(), x.cols);
    for_row_blocks(which.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) multiply_row(which[i], x, out.row(i));
    });
}

}  // namespace fairstream
