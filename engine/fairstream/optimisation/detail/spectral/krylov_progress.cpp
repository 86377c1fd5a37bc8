#include <fairstream/optimisation/detail/spectral/krylov_progress.hpp>

#include <algorithm>
#include <cmath>

#include <xtensor/xbuilder.hpp>

#include <fairstream/numeric/detail/arrays.hpp>
#include <fairstream/numeric/detail/convergence.hpp>

namespace fairstream {
namespace {

double root_mean_square(std::span<const double> values, std::size_t k) {
    return std::sqrt(xt::sum(xt::square(array(values.first(k))))() / static_cast<double>(k));
}

}  // namespace

// Returns the scale of residuals: the root mean square of the first k theta, at least 1e-6. Eigenvalues are near 1 on
// graphs with clusters, and far below if all points are joined to all.
double KrylovProgress::scale_of(const KrylovBasis& b) const {
    return std::max(root_mean_square(b.theta, k_), 1e-6);
}

double KrylovProgress::small_enough_residual(const KrylovBasis& b) const {
    return 0.5 * limits_.tolerance * scale_of(b);
}

// Takes a power step that needs no product: polar((I - QQᵀ)(M + shift) X) of the first k columns, as the polar factor
// of X (Theta + shift) + R. The shift is the least for which no eigenvalue from -1 to the smallest of Theta grows
// relative to the larger eigenvalues.
Matrix KrylovProgress::power_step(const KrylovBasis& b) const {
    const double shift = m_.positive_semidefinite() ? 0 : std::max(0.0, (1 - b.theta[k_ - 1]) / 2);
    const ConstBlock x(b.s, 0, k_);
    Matrix h(x.rows, k_);
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < k_; ++j) h.at(i, j) = x.row(i)[j] * (b.theta[j] + shift) + b.residual.at(i, j);
    });
    if (!polish(q_, h)) copy(x, h);
    return h;
}

bool KrylovProgress::is_ended_by_watch(const KrylovBasis& b, const SpectralSolution& solution) const {
    const Matrix h = columns(b.s, 0, k_);
    return limits_.watch(
        {solution.iterations, m_.columns_applied(), &h, cost(), solution.residual, [&] { return power_step(b); }});
}

// Returns whether neither the residual nor the cost still falls. Products in float32 leave a residual that no iteration
// lowers. A residual that stands still while the cost falls means that the solver turns to new directions.
bool KrylovProgress::is_stalled() const {
    constexpr double least_gain = 1e-9;
    return has_stagnated(residuals_) && costs_[costs_.size() - 1 - stagnation_span] - cost() < least_gain;
}

bool KrylovProgress::has_ended(const KrylovBasis& b, SpectralSolution& solution) {
    solution.residual = root_mean_square(b.norms, k_) / scale_of(b);
    residuals_.push_back(solution.residual);
    costs_.push_back(static_cast<double>(k_) - xt::sum(array(std::span(b.theta).first(k_)))());
    solution.outcome = Outcome::iteration_limit;
    if (limits_.watch && is_ended_by_watch(b, solution)) return true;
    solution.outcome = Outcome::converged;
    if (solution.residual <= limits_.tolerance) return true;
    solution.outcome = Outcome::iteration_limit;
    if (solution.iterations >= limits_.iterations) return true;
    solution.outcome = Outcome::stalled;
    return is_stalled();
}

void KrylovProgress::finish(const KrylovBasis& b, SpectralSolution& solution) const {
    const Matrix h = power_step(b);
    solution.within = gram(q_, h);
    solution.h = joined_columns(h, new_directions({q_, h}, columns(b.s, k_, b.width - k_)));
    solution.lambda = Matrix(k_, k_);
    array(solution.lambda) = xt::diag(array(std::span(b.theta).first(k_)));
}

}  // namespace fairstream
