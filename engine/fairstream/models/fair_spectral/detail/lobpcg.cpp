#include <xtensor/xview.hpp>

#include <fairstream/models/fair_spectral/detail/krylov_basis.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream::fair_spectral {
namespace {

// S is [X P W]:
//   P   where X came from in the last iteration
//   W   the residuals' directions that are new

// Appends W, the new directions in the residuals of columns that are not settled. Returns whether there are any.
bool expand(KrylovBasis& b, NormalisedAffinity& m, const Matrix& q, double settled) {
    std::vector<std::size_t> active;
    for (std::size_t j = 0; j < b.width; ++j)
        if (b.norms[j] > settled) active.push_back(j);
    const Matrix w = new_directions({q, b.all()}, columns(b.residual, active));
    if (w.cols > 0) b.append(m, w);
    return w.cols > 0;
}

// Takes the best X in [X P W] by Rayleigh-Ritz, and as P the part of the step there that is orthogonal to it.
void improve(KrylovBasis& b) {
    const Spectrum ritz = symmetric_spectrum(gram(b.all(), b.all_products()));
    const Matrix c = columns(ritz.vectors, 0, b.width);
    Matrix way = c;
    xt::view(array(way), xt::range(0, b.width), xt::all()) = 0;
    b.turn(beside(c, new_directions({c}, std::move(way))));
    b.theta.assign(ritz.values.begin(), ritz.values.begin() + static_cast<std::ptrdiff_t>(b.width));
}

}  // namespace

Solution solve_warm(NormalisedAffinity& m, const Matrix& q, std::size_t k, std::size_t width, Matrix start,
                    const SolverLimits& limits, std::uint64_t seed) {
    KrylovBasis b(m.rows(), width, 3 * width);
    b.append(m, orthonormal_start(q, std::move(start), m.rows(), width, seed));
    const Spectrum ritz = symmetric_spectrum(gram(b.all(), b.all_products()));
    b.turn(ritz.vectors);
    b.theta = ritz.values;
    Solution solution;
    for (;; ++solution.iterations) {
        b.find_residuals(q);
        if (has_ended(b, m, q, k, limits, solution)) break;
        solution.outcome = Outcome::stalled;  // no new direction: X is invariant up to the operator's rounding
        if (!expand(b, m, q, 0.5 * limits.tolerance * scale_of(b, k))) break;
        improve(b);
    }
    finish(b, m, q, k, solution);
    return solution;
}

}  // namespace fairstream::fair_spectral
