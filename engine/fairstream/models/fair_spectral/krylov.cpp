#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fairstream/models/fair_spectral/problem.hpp>
#include <fairstream/numeric/blocks.hpp>

namespace fairstream::fair_spectral {
namespace {

// Orthonormal blocks, all orthogonal to Q, with their products:
//   X   the approximation, Theta = XᵀMX diagonal
//   P   where it came from in the last iteration
//   W   the residuals' directions that are new
struct Basis {
    Matrix x, p, w;
    Matrix mx, mp, mw;
    std::vector<double> theta;
};

// X becomes the Ritz vectors of its own range.
void rotate_to_ritz(Basis& b) {
    const Spectrum ritz = symmetric_spectrum(gram(b.x, b.mx));
    Matrix x, mx;
    multiply(b.x, ritz.vectors, x);
    multiply(b.mx, ritz.vectors, mx);
    b.x = std::move(x), b.mx = std::move(mx), b.theta = ritz.values;
}

// (I - QQᵀ)(M X - X Theta), and the norm of each column.
Matrix residuals(const Basis& b, const Matrix& q, std::vector<double>& norms) {
    Matrix r = b.mx;
    for_row_blocks(r.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < r.cols; ++j) r.at(i, j) -= b.x.at(i, j) * b.theta[j];
    });
    project_out(q, r);
    norms = column_squares(r);
    for (double& norm : norms) norm = std::sqrt(norm);
    return r;
}

// W: the residuals of columns that are not settled, orthonormal and orthogonal to X and P.
void expand(Basis& b, Matrix r, const std::vector<double>& norms, double settled, const Matrix& q) {
    std::vector<std::size_t> active;
    for (std::size_t j = 0; j < norms.size(); ++j)
        if (norms[j] > settled) active.push_back(j);
    if (active.size() < norms.size()) r = columns(r, active);
    b.w = new_directions(std::array{&q, &std::as_const(b.x), &std::as_const(b.p)}, std::move(r));
}

// Rayleigh-Ritz on [X P W]: the best X, and as P the part of the way there that is orthogonal to it.
void improve(Basis& b) {
    const std::size_t width = b.x.cols;
    const std::array blocks{&std::as_const(b.x), &std::as_const(b.p), &std::as_const(b.w)};
    const std::array products{&std::as_const(b.mx), &std::as_const(b.mp), &std::as_const(b.mw)};
    Matrix whole, product;
    beside(blocks, whole);
    beside(products, product);
    const Spectrum ritz = symmetric_spectrum(gram(whole, product));
    const Matrix c = columns(ritz.vectors, 0, width);
    Matrix way = c;
    for (std::size_t i = 0; i < width; ++i) std::fill_n(way.row(i), way.cols, 0.0);
    way = new_directions(std::array{&c}, std::move(way));
    Matrix turn, x, mx;
    beside(std::array{&c, &std::as_const(way)}, turn);
    multiply(whole, turn, x);
    multiply(product, turn, mx);
    b.x = columns(x, 0, width), b.p = columns(x, width, way.cols);
    b.mx = columns(mx, 0, width), b.mp = columns(mx, width, way.cols);
    b.theta.assign(ritz.values.begin(), ritz.values.begin() + static_cast<std::ptrdiff_t>(width));
}

double root_mean_square(std::span<const double> values) {
    return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0) /
                     static_cast<double>(values.size()));
}

}  // namespace

Solution solve_krylov(NormalisedAffinity& m, const Matrix& q, std::size_t k, Matrix start, const SolverLimits& limits,
                      std::uint64_t seed) {
    const std::size_t n = m.rows();
    // A few columns more than asked for: the speed is that of the gap behind them.
    constexpr std::size_t guard = 5;
    const std::size_t width = std::min(k + guard, n - q.cols);
    Basis b;
    b.x = orthonormal_start(q, std::move(start), n, width, seed);
    b.p = b.mp = Matrix(n, 0);
    m.apply(b.x, b.mx);
    rotate_to_ritz(b);

    Solution solution;
    std::vector<double> norms;
    for (;; ++solution.iterations) {
        Matrix r = residuals(b, q, norms);
        solution.residual = root_mean_square(std::span(norms).first(k));
        const double cost = static_cast<double>(k) -
                            std::accumulate(b.theta.begin(), b.theta.begin() + static_cast<std::ptrdiff_t>(k), 0.0);
        solution.outcome = Outcome::iteration_limit;
        if (limits.watch && limits.watch({solution.iterations, m.columns_applied(), &b.x, cost, solution.residual}))
            break;
        solution.outcome = Outcome::converged;
        if (solution.residual <= limits.tolerance) break;
        solution.outcome = Outcome::iteration_limit;
        if (solution.iterations == limits.iterations) break;
        expand(b, std::move(r), norms, 0.5 * limits.tolerance, q);
        solution.outcome = Outcome::stalled;  // no new direction: X is invariant up to the operator's rounding
        if (b.w.cols == 0) break;
        m.apply(b.w, b.mw);
        improve(b);
    }
    solution.within = gram(q, columns(b.x, 0, k));
    solution.mh = columns(b.mx, 0, k);
    solution.h = std::move(b.x);
    return solution;
}

}  // namespace fairstream::fair_spectral
