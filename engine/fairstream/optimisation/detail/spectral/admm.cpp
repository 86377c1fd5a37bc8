#include <algorithm>
#include <cmath>

#include <fairstream/numeric/detail/arrays.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/convergence.hpp>
#include <fairstream/numeric/detail/eigen/krylov_basis.hpp>
#include <fairstream/optimisation/detail/spectral/admm_dual.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream {
namespace {

// Largest alpha: phi is convex only below 1 (Proposition 3.2), and doubling must stay below.
constexpr double most_penalty = 0.9;

struct Iteration {
    const Matrix& q;
    double alpha;
    Matrix c;      // P = Q C
    Matrix h, mh;  // mh = (M + shift) H
    Matrix y, v;
    double primal = 0, dual = 0;  // ||R||, ||S||
};

// Returns alpha Y - P.
Matrix dual_centre(const Iteration& it) {
    Matrix b;
    multiply(it.q, it.c, b);
    xt::noalias(array(b)) = it.alpha * array(it.y) - array(b);
    return b;
}

// H = polar(M V), with V the dual solution or one step towards it.
void update_h(Iteration& it, const AdmmOptions& options, const Operator& m) {
    const Matrix b = dual_centre(it);
    if (options.lbfgs) {
        minimise_dual(m, b, it.alpha, it.v);
    } else {
        it.v.reshape(b.rows, b.cols);
        xt::noalias(array(it.v)) = (1 - it.alpha) * array(it.mh) + array(b);
    }
    m(it.v, it.h);
    make_polar(it.h);
    m(it.h, it.mh);
}

// Y = (I - QQᵀ) MH, because P is in the range of Q; then P += alpha (MH - Y), that is C += alpha QᵀMH.
void update_y_and_p(Iteration& it) {
    Matrix y = it.mh;
    const Matrix within = project_out(it.q, y);
    it.primal = std::sqrt(squared_norm(within));
    it.dual = it.alpha * std::sqrt(xt::sum(xt::square(array(it.y) - array(y)))());
    it.y = std::move(y);
    array(it.c) += it.alpha * array(within);
}

void adapt(Iteration& it) {
    if (it.primal > 10 * it.dual)
        it.alpha = std::min(2 * it.alpha, most_penalty);
    else if (it.dual > 10 * it.primal)
        it.alpha /= 2;
}

// Makes the start orthonormal and feasible without rotating it, because C refers to its columns.
Matrix first_h(const Matrix& q, Matrix start, std::size_t n, std::size_t k, std::uint64_t seed) {
    Matrix h = start;
    if (h.rows == n && h.cols == k && polish(q, h)) return h;
    return orthonormal_start(q, std::move(start), n, k, seed);
}

bool is_ended_by_watch(const Iteration& it, const AdmmOptions& options, const NormalisedAffinity& m,
                       const SpectralLimits& limits, const SpectralSolution& solution) {
    const double trace = xt::sum(array(it.h) * array(it.mh))();
    const double cost = static_cast<double>(it.h.cols) * (1 + options.shift) - trace;
    return limits.watch({solution.iterations, m.columns_applied(), &it.h, cost, solution.residual, [&] {
                             Matrix h = it.h;
                             polish(it.q, h);
                             return h;
                         }});
}

}  // namespace

SpectralSolution solve_admm(NormalisedAffinity& m, const Matrix& q, std::size_t k, Matrix start,
                            const AdmmOptions& options, AdmmState& state, const SpectralLimits& limits,
                            std::uint64_t seed) {
    const Operator shifted = [&](const Matrix& x, Matrix& out) {
        m.apply(x, out);
        if (options.shift != 0) array(out) += options.shift * array(x);
    };
    const double root = std::sqrt(static_cast<double>(k));
    Iteration it{q, state.penalty > 0 ? state.penalty : options.penalty, state.c, {}, {}, {}, {}, 0, 0};
    if (it.c.rows != q.cols || it.c.cols != k) it.c = Matrix(q.cols, k);
    it.h = first_h(q, std::move(start), m.rows(), k, seed);
    it.v = orthonormal_start(Matrix(m.rows(), 0), {}, m.rows(), k, seed + 1);
    shifted(it.h, it.mh);
    it.y = it.mh;
    project_out(q, it.y);

    SpectralSolution solution;
    std::vector<double> history;
    for (solution.iterations = 1;; ++solution.iterations) {
        update_h(it, options, shifted);
        update_y_and_p(it);
        solution.residual = std::max(it.primal, it.dual / it.alpha) / root;
        history.push_back(solution.residual);
        if (limits.watch && is_ended_by_watch(it, options, m, limits, solution)) break;
        solution.outcome = Outcome::converged;
        if (solution.residual <= limits.tolerance) break;
        solution.outcome = Outcome::stalled;
        if (has_stagnated(history)) break;
        solution.outcome = Outcome::iteration_limit;
        if (solution.iterations >= limits.iterations) break;
        if (options.adapt) adapt(it);
    }
    state = {std::move(it.c), it.alpha};
    solution.within = gram(q, it.h);
    if (!polish(q, it.h)) it.h = orthonormal_start(q, std::move(it.h), m.rows(), k, seed);
    Matrix product;
    m.apply(it.h, product);
    solution.lambda = gram(it.h, product);
    solution.h = std::move(it.h);
    return solution;
}

}  // namespace fairstream
