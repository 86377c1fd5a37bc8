/// Times the engine's own kernels beside the same computations in xtensor and xtensor-blas; prints one JSON object.
///
///   bench_kernels
///
/// Both run on one thread and take turns; a figure is the least time of `turns`. The xtensor form is the fastest one
/// found for its kernel, and its result is compared with the kernel's.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xrandom.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <fairstream/numeric/detail/affinity/sparse_matrix.hpp>
#include <fairstream/numeric/detail/arena.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

#include <tbb/task_arena.h>

namespace fairstream::benchmarks {
namespace {

using Floats = xt::xtensor<float, 2>;
using Doubles = xt::xtensor<double, 2>;
constexpr int turns = 15;

double seconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const char* separator = "{";

// `difference` is the largest between the two results, as a share of the largest entry.
void compare(const char* name, const std::string& size, const std::function<void()>& kernel,
             const std::function<void()>& array, const std::function<double()>& difference, double allowed) {
    double own = std::numeric_limits<double>::infinity(), other = own;
    for (int turn = 0; turn < turns; ++turn) {
        own = std::min(own, seconds(kernel));
        other = std::min(other, seconds(array));
    }
    if (const double apart = difference(); !(apart <= allowed))
        throw std::runtime_error(std::string(name) + ": results differ by " + std::to_string(apart));
    std::printf("%s\n  \"%s\": {\"size\": \"%s\", \"kernel\": %.9f, \"xtensor\": %.9f}", separator, name, size.c_str(),
                own, other);
    separator = ",";
}

template <class A, class B> double apart(const A& a, const B& b) {
    double most = 0, scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
        scale = std::max(scale, std::abs(static_cast<double>(b[i])));
    }
    return most / scale;
}

Floats random_rows(std::size_t n, std::size_t d) {
    return xt::random::randn<float>({n, d});
}

Matrix random_matrix(std::size_t rows, std::size_t columns) {
    Matrix out(rows, columns);
    const Doubles values = xt::random::randn<double>({rows, columns});
    std::ranges::copy(values, out.values.begin());
    return out;
}

auto view_of(const Matrix& x) {
    return xt::adapt(x.values.data(), x.values.size(), xt::no_ownership(), std::array<std::size_t, 2>{x.rows, x.cols});
}

void compare_centres() {
    constexpr std::size_t n = 10'000, d = 16, k = 32;
    const Floats rows = random_rows(n, d), centres = random_rows(k, d);
    std::vector<float> packed(packed_size(k, d));
    pack_centres(centres.data(), k, d, packed.data());
    std::vector<std::int32_t> labels(n);
    xt::xtensor<std::size_t, 1> nearest;
    // |x - c|^2 without |x|^2, which all centres share.
    compare(
        "nearest centres", "10,000 x 16, 32 centres",
        [&] { kernels().assign(rows.data(), n, d, packed.data(), k, labels.data()); },
        [&] {
            const xt::xtensor<float, 1> squares = xt::sum(xt::square(centres), {1});
            const Floats away = squares - 2 * xt::linalg::dot(rows, xt::eval(xt::transpose(centres)));
            nearest = xt::argmin(away, 1);
        },
        [&] {
            std::size_t other = 0;
            for (std::size_t i = 0; i < n; ++i) other += static_cast<std::size_t>(labels[i]) != nearest(i);
            return static_cast<double>(other) / n;
        },
        1e-3);

    std::vector<float> distances(n * k);
    Floats squares;
    compare(
        "distances", "10,000 x 16, 32 centres",
        [&] {
            for (std::size_t i = 0; i < n; ++i)
                kernels().distances(rows.data() + i * d, d, packed.data(), k, &distances[i * k]);
        },
        [&] {
            const Floats of_rows = xt::sum(xt::square(rows), {1}, xt::keep_dims);
            const xt::xtensor<float, 1> of_centres = xt::sum(xt::square(centres), {1});
            squares = of_rows + of_centres - 2 * xt::linalg::dot(rows, xt::eval(xt::transpose(centres)));
        },
        [&] { return apart(distances, squares.storage()); }, 1e-4);
}

void compare_products() {
    constexpr std::size_t n = 10'000, k = 32;
    const Matrix a = random_matrix(n, k), b = random_matrix(n, k), small = random_matrix(k, k);
    Matrix inner, tall;
    Doubles other;
    compare(
        "tall products, A^T B", "10,000 x 32, twice", [&] { inner = gram(a, b); },
        [&] { other = xt::linalg::dot(xt::transpose(view_of(a)), view_of(b)); },
        [&] { return apart(inner.values, other.storage()); }, 1e-12);
    compare(
        "tall products, A S", "10,000 x 32, 32 x 32", [&] { multiply(a, small, tall); },
        [&] { other = xt::linalg::dot(view_of(a), view_of(small)); },
        [&] { return apart(tall.values, other.storage()); }, 1e-12);
}

void compare_sparse() {
    constexpr std::size_t n = 10'000, k = 32, neighbours = 14;
    const xt::xtensor<std::uint32_t, 2> at = xt::random::randint<std::uint32_t>({n, neighbours}, 0, n);
    SparseMatrix matrix;
    matrix.first.push_back(0);
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<Slot> row(&at(i, 0), &at(i, 0) + neighbours);
        std::ranges::sort(row);
        for (const Slot slot : row) matrix.columns.push_back(slot), matrix.weights.push_back(0.5F);
        matrix.first.push_back(matrix.columns.size());
    }
    const Matrix x = random_matrix(n, k);
    const Doubles dense = view_of(x);
    Matrix out;
    Doubles other = xt::zeros<double>({n, k});
    // xtensor has no sparse matrix: the sum over a row's entries.
    compare(
        "sparse products", "10,000 rows of 14 entries, times 10,000 x 32", [&] { matrix.multiply(x, out); },
        [&] {
            for (std::size_t i = 0; i < n; ++i) {
                auto row = xt::view(other, i, xt::all());
                row.fill(0);
                for (std::size_t e = matrix.first[i]; e < matrix.first[i + 1]; ++e)
                    xt::noalias(row) += static_cast<double>(matrix.weights[e]) * xt::row(dense, matrix.columns[e]);
            }
        },
        [&] { return apart(out.values, other.storage()); }, 1e-12);
}

void compare_score_sums() {
    constexpr std::size_t n = 20'000, d = 100;
    const Floats rows = random_rows(n, d);
    const xt::xtensor<double, 1> w = xt::random::randn<double>({d}), weights = xt::random::randn<double>({n});
    std::vector<double> scores(n), sums(d);
    xt::xtensor<double, 1> other;
    // The engine keeps features in float and sums in double; BLAS takes one type, so that rows are converted.
    compare(
        "score sums, X w", "20,000 x 100",
        [&] { kernels().row_products(rows.data(), n, d, w.data(), 0.5, scores.data()); },
        [&] { other = 0.5 + xt::linalg::dot(xt::eval(xt::cast<double>(rows)), w); },
        [&] { return apart(scores, other.storage()); }, 1e-10);
    compare(
        "score sums, X^T v", "20,000 x 100",
        [&] {
            std::ranges::fill(sums, 0.0);
            kernels().add_weighted_rows(rows.data(), n, d, weights.data(), sums.data());
        },
        [&] { other = xt::linalg::dot(xt::transpose(xt::eval(xt::cast<double>(rows))), weights); },
        [&] { return apart(sums, other.storage()); }, 1e-10);
}

}  // namespace

int run() {
    xt::random::seed(1);
    tbb::task_arena one(1);
    one.execute([] {
        compare_centres();
        compare_products();
        compare_sparse();
        compare_score_sums();
    });
    std::printf("\n}\n");
    return 0;
}

}  // namespace fairstream::benchmarks

int main() {
    try {
        return fairstream::benchmarks::run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_kernels: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
