#include <fairstream/numeric/blocks.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <tbb/parallel_for.h>
#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xadapt.hpp>

namespace fairstream {
namespace {

constexpr auto plain = cxxblas::NoTrans;
constexpr auto turned = cxxblas::Trans;

int size_of(std::size_t n) {
    return static_cast<int>(n);
}

// x V diag(values)^(-1/2), of the columns V whose eigenvalue of xᵀx is above `least`.
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

// out += aᵀ b over `rows` rows.
void add_gram(const double* a, std::size_t p, const double* b, std::size_t q, std::size_t rows, double* out) {
    cxxblas::gemm<int>(cxxblas::RowMajor, turned, plain, size_of(p), size_of(q), size_of(rows), 1.0, a, size_of(p), b,
                       size_of(q), 1.0, out, size_of(q));
}

// out = scale x s + keep out over `rows` rows.
void product(const double* x, std::size_t p, const Matrix& s, std::size_t rows, double scale, double keep,
             double* out) {
    cxxblas::gemm<int>(cxxblas::RowMajor, plain, plain, size_of(rows), size_of(s.cols), size_of(p), scale, x,
                       size_of(p), s.values.data(), size_of(s.cols), keep, out, size_of(s.cols));
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
    tbb::parallel_for(std::size_t{0}, blocks,
                      [&](std::size_t block) { task(block * block_rows, std::min(n, (block + 1) * block_rows)); });
}

Matrix gram(const Matrix& a, const Matrix& b) {
    assert(a.rows == b.rows);
    Matrix out(a.cols, b.cols);
    if (a.rows == 0 || out.values.empty()) return out;
    const std::size_t blocks = (a.rows + block_rows - 1) / block_rows, size = out.values.size();
    // Few sums of their own, each over the same blocks whatever the threads.
    const std::size_t parts = std::min<std::size_t>(blocks, 8);
    std::vector<double> sums(parts * size, 0.0);
    tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
        for (std::size_t block = part * blocks / parts; block < (part + 1) * blocks / parts; ++block) {
            const std::size_t first = block * block_rows, last = std::min<std::size_t>(a.rows, first + block_rows);
            add_gram(a.row(first), a.cols, b.row(first), b.cols, last - first, &sums[part * size]);
        }
    });
    for (std::size_t part = 0; part < parts; ++part)
        for (std::size_t i = 0; i < size; ++i) out.values[i] += sums[part * size + i];
    return out;
}

void multiply(const Matrix& x, const Matrix& s, Matrix& out) {
    assert(x.cols == s.rows && &out != &x && &out != &s);
    out.reshape(x.rows, s.cols);
    if (s.cols == 0) return;
    if (s.rows == 0) {
        std::ranges::fill(out.values, 0.0);
        return;
    }
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        product(x.row(first), x.cols, s, last - first, 1, 0, out.row(first));
    });
}

Matrix project_out(const Matrix& q, Matrix& x) {
    Matrix within = gram(q, x);
    if (q.cols == 0 || x.cols == 0) return within;
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        product(q.row(first), q.cols, within, last - first, -1, 1, x.row(first));
    });
    return within;
}

Matrix columns(const Matrix& x, std::size_t first, std::size_t count) {
    std::vector<std::size_t> which(count);
    std::iota(which.begin(), which.end(), first);
    return columns(x, which);
}

Matrix columns(const Matrix& x, std::span<const std::size_t> which) {
    Matrix out(x.rows, which.size());
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < which.size(); ++j) out.at(i, j) = x.at(i, which[j]);
    });
    return out;
}

void beside(std::span<const Matrix* const> parts, Matrix& out) {
    std::size_t width = 0;
    for (const Matrix* part : parts) width += part->cols;
    out.reshape(parts[0]->rows, width);
    for_row_blocks(out.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            double* to = out.row(i);
            for (const Matrix* part : parts)
                if (part->cols > 0) to = std::copy_n(part->row(i), part->cols, to);
        }
    });
}

Matrix transposed(const Matrix& x) {
    Matrix out(x.cols, x.rows);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j) out.at(j, i) = x.at(i, j);
    return out;
}

std::vector<double> column_squares(const Matrix& x) {
    std::vector<double> squares(x.cols, 0.0);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.cols; ++j) squares[j] += x.at(i, j) * x.at(i, j);
    return squares;
}

double squared_norm(const Matrix& x) {
    const std::vector<double> squares = column_squares(x);
    return std::accumulate(squares.begin(), squares.end(), 0.0);
}

Spectrum symmetric_spectrum(const Matrix& a) {
    const std::size_t k = a.rows;
    if (k == 0) return {};
    xt::xtensor<double, 2, xt::layout_type::column_major> square({k, k});
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < k; ++j) square(i, j) = 0.5 * (a.at(i, j) + a.at(j, i));
    const auto [values, vectors] = xt::linalg::eigh(square);
    Spectrum spectrum{std::vector<double>(k), Matrix(k, k)};
    for (std::size_t j = 0; j < k; ++j) {
        const std::size_t from = k - 1 - j;  // LAPACK puts the smallest first
        spectrum.values[j] = values(from);
        double largest = 0;
        for (std::size_t i = 0; i < k; ++i)
            if (std::abs(vectors(i, from)) > std::abs(largest)) largest = vectors(i, from);
        for (std::size_t i = 0; i < k; ++i) spectrum.vectors.at(i, j) = vectors(i, from) * (largest < 0 ? -1 : 1);
    }
    return spectrum;
}

Matrix symmetric_function(const Matrix& a, const std::function<double(double)>& f) {
    const Spectrum spectrum = symmetric_spectrum(a);
    Matrix scaled = spectrum.vectors, out;
    std::vector<double> factors;
    for (const double value : spectrum.values) factors.push_back(f(value));
    scale_columns(scaled, factors);
    multiply(scaled, transposed(spectrum.vectors), out);
    return out;
}

bool make_polar(Matrix& x) {
    bool full = true;
    Matrix out;
    for (int pass = 0; pass < 2; ++pass) {
        double largest = 0;
        const Matrix square = gram(x, x);
        for (std::size_t j = 0; j < x.cols; ++j) largest = std::max(largest, square.at(j, j));
        // Squared: what is 1e-12 of the largest direction drowns in the rounding of the largest one's square.
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
        const Spectrum spectrum = symmetric_spectrum(gram(x, x));
        const double least = std::max(tolerance * tolerance, 1e-14) * std::max(spectrum.values[0], 1e-300);
        x = whitened(x, spectrum, least);
    }
    return x;
}

Matrix new_directions(std::span<const Matrix* const> bases, Matrix x) {
    for (const Matrix* basis : bases) project_out(*basis, x);
    x = orthonormal_basis(std::move(x));
    for (const Matrix* basis : bases) project_out(*basis, x);
    if (x.cols == 0) return x;
    // What a second pass makes notably shorter was the rounding of the first, brought to unit length (B. Parlett, "The
    // symmetric eigenvalue problem", 1980, section 6.9: twice is enough).
    return whitened(x, symmetric_spectrum(gram(x, x)), 0.5);
}

}  // namespace fairstream
