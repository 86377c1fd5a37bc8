#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fairstream/models/fair_spectral/problem.hpp>
#include <fairstream/numeric/blocks.hpp>

namespace fairstream::fair_spectral {
namespace {

// A few columns more than asked for: the speed is that of the gap behind them.
constexpr std::size_t guard = 5;

/// Orthonormal blocks side by side, all orthogonal to Q, and their products with M:
///   X   the approximation, XᵀMX = diag(theta)
///   P   where it came from in the last iteration
///   W   the residuals' directions that are new
struct Basis {
    std::size_t width;  // of X
    Matrix s, ms;       // [X P W] and M [X P W], room for 3 width columns
    std::size_t p = 0, w = 0;
    std::vector<double> theta;
    Matrix turned, residual;
    std::vector<double> norms;  // of the residual's columns

    Basis(std::size_t n, std::size_t columns) : width(columns), s(n, 3 * columns), ms(n, 3 * columns) {}

    [[nodiscard]] Block x() { return {s, 0, width}; }
    [[nodiscard]] Block mx() { return {ms, 0, width}; }
    [[nodiscard]] Block xp() { return {s, 0, width + p}; }
    [[nodiscard]] Block xpw() { return {s, 0, width + p + w}; }
    [[nodiscard]] Block mxpw() { return {ms, 0, width + p + w}; }

    /// [X P W] C in the place of its first columns, and its product.
    void turn(const Matrix& c) {
        for (Matrix* basis : {&s, &ms}) {
            turned.reshape(basis->rows, c.cols);
            multiply({*basis, 0, c.rows}, c, turned);
            copy(turned, {*basis, 0, c.cols});
        }
    }
};

void begin(Basis& b, NormalisedAffinity& m, const Matrix& start) {
    Matrix product;
    m.apply(start, product);
    copy(start, b.x());
    copy(product, b.mx());
    const Spectrum ritz = symmetric_spectrum(gram(b.x(), b.mx()));
    b.turn(ritz.vectors);
    b.theta = ritz.values;
}

// (I - QQᵀ)(M X - X Theta), and the norm of each column.
void find_residuals(Basis& b, const Matrix& q) {
    const Block x = b.x(), mx = b.mx();
    b.residual.reshape(x.rows, b.width);
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < b.width; ++j) b.residual.at(i, j) = mx.row(i)[j] - x.row(i)[j] * b.theta[j];
    });
    project_out(q, b.residual);
    b.norms = column_squares(b.residual);
    for (double& norm : b.norms) norm = std::sqrt(norm);
}

// W: the residuals of columns that are not settled, orthonormal and orthogonal to X and P.
void expand(Basis& b, NormalisedAffinity& m, const Matrix& q, double settled) {
    std::vector<std::size_t> active;
    for (std::size_t j = 0; j < b.width; ++j)
        if (b.norms[j] > settled) active.push_back(j);
    const Matrix w = new_directions({q, b.xp()}, columns(b.residual, active));
    Matrix mw;
    b.w = w.cols;
    if (b.w == 0) return;
    m.apply(w, mw);
    copy(w, {b.s, b.width + b.p, b.w});
    copy(mw, {b.ms, b.width + b.p, b.w});
}

// Rayleigh-Ritz on [X P W]: the best X, and as P the part of the way there that is orthogonal to it.
void improve(Basis& b) {
    const Spectrum ritz = symmetric_spectrum(gram(b.xpw(), b.mxpw()));
    const Matrix c = columns(ritz.vectors, 0, b.width);
    Matrix way = c;
    for (std::size_t i = 0; i < b.width; ++i) std::fill_n(way.row(i), way.cols, 0.0);
    way = new_directions({c}, std::move(way));
    b.turn(beside(c, way));
    b.p = way.cols;
    b.w = 0;
    b.theta.assign(ritz.values.begin(), ritz.values.begin() + static_cast<std::ptrdiff_t>(b.width));
}

// polar((I - QQᵀ)(M + shift) X) of the first k columns, that is X (Theta + shift) + R: a power step for nothing. The
// shift is the least with which no eigenvalue from -1 to the smallest of Theta grows against those above.
Matrix power_step(const Basis& b, const Matrix& q, std::size_t k, bool positive_semidefinite) {
    const double shift = positive_semidefinite ? 0 : std::max(0.0, (1 - b.theta[k - 1]) / 2);
    const ConstBlock x(b.s, 0, k);
    Matrix h(x.rows, k);
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < k; ++j) h.at(i, j) = x.row(i)[j] * (b.theta[j] + shift) + b.residual.at(i, j);
    });
    if (polish(q, h)) return h;
    copy(x, h);
    return h;
}

// k - Tr(XᵀMX) of the first k columns.
double cost_of(const Basis& b, std::size_t k) {
    return std::accumulate(b.theta.begin(), b.theta.begin() + static_cast<std::ptrdiff_t>(k), static_cast<double>(k),
                           std::minus<>());
}

// Products in float32 leave a residual that no iteration lowers. One that stands still while the cost falls is on its
// way to what it had not seen.
bool nothing_is_gained(std::span<const double> residuals, std::span<const double> costs) {
    constexpr std::size_t looked_at = 20;
    constexpr double least_gain = 1e-9;
    return stands_still(residuals) && costs[costs.size() - 1 - looked_at] - costs.back() < least_gain;
}

bool is_told_to_end(const Basis& b, const Matrix& q, std::size_t k, const NormalisedAffinity& m,
                    const SolverLimits& limits, const Solution& solution) {
    const Matrix h = columns(b.s, 0, k);
    return limits.watch({solution.iterations, m.columns_applied(), &h, cost_of(b, k), solution.residual,
                         [&] { return power_step(b, q, k, m.positive_semidefinite()); }});
}

}  // namespace

Solution solve_krylov(NormalisedAffinity& m, const Matrix& q, std::size_t k, Matrix start, const SolverLimits& limits,
                      std::uint64_t seed) {
    const std::size_t n = m.rows(), width = std::min(k + guard, n - q.cols);
    Basis b(n, width);
    begin(b, m, orthonormal_start(q, std::move(start), n, width, seed));
    Solution solution;
    std::vector<double> residuals, costs;
    for (;; ++solution.iterations) {
        find_residuals(b, q);
        solution.residual =
            std::sqrt(std::inner_product(b.norms.begin(), b.norms.begin() + static_cast<std::ptrdiff_t>(k),
                                         b.norms.begin(), 0.0) /
                      static_cast<double>(k));
        residuals.push_back(solution.residual), costs.push_back(cost_of(b, k));
        solution.outcome = Outcome::iteration_limit;
        if (limits.watch && is_told_to_end(b, q, k, m, limits, solution)) break;
        solution.outcome = Outcome::converged;
        if (solution.residual <= limits.tolerance) break;
        solution.outcome = Outcome::iteration_limit;
        if (solution.iterations == limits.iterations) break;
        solution.outcome = Outcome::stalled;
        if (nothing_is_gained(residuals, costs)) break;
        expand(b, m, q, 0.5 * limits.tolerance);
        if (b.w == 0) break;  // no new direction: X is invariant up to the operator's rounding
        improve(b);
    }
    const Matrix h = power_step(b, q, k, m.positive_semidefinite());
    solution.within = gram(q, h);
    solution.h = beside(h, new_directions({q, h}, columns(b.s, k, width - k)));
    solution.lambda = Matrix(k, k);
    for (std::size_t j = 0; j < k; ++j) solution.lambda.at(j, j) = b.theta[j];
    return solution;
}

}  // namespace fairstream::fair_spectral
