/// From a problem to the embedding, and back to a warm start.

#include <gtest/gtest.h>

#include <fairstream/graph_labels/detail/normalised_cut.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

#include "problems.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace fairstream::test;

Options options_of(Solver solver, double tolerance, int clusters = 4) {
    Options options;
    options.clusters = clusters;
    options.solver = solver;
    options.tolerance = tolerance;
    return options;
}

Embedding embedded(SpectralProblem& p, const Options& options, WarmStart start = {}, std::int64_t iterations = 5'000) {
    const Constraints constraints{p.f, p.q, p.f.cols};
    return embed(options, *p.m, constraints, std::move(start), {iterations, options.tolerance, {}}, 3);
}

Matrix h_of(const SpectralProblem& p, const Embedding& e, std::size_t k) {
    Matrix h = columns(e.t, 0, k);
    for (std::size_t i = 0; i < h.rows; ++i)
        for (std::size_t j = 0; j < k; ++j)
            if (p.m->inverse_roots()[i] > 0) h.at(i, j) /= p.m->inverse_roots()[i];
    return h;
}

// Its reported quality equals that computed from its rows.
void expect_quality(SpectralProblem& p, const Embedding& e, std::size_t k) {
    const Matrix h = h_of(p, e, k);
    // Krylov reports the cost of H before its last step, which lowers it by the square of the residual.
    EXPECT_GE(e.quality.cost, direct_cost(p, h) - 1e-9);
    EXPECT_LE(e.quality.cost, direct_cost(p, h) + 1e-9 + 10 * static_cast<double>(k) * std::pow(e.quality.residual, 2));
    EXPECT_NEAR(e.quality.cost, e.solve.objective, 0);
    EXPECT_NEAR(e.quality.fairness_residual, squared_norm(plain_gram(p.f, h)), 1e-15);
    EXPECT_LE(e.quality.fairness_residual, 1e-18);
    EXPECT_LE(e.quality.orthogonality, 1e-18);
    const Matrix lambda = plain_gram(h, plain_product(p.matrix, h));
    if (symmetric_spectrum(lambda).values.back() < 0.11) return;  // near the cutoff of the inverse
    EXPECT_LE(largest_difference(plain_product(lambda, e.inverse), identity(k)), 1e-9 + 100 * e.quality.residual);
}

TEST(Embedding, SaysWhatItsRowsSay) {
    for (const Solver solver : {Solver::krylov, Solver::admm})
        for (const std::uint32_t groups : {1, 2, 5}) {
            SpectralProblem problems[] = {radial_problem(80, groups), neighbour_problem(80, groups),
                                          block_problem(120, 4, groups)};
            for (SpectralProblem& p : problems) {
                const double before = p.m->columns_applied();
                const Embedding e = embedded(p, options_of(solver, 1e-6), {}, 60);
                EXPECT_EQ(e.quality.operator_applications, (p.m->columns_applied() - before) / 4);
                expect_quality(p, e, 4);
            }
        }
}

TEST(Embedding, TellsWhatPolishingTookAway) {
    SpectralProblem p = block_problem(120, 4, 5);
    const Embedding rough = embedded(p, options_of(Solver::admm, 1e-6), {}, 3);
    EXPECT_GT(rough.quality.fairness_residual_before_polish, 1e-6);
    EXPECT_LE(rough.quality.fairness_residual, 1e-18);
    const Embedding exact = embedded(p, options_of(Solver::krylov, 1e-6), {}, 3);
    EXPECT_LE(exact.quality.fairness_residual_before_polish, 1e-18) << "feasible all along";
}

TEST(Embedding, WarmStartIsCheapAndStable) {
    for (const Solver solver : {Solver::krylov, Solver::admm}) {
        SpectralProblem p = block_problem(200, 4, 5);
        const Embedding cold = embedded(p, options_of(solver, 1e-3));
        const Embedding warm = embedded(p, options_of(solver, 1e-3), {cold.t, cold.multipliers, cold.penalty});
        EXPECT_EQ(warm.solve.outcome, Outcome::converged);
        EXPECT_LE(largest_difference(columns(warm.t, 0, 4), columns(cold.t, 0, 4)), 1e-3);
        EXPECT_LT(warm.quality.operator_applications, 0.25 * cold.quality.operator_applications);
        expect_quality(p, warm, 4);
    }
}

// The problem is invariant to rotations of H, but its multipliers rotate with H. A rotated start must end rotated, and
// converge as fast.
TEST(Embedding, MultipliersTurnWithTheEmbedding) {
    SpectralProblem p = block_problem(200, 4, 5);
    const Options options = options_of(Solver::admm, 1e-6);
    const Embedding cold = embedded(p, options);
    Matrix turn = random_matrix(4, 4, 1), t, multipliers;
    ASSERT_TRUE(make_polar(turn));
    multiply(cold.t, turn, t);
    multiply(cold.multipliers, turn, multipliers);
    const Embedding straight = embedded(p, options, {cold.t, cold.multipliers, cold.penalty});
    const Embedding turned = embedded(p, options, {t, multipliers, cold.penalty});
    EXPECT_EQ(turned.solve.iterations, straight.solve.iterations);
    EXPECT_LE(largest_difference(turned.t, plain_product(straight.t, turn)), 1e-9);
    EXPECT_LE(largest_difference(turned.multipliers, plain_product(straight.multipliers, turn)),
              1e-6 * largest(turned.multipliers));
    // Starts nearly at the solution, but rotated against its multipliers; the next start is consistent again.
    const Embedding second = embedded(p, options, {turned.t, turned.multipliers, turned.penalty});
    EXPECT_LE(second.solve.iterations, turned.solve.iterations);
}

TEST(Embedding, KeepsGuardColumns) {
    SpectralProblem p = neighbour_problem(150, 2);
    const Embedding cold = embedded(p, options_of(Solver::krylov, 1e-8));
    EXPECT_EQ(cold.t.cols, 9U);
    const Embedding warm = embedded(p, options_of(Solver::krylov, 1e-8), {cold.t, {}, 0});
    EXPECT_LE(warm.solve.iterations, 2);
    const Embedding bare = embedded(p, options_of(Solver::krylov, 1e-8), {columns(cold.t, 0, 4), {}, 0});
    EXPECT_GE(bare.solve.iterations, warm.solve.iterations);
}

TEST(NormalisedCut, MatchesDefinition) {
    const generate::PlantedGraph planted = generate::block_model_graph({.nodes = 90, .clusters = 3, .groups = 2}, 1);
    const GraphAffinity affinity(planted.graph);
    Random random(4);
    std::vector<ClusterId> labels(90);
    for (const std::size_t k : {1, 4, 7}) {  // one cluster more than are used
        for (ClusterId& label : labels) label = static_cast<ClusterId>(random.below(static_cast<std::uint32_t>(k)));
        std::vector<double> cut(k + 1), volume(k + 1);
        for (const Edge& edge : planted.graph.edges) {
            const auto a = static_cast<std::size_t>(labels[edge.u]), b = static_cast<std::size_t>(labels[edge.v]);
            volume[a] += double{edge.weight}, volume[b] += double{edge.weight};
            if (a != b) cut[a] += double{edge.weight}, cut[b] += double{edge.weight};
        }
        double sum = 0;
        for (std::size_t l = 0; l < k; ++l) sum += volume[l] > 0 ? cut[l] / volume[l] : 0;
        EXPECT_NEAR(normalised_cut(affinity, labels, k + 1), sum, 1e-12);
    }
}

}  // namespace
}  // namespace fairstream::fair_spectral
