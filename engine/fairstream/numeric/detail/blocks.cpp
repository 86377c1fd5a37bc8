#include <fairstream/numeric/detail/blocks.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <xtensor/xbuilder.hpp>

#include <fairstream/numeric/cache_line_vector.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream {
namespace {

// Rows of a block, padded for use as the right factor of a product.
struct Padded {
    explicit Padded(ConstBlock rows, double factor = 1)
        : stride(product_padding(rows.cols)), values(rows.rows * stride) {
        for (std::size_t i = 0; i < rows.rows; ++i) {
            double* to = values.data() + i * stride;
            const double* from = rows.row(i);
            for (std::size_t j = 0; j < rows.cols; ++j) to[j] = factor * from[j];
            std::fill(to + rows.cols, to + stride, 0.0);
        }
    }
    std::size_t stride;
    CacheLineVector<double> values;
};

// Returns rows [first, last) of x.
ConstBlock part(ConstBlock x, std::size_t first, std::size_t last) {
    return {x.row(first), last - first, x.cols, x.stride};
}

// Returns x V diag(values)^(-1/2), with V the eigenvectors of xᵀx whose eigenvalue is above `least`.
Matrix whitened(const Matrix& x, const Spectrum& spectrum, double least) {
    std::vector<std::size_t> kept;
    for (std::size_t j = 0; j < spectrum.values.size(); ++j)
        if (spectrum.values[j] > least) kept.push_back(j);
    Matrix turn = columns(spectrum.vectors, kept), out;
    for (std::size_t j = 0; j < kept.size(); ++j)
        for (std::size_t i = 0; i < turn.rows; ++i) turn.at(i, j) /= std::sqrt(spectrum.values[kept[j]]);
    multiply(x, turn, out);
    return out;
}

// Makes nearly orthonormal columns orthonormal to rounding; `square` is xᵀx. Uses the series of the inverse root, x ->
// x (xᵀx)^(-1/2), instead of an eigendecomposition. Returns false, and leaves x, if the columns are too
// far from orthonormal.
bool reorthonormalise(Matrix& x, const Matrix& square) {
    // Bound of ||E||_F, E = xᵀx - I. The first omitted term, 5/16 E^3, is then below 1e-18.
    constexpr double near = 1e-6;
    Matrix e = square, squared, root = square, out;
    array(e) -= xt::eye<double>(e.rows);
    if (!(squared_norm(e) <= near * near)) return false;
    multiply(e, e, squared);
    array(root) = xt::eye<double>(e.rows) - 0.5 * array(e) + 0.375 * array(squared);
    multiply(x, root, out);
    std::swap(x, out);
    return true;
}

void scale_columns(Matrix& x, std::span<const double> factors) {
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < x.cols; ++j) x.at(i, j) *= factors[j];
    });
}

}  // namespace

void for_row_blocks(std::size_t n, const std::function<void(std::size_t, std::size_t)>& task) {
    const std::size_t blocks = (n + block_rows - 1) / block_rows;
    parallel_for(std::size_t{0}, blocks,
                 [&](std::size_t block) { task(block * block_rows, std::min(n, (block + 1) * block_rows)); });
}

Matrix gram(ConstBlock a, ConstBlock b) {
    assert(a.rows == b.rows);
    Matrix out(a.cols, b.cols);
    if (a.rows == 0 || out.values.empty()) return out;
    const std::size_t blocks = (a.rows + block_rows - 1) / block_rows, size = out.values.size();
    // Few partial sums, each over the same blocks for any number of threads.
    const std::size_t parts = std::min<std::size_t>(blocks, 8);
    std::vector<double> sums(parts * size, 0.0);
    parallel_for(std::size_t{0}, parts, [&](std::size_t p) {
        for (std::size_t block = p * blocks / parts; block < (p + 1) * blocks / parts; ++block) {
            const std::size_t first = block * block_rows, last = std::min(a.rows, first + block_rows);
            const Padded right(part(b, first, last));
            kernels().add_product(a.row(first), 1, a.stride, a.cols, last - first, right.values.data(), right.stride,
                                  b.cols, &sums[p * size], b.cols);
        }
    });
    for (std::size_t p = 0; p < parts; ++p)
        for (std::size_t i = 0; i < size; ++i) out.values[i] += sums[p * size + i];
    return out;
}

void multiply(ConstBlock x, const Matrix& s, Block out) {
    assert(x.cols == s.rows && out.cols == s.cols && out.rows == x.rows);
    const Padded right(s);
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) std::fill_n(out.row(i), out.cols, 0.0);
        kernels().add_product(x.row(first), x.stride, 1, last - first, x.cols, right.values.data(), right.stride,
                              out.cols, out.row(first), out.stride);
    });
}

void multiply(const Matrix& x, const Matrix& s, Matrix& out) {
    assert(&out != &x && &out != &s);
    out.reshape(x.rows, s.cols);
    multiply(ConstBlock(x), s, Block(out));
}

Matrix product(const Matrix& x, const Matrix& s) {
    Matrix out;
    multiply(x, s, out);
    return out;
}

Matrix scaled_columns(Matrix x, std::span<const double> factors) {
    scale_columns(x, factors);
    return x;
}

void subtract_product(ConstBlock x, const Matrix& s, Block out) {
    assert(x.cols == s.rows && out.cols == s.cols && out.rows == x.rows);
    const Padded right(s, -1);
    for_row_blocks(s.values.empty() ? 0 : x.rows, [&](std::size_t first, std::size_t last) {
        kernels().add_product(x.row(first), x.stride, 1, last - first, x.cols, right.values.data(), right.stride,
                              out.cols, out.row(first), out.stride);
    });
}

Matrix project_out(ConstBlock q, Block x) {
    Matrix within = gram(q, x);
    subtract_product(q, within, x);
    return within;
}

void copy(ConstBlock from, Block to) {
    assert(from.rows == to.rows && from.cols == to.cols);
    for_row_blocks(from.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) std::copy_n(from.row(i), from.cols, to.row(i));
    });
}

Matrix columns(const Matrix& x, std::size_t first, std::size_t count) {
    Matrix out(x.rows, count);
    copy({x, first, count}, out);
    return out;
}

Matrix columns(const Matrix& x, std::span<const std::size_t> which) {
    Matrix out(x.rows, which.size());
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < which.size(); ++j) out.at(i, j) = x.at(i, which[j]);
    });
    return out;
}

Matrix joined_columns(const Matrix& a, const Matrix& b) {
    Matrix out(a.rows, a.cols + b.cols);
    copy(a, {out, 0, a.cols});
    copy(b, {out, a.cols, b.cols});
    return out;
}

Matrix transposed(const Matrix& x) {
    Matrix out(x.cols, x.rows);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j) out.at(j, i) = x.at(i, j);
    return out;
}

std::vector<double> column_squares(ConstBlock x) {
    std::vector<double> squares(x.cols, 0.0);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j) squares[j] += x.row(i)[j] * x.row(i)[j];
    return squares;
}

double squared_norm(const Matrix& x) {
    const std::vector<double> squares = column_squares(x);
    return std::accumulate(squares.begin(), squares.end(), 0.0);
}

bool make_polar(Matrix& x) {
    bool full = true;
    Matrix out;
    for (int pass = 0; pass < 2; ++pass) {
        double largest = 0;
        const Matrix square = gram(x, x);
        for (std::size_t j = 0; j < x.cols; ++j) largest = std::max(largest, square.at(j, j));
        if (reorthonormalise(x, square)) return full;
        // Bound on squares. A direction of 1e-12 of the largest is lost in the rounding of the largest one's square.
        const double least = 1e-14 * largest;
        const Matrix root = symmetric_function(square, [&](double value) {
            if (value > least) return 1 / std::sqrt(value);
            full = false;
            return 0.0;
        });
        multiply(x, root, out);
        std::swap(x, out);
    }
    return full;
}

Matrix orthonormal_basis(Matrix x, double tolerance) {
    for (int pass = 0; pass < 2; ++pass) {
        if (x.cols == 0) return x;
        std::vector<double> factors = column_squares(x);
        for (double& factor : factors) factor = factor > 0 ? 1 / std::sqrt(factor) : 0;
        scale_columns(x, factors);
        const Matrix square = gram(x, x);
        if (pass > 0 && reorthonormalise(x, square)) return x;
        const Spectrum spectrum = symmetric_spectrum(square);
        const double least = std::max(tolerance * tolerance, 1e-14) * std::max(spectrum.values[0], 1e-300);
        x = whitened(x, spectrum, least);
    }
    return x;
}

Matrix new_directions(std::initializer_list<ConstBlock> bases, Matrix x) {
    for (const ConstBlock& basis : bases) project_out(basis, x);
    x = orthonormal_basis(std::move(x));
    for (const ConstBlock& basis : bases) project_out(basis, x);
    if (x.cols == 0) return x;
    // Drops columns that the second pass made notably shorter: those were rounding errors of the first pass, scaled to
    // unit length (B. Parlett, "The symmetric eigenvalue problem", 1980, section 6.9: twice is enough).
    return whitened(x, symmetric_spectrum(gram(x, x)), 0.5);
}

}  // namespace fairstream
