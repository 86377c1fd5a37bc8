#include <fairstream/models/fair_spectral/detail/krylov_basis.hpp>

#include <algorithm>
#include <cmath>

#include <xtensor/xbuilder.hpp>

#include <fairstream/numeric/detail/arrays.hpp>

namespace fairstream::fair_spectral {
namespace {

// Columns beyond those asked for: the speed depends on the gap between eigenvalues behind them.
constexpr std::size_t guard = 5;

// Takes a power step that needs no product: polar((I - QQᵀ)(M + shift) X) of the first k columns, the polar factor of X
// (Theta + shift) + R. The shift is the least with which no eigenvalue from -1 to the smallest of Theta grows against
// those above.
Matrix power_step(const KrylovBasis& b, const NormalisedAffinity& m, const Matrix& q, std::size_t k) {
    const double shift = m.positive_semidefinite() ? 0 : std::max(0.0, (1 - b.theta[k - 1]) / 2);
    const ConstBlock x(b.s, 0, k);
    Matrix h(x.rows, k);
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < k; ++j) h.at(i, j) = x.row(i)[j] * (b.theta[j] + shift) + b.residual.at(i, j);
    });
    if (!polish(q, h)) copy(x, h);
    return h;
}

double root_mean_square(std::span<const double> values, std::size_t k) {
    return std::sqrt(xt::sum(xt::square(array(values.first(k))))() / static_cast<double>(k));
}

// Returns k - Tr(XᵀMX) of the first k columns.
double cost_of(const KrylovBasis& b, std::size_t k) {
    return static_cast<double>(k) - xt::sum(array(std::span(b.theta).first(k)))();
}

// Says whether neither the residual nor the cost falls any more. Products in float32 leave a residual that no iteration
// lowers; one that stands still while the cost falls means that the solver is turning to directions it had missed.
bool nothing_is_gained(std::span<const double> residuals, std::span<const double> costs) {
    constexpr double least_gain = 1e-9;
    return stands_still(residuals) && costs[costs.size() - 1 - residuals_looked_at] - costs.back() < least_gain;
}

bool is_told_to_end(const KrylovBasis& b, const NormalisedAffinity& m, const Matrix& q, std::size_t k,
                    const SolverLimits& limits, const Solution& solution) {
    const Matrix h = columns(b.s, 0, k);
    return limits.watch({solution.iterations, m.columns_applied(), &h, b.costs.back(), solution.residual,
                         [&] { return power_step(b, m, q, k); }});
}

}  // namespace

double scale_of(const KrylovBasis& b, std::size_t k) {
    return std::max(root_mean_square(b.theta, k), 1e-6);
}

void KrylovBasis::append(NormalisedAffinity& m, const Matrix& w) {
    m.apply(w, scratch_);
    copy(w, {s, used, w.cols});
    copy(scratch_, {ms, used, w.cols});
    used += w.cols;
}

void KrylovBasis::turn(const Matrix& c) {
    for (Matrix* basis : {&s, &ms}) {
        scratch_.reshape(basis->rows, c.cols);
        multiply({*basis, 0, c.rows}, c, scratch_);
        copy(scratch_, {*basis, 0, c.cols});
    }
    used = c.cols;
}

void KrylovBasis::find_residuals(const Matrix& q) {
    residual.reshape(s.rows, width);
    for_row_blocks(s.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < width; ++j) residual.at(i, j) = ms.at(i, j) - s.at(i, j) * theta[j];
    });
    project_out(q, residual);
    norms = column_squares(residual);
    array(norms) = xt::sqrt(array(norms));
}

bool has_ended(KrylovBasis& b, const NormalisedAffinity& m, const Matrix& q, std::size_t k, const SolverLimits& limits,
               Solution& solution) {
    solution.residual = root_mean_square(b.norms, k) / scale_of(b, k);
    b.residuals.push_back(solution.residual);
    b.costs.push_back(cost_of(b, k));
    solution.outcome = Outcome::iteration_limit;
    if (limits.watch && is_told_to_end(b, m, q, k, limits, solution)) return true;
    solution.outcome = Outcome::converged;
    if (solution.residual <= limits.tolerance) return true;
    solution.outcome = Outcome::iteration_limit;
    if (solution.iterations >= limits.iterations) return true;
    solution.outcome = Outcome::stalled;
    return nothing_is_gained(b.residuals, b.costs);
}

void finish(const KrylovBasis& b, const NormalisedAffinity& m, const Matrix& q, std::size_t k, Solution& solution) {
    const Matrix h = power_step(b, m, q, k);
    solution.within = gram(q, h);
    solution.h = beside(h, new_directions({q, h}, columns(b.s, k, b.width - k)));
    solution.lambda = Matrix(k, k);
    array(solution.lambda) = xt::diag(array(std::span(b.theta).first(k)));
}

Solution solve_krylov(NormalisedAffinity& m, const Matrix& q, std::size_t k, Matrix start, const SolverLimits& limits,
                      std::uint64_t seed) {
    const std::size_t width = std::min(k + guard, m.rows() - q.cols);
    if (start.rows == m.rows() && start.cols >= k) return solve_warm(m, q, k, width, std::move(start), limits, seed);
    return solve_cold(m, q, k, width, limits, seed);
}

}  // namespace fairstream::fair_spectral
