#include <fairstream/numeric/detail/linear_algebra.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <filesystem>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <dlfcn.h>

#include <xtensor-blas/xlinalg.hpp>

#include <fairstream/numeric/detail/blocks.hpp>

namespace fairstream {
namespace {

std::filesystem::path file_of(const void* function) {
    Dl_info found;
    if (::dladdr(function, &found) == 0 || found.dli_fname == nullptr) return {};
    std::error_code failed;
    const std::filesystem::path file = std::filesystem::canonical(found.dli_fname, failed);
    return failed ? std::filesystem::path(found.dli_fname) : file;
}

struct Libraries {
    std::string names;
    bool reference = true;
};

Libraries find_libraries() {
    const std::filesystem::path own = file_of(reinterpret_cast<const void*>(&linear_algebra_libraries));
    Libraries libraries;
    for (const auto& [function, prefix] :
         {std::pair{reinterpret_cast<const void*>(&cxxlapack::LAPACK_IMPL(dsyevd)), "liblapack.so"},
          std::pair{reinterpret_cast<const void*>(&cblas_dgemm), "libblas.so"}}) {
        const std::filesystem::path file = file_of(function);
        const std::string name = file == own ? "built-in" : file.filename().string();
        libraries.reference = libraries.reference && (file == own || name.starts_with(prefix));
        if (!libraries.names.empty()) libraries.names += ' ';
        libraries.names += name;
    }
    return libraries;
}

const Libraries& libraries() {
    static const Libraries found = find_libraries();
    return found;
}

std::mutex library_mutex;

// Returns the result of `call`, a call of LAPACK or BLAS; calls wait for each other unless the reference library is
// loaded.
template <class Call> auto one_call_at_a_time(const Call& call) {
    if (libraries().reference) return call();
    const std::lock_guard lock(library_mutex);
    return call();
}

// Columns per block of a factor, and number of reflectors applied together.
constexpr std::size_t block_width = 32;

Matrix part(const Matrix& x, std::size_t first_row, std::size_t last_row, std::size_t first, std::size_t last) {
    Matrix out(last_row - first_row, last - first);
    copy({x.row(first_row) + first, out.rows, out.cols, x.cols}, out);
    return out;
}

// Solves for `count` vectors b in turn: replaces each by the x with L x = b, or Lᵀ x = b if `transposed` is 'T'.
// xt::linalg takes one vector at a time, and copies the factor for it.
template <class Factor> void solve_triangular(const Factor& lower, char transposed, std::size_t count, double* b) {
    const auto n = static_cast<xt::blas_index_t>(lower.shape(0)), m = static_cast<xt::blas_index_t>(count);
    if (n == 0 || m == 0) return;
    one_call_at_a_time(
        [&] { return cxxlapack::trtrs<xt::blas_index_t>('L', transposed, 'N', n, m, lower.data(), n, b, n); });
}

// Replaces each row b of `rows` by the x with L x = b. The substitution runs in all rows at once, adjacent in memory;
// the reference BLAS takes one row after another.
template <class Factor> void solve_rows(const Factor& lower, Matrix& rows) {
    if (rows.rows == 1) return solve_triangular(lower, 'N', 1, rows.values.data());
    const std::size_t n = rows.cols, m = rows.rows;
    Matrix by_unknown = transposed(rows);
    for (std::size_t k = 0; k < n; ++k) {
        double* const solved = by_unknown.row(k);
        for (std::size_t r = 0; r < m; ++r) solved[r] /= lower(k, k);
        for (std::size_t i = k + 1; i < n; ++i) {
            double* const left = by_unknown.row(i);
            const double entry = lower(i, k);
            for (std::size_t r = 0; r < m; ++r) left[r] -= entry * solved[r];
        }
    }
    rows = transposed(by_unknown);
}

/// Eigenvalues in ascending order, and for each an eigenvector of length 1 as a row.
struct Eigenpairs {
    std::vector<double> values;
    Matrix vectors;
};

// Replaces each row z of `rows` by Q z, with `reduced` and `scales` as dsytrd returns them. Q is the product of the
// reflectors H_j = I - scales[j] v vᵀ, where v is 0 up to index j, 1 at the next, and from there row j of `reduced`.
// The reflectors of a block make H_i ... H_j = I - V S Vᵀ (R. Schreiber and C. Van Loan, "A storage-efficient WY
// representation for products of Householder transformations", 1989).
void reflect(const Matrix& reduced, const std::vector<double>& scales, Matrix& rows) {
    for (std::size_t end = rows.cols - 1; end > 0;) {
        const std::size_t first = (end - 1) / block_width * block_width;
        const std::size_t width = end - first, length = rows.cols - first - 1;
        Matrix v(width, length), s(width, width);  // transposes of V and S, because LAPACK's columns are rows here
        for (std::size_t j = 0; j < width; ++j) {
            v.at(j, j) = 1;
            std::copy_n(reduced.row(first + j) + first + j + 2, length - j - 1, v.row(j) + j + 1);
        }
        const auto n = static_cast<xt::blas_index_t>(length), k = static_cast<xt::blas_index_t>(width);
        one_call_at_a_time([&] {
            cxxlapack::larft<xt::blas_index_t>('F', 'C', n, k, v.values.data(), n, &scales[first], s.values.data(), k);
        });
        const Block own(rows, first + 1, length);
        Matrix shares(rows.rows, width), turned;
        multiply(own, transposed(v), shares);
        multiply(shares, s, turned);
        subtract_product(turned, v, own);
        end = first;
    }
}

// Computes the result of xt::linalg::eigh, but uses the kernels to multiply by the reflectors; the reference BLAS takes
// 1.5 times as long.
Eigenpairs eigenpairs_by_blocks(Matrix a) {
    const std::size_t k = a.rows;
    const auto n = static_cast<xt::blas_index_t>(k);
    const double largest = xt::amax(xt::abs(array(a)))();
    const int exponent = largest > 0 ? std::ilogb(largest) : 0;
    for (double& x : a.values) x = std::ldexp(x, -exponent);  // squares might overflow otherwise
    Eigenpairs found{std::vector<double>(k), Matrix(k, k)};
    std::vector<double> off_diagonal(k), scales(k), work(std::max(block_width * k, 1 + 4 * k + k * k));
    std::vector<xt::blas_index_t> places(3 + 5 * k);
    const auto room = static_cast<xt::blas_index_t>(work.size());
    const xt::blas_index_t failed = one_call_at_a_time([&] {
        cxxlapack::sytrd<xt::blas_index_t>('L', n, a.values.data(), n, found.values.data(), off_diagonal.data(),
                                           scales.data(), work.data(), room);
        return cxxlapack::stedc<xt::blas_index_t>('I', n, found.values.data(), off_diagonal.data(),
                                                  found.vectors.values.data(), n, work.data(), room, places.data(),
                                                  static_cast<xt::blas_index_t>(places.size()));
    });
    if (failed != 0) throw std::runtime_error("dstedc does not converge");
    reflect(a, scales, found.vectors);
    for (double& value : found.values) value = std::ldexp(value, exponent);
    return found;
}

Eigenpairs eigenpairs(Matrix a) {
    if (a.rows > block_width) return eigenpairs_by_blocks(std::move(a));
    const auto [values, vectors] = one_call_at_a_time([&] { return xt::linalg::eigh(array(a)); });
    Eigenpairs found{{values.begin(), values.end()}, Matrix(a.rows, a.rows)};
    array(found.vectors) = xt::transpose(vectors);
    return found;
}

}  // namespace

const std::string& linear_algebra_libraries() {
    return libraries().names;
}

Spectrum symmetric_spectrum(const Matrix& a) {
    const std::size_t k = a.rows;
    assert(a.cols == k);
    Spectrum spectrum{std::vector<double>(k), Matrix(k, k)};
    if (k == 0) return spectrum;
    Matrix symmetric(k, k);
    array(symmetric) = 0.5 * (array(a) + xt::transpose(array(a)));
    if (!std::ranges::all_of(symmetric.values, [](double x) { return std::isfinite(x); })) {
        std::ranges::fill(spectrum.values, std::numeric_limits<double>::quiet_NaN());
        std::ranges::fill(spectrum.vectors.values, std::numeric_limits<double>::quiet_NaN());
        return spectrum;
    }
    Eigenpairs found = eigenpairs(std::move(symmetric));
    std::ranges::reverse_copy(found.values, spectrum.values.begin());
    for (std::size_t j = 0; j < k; ++j) {
        const std::span vector(found.vectors.row(k - 1 - j), k);  // smallest first
        const double largest = *std::ranges::max_element(vector, {}, [](double x) { return std::abs(x); });
        for (std::size_t i = 0; i < k; ++i) spectrum.vectors.at(i, j) = largest < 0 ? -vector[i] : vector[i];
    }
    return spectrum;
}

Matrix symmetric_function(const Matrix& a, const std::function<double(double)>& f) {
    const Spectrum spectrum = symmetric_spectrum(a);
    Matrix scaled = spectrum.vectors, out;
    std::vector<double> factors;
    for (const double value : spectrum.values) factors.push_back(f(value));
    array(scaled) *= array(factors);
    multiply(scaled, transposed(spectrum.vectors), out);
    return out;
}

Svd singular_values(const Matrix& a) {
    const std::size_t r = std::min(a.rows, a.cols);
    Svd out{std::vector<double>(r), Matrix(a.rows, r), Matrix(a.cols, r)};
    if (r == 0) return out;
    const auto [left, values, right] = one_call_at_a_time([&] { return xt::linalg::svd(array(a), false); });
    std::ranges::copy(values, out.values.begin());
    array(out.left) = left;
    array(out.right) = xt::transpose(right);
    return out;
}

Cholesky::Cholesky(const Matrix& a) : lower_(a) {
    assert(a.rows == a.cols);
    const std::size_t n = a.rows;
    try {
        for (std::size_t first = 0; first < n; first += block_width) {
            const std::size_t next = std::min(n, first + block_width);
            const Matrix own = part(lower_, first, next, first, next);
            diagonal_.push_back(one_call_at_a_time([&] { return xt::linalg::cholesky(array(own)); }));
            if (next == n) break;
            Matrix below = part(lower_, next, n, first, next);
            solve_rows(diagonal_.back(), below);
            copy(below, {lower_.row(next) + first, below.rows, below.cols, n});
            subtract_product(below, transposed(below), {lower_.row(next) + next, below.rows, below.rows, n});
        }
        positive_definite_ = true;
    } catch (const std::runtime_error&) {
        // A pivot is not positive.
    }
}

Vector Cholesky::solve(const Vector& b) const {
    Matrix row(1, b.size());
    array(row.values) = b;
    forward(row);
    Vector x = array(row.values);
    backward(x);
    return x;
}

void Cholesky::forward(Matrix& rows) const {
    assert(positive_definite_ && rows.cols == lower_.rows);
    if (diagonal_.size() == 1) return solve_rows(diagonal_[0], rows);
    for (std::size_t j = 0; j < diagonal_.size(); ++j) {
        const std::size_t first = j * block_width, next = std::min(rows.cols, first + block_width);
        const Block own(rows, first, next - first);
        subtract_product({rows, 0, first}, transposed(part(lower_, first, next, 0, first)), own);
        Matrix solved = part(rows, 0, rows.rows, first, next);
        solve_rows(diagonal_[j], solved);
        copy(solved, own);
    }
}

void Cholesky::backward(Matrix& rows) const {
    assert(positive_definite_ && rows.cols == lower_.rows);
    for (std::size_t j = diagonal_.size(); j-- > 0;) {
        const std::size_t first = j * block_width, next = std::min(rows.cols, first + block_width);
        const Block own(rows, first, next - first);
        if (next < rows.cols)
            subtract_product({rows, next, rows.cols - next}, part(lower_, next, rows.cols, first, next), own);
        Matrix solved = part(rows, 0, rows.rows, first, next);
        solve_triangular(diagonal_[j], 'T', solved.rows, solved.values.data());
        copy(solved, own);
    }
}

void Cholesky::backward(Vector& b) const {
    assert(positive_definite_ && b.size() == lower_.rows);
    for (std::size_t j = diagonal_.size(); j-- > 0;) {
        const std::size_t first = j * block_width, next = std::min(b.size(), first + block_width);
        solve_triangular(diagonal_[j], 'T', 1, b.data() + first);
        for (std::size_t r = first; r < next; ++r)
            for (std::size_t i = 0; i < first; ++i) b(i) -= lower_.at(r, i) * b(r);
    }
}

Vector dot(const Matrix& a, const Vector& x) {
    assert(a.cols == x.size());
    if (a.values.empty()) return xt::zeros<double>({a.rows});  // BLAS would end the process
    return one_call_at_a_time([&] { return xt::linalg::dot(array(a), x); });
}

double dot(const Vector& x, const Vector& y) {
    assert(x.size() == y.size());
    return one_call_at_a_time([&] { return xt::linalg::dot(x, y)(); });
}

}  // namespace fairstream
