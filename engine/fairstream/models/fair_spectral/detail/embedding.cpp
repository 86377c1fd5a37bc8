#include <fairstream/models/fair_spectral/detail/embedding.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <xtensor/xbuilder.hpp>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream::fair_spectral {
namespace {

// Directions with smaller eigenvalues carry noise instead of neighbourhood; new points get no component along them.
constexpr double least_eigenvalue = 0.1;

double trace(const Matrix& x) {
    return xt::sum(xt::diagonal(array(x)))();
}

// Convert multipliers of F to the basis Q, as the least C with Q C = F `multipliers`, and back, because the basis
// changes from step to step.
Matrix to_basis(const Constraints& c, const Matrix& multipliers, std::size_t k) {
    Matrix out;
    if (multipliers.rows != c.attribute_columns || multipliers.cols != k) return Matrix(c.q.cols, k);
    multiply(gram(c.q, columns(c.f, 0, c.attribute_columns)), multipliers, out);
    return out;
}
Matrix from_basis(const Constraints& c, const Matrix& in_basis) {
    const Matrix f = columns(c.f, 0, c.attribute_columns);
    const Matrix inverse = symmetric_function(gram(f, f), [](double value) { return value > 1e-12 ? 1 / value : 0.0; });
    Matrix along, out;
    multiply(gram(f, c.q), in_basis, along);
    multiply(inverse, along, out);
    return out;
}

// Rotates H to the H R nearest to `reference`. Lambda becomes Rᵀ Lambda R, and multipliers of the columns of H are also
// rotated.
void align(const Matrix& reference, Matrix& h, Matrix& lambda, Matrix* multipliers) {
    Matrix rotation = gram(h, reference), turned;
    if (!make_polar(rotation)) return;
    multiply(h, rotation, turned);
    std::swap(h, turned);
    multiply(lambda, rotation, turned);
    lambda = gram(rotation, turned);
    if (multipliers == nullptr) return;
    multiply(*multipliers, rotation, turned);
    std::swap(*multipliers, turned);
}

double orthogonality(const Matrix& h) {
    const Matrix square = gram(h, h);
    return xt::sum(xt::square(array(square) - xt::eye<double>(h.cols)))();
}

SpectralSolution solve(const Options& options, NormalisedAffinity& m, const Constraints& constraints, Matrix h,
                       AdmmState& state, const SpectralLimits& limits, std::uint64_t seed) {
    const auto k = static_cast<std::size_t>(options.clusters);
    if (options.solver == Solver::krylov) return solve_krylov(m, constraints.q, k, std::move(h), limits, seed);
    const AdmmOptions admm{options.penalty, options.penalty_rule == PenaltyRule::adapt, options.inner == Inner::lbfgs,
                           options.shift};
    if (h.cols > k) h = columns(h, 0, k);
    return solve_admm(m, constraints.q, k, std::move(h), admm, state, limits, seed);
}

}  // namespace

std::vector<AttributeColumn> attribute_columns(const Options& options, const StreamFormat& format) {
    std::vector<AttributeColumn> columns;
    if (format.attributes.empty()) return columns;
    for (const int attribute : options.targets.attribute) {
        const auto a = static_cast<std::size_t>(attribute);
        columns.push_back({a, format.attributes[a].known_groups()});
    }
    return columns;
}

std::size_t constraint_count(std::span<const AttributeColumn> attributes) {
    std::size_t count = 0;
    for (const AttributeColumn& attribute : attributes) count += attribute.groups - 1;
    return count;
}

Constraints make_constraints(std::span<const GroupId> table, std::size_t stride,
                             std::span<const AttributeColumn> attributes, const LinkedRows& links,
                             std::span<const double> inverse_roots, std::span<const double> weights) {
    Constraints constraints;
    constraints.attribute_columns = constraint_count(attributes);
    constraints.f = constraint_columns(table, stride, attributes, links, inverse_roots, weights);
    constraints.q = orthonormal_basis(constraints.f);
    return constraints;
}

Embedding embed(const Options& options, NormalisedAffinity& m, const Constraints& constraints, WarmStart start,
                const SpectralLimits& limits, std::uint64_t seed) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const double applied = m.columns_applied();
    const bool warm = start.t.cols >= k;
    Matrix h = std::move(start.t);
    if (warm) scale_rows(m.roots(), h);
    const Matrix reference = warm ? columns(h, 0, k) : Matrix();

    AdmmState state{to_basis(constraints, start.multipliers, k), warm ? start.penalty : 0};
    SpectralSolution solution = solve(options, m, constraints, std::move(h), state, limits, seed);
    Matrix first = columns(solution.h, 0, k);
    // Only admm changed C. After other solvers C still belongs to columns in the position of the reference.
    if (warm) align(reference, first, solution.lambda, options.solver == Solver::admm ? &state.c : nullptr);

    Embedding result;
    // No eigenvalue of M exceeds 1, so a cost below 0 is rounding.
    result.quality.cost = std::max(0.0, static_cast<double>(k) - trace(solution.lambda));
    result.quality.fairness_residual = squared_norm(gram(constraints.f, first));
    Matrix before;
    multiply(gram(constraints.f, constraints.q), solution.within, before);
    result.quality.fairness_residual_before_polish = squared_norm(before);
    result.quality.orthogonality = orthogonality(first);
    result.quality.residual = solution.residual;
    result.quality.operator_applications = (m.columns_applied() - applied) / static_cast<double>(k);
    // If no point has an affinity to another, any H is as good as another.
    const bool joined = std::ranges::any_of(m.inverse_roots(), [](double x) { return x > 0; });
    result.solve.outcome = joined ? solution.outcome : Outcome::stalled;
    result.solve.iterations = solution.iterations;
    result.solve.objective = result.quality.cost;
    result.inverse =
        symmetric_function(solution.lambda, [](double value) { return value > least_eigenvalue ? 1 / value : 0.0; });
    result.multipliers = from_basis(constraints, state.c);
    result.penalty = state.penalty;
    result.t = joined_columns(first, columns(solution.h, k, solution.h.cols - k));
    scale_rows(m.inverse_roots(), result.t);
    return result;
}

Ungrouped embed_ungrouped(const Options& options, NormalisedAffinity& m, const Constraints& constraints,
                          const Embedding& embedding, const WorkHandle& work) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t of_groups = constraints.attribute_columns;
    if (options.sweeps == 0 || work.stopped()) return {};
    if (of_groups == 0) return ungrouped_from_embedding(m, embedding.t, k, options.seed);
    const Matrix pairs = columns(constraints.f, of_groups, constraints.f.cols - of_groups);
    return ungrouped(m, orthonormal_basis(pairs), k,
                     solver_limits(options.iterations, options.tolerance, work,
                                   work_of_iteration(options, 0, static_cast<double>(embedding.t.rows))),
                     options.seed);
}

}  // namespace fairstream::fair_spectral
