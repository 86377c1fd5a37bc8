/// The exact solver: feasible, optimal, and with a true report of its end.

#include <gtest/gtest.h>

#include <fairstream/numeric/detail/affinity/connected_parts.hpp>

#include "problems.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace fairstream::test;

constexpr double tight = 1e-10;

SpectralSolution solve(SpectralProblem& p, std::size_t k, const SpectralLimits& limits = {5'000, tight, {}},
                       Matrix start = {}) {
    return solve_krylov(*p.m, p.q, k, std::move(start), limits, 3);
}

void expect_feasible(const SpectralProblem& p, const SpectralSolution& s, std::size_t k) {
    ASSERT_GE(s.h.cols, k) << p.name;
    EXPECT_LE(orthonormality_error(s.h), 1e-10) << p.name << " k " << k;
    EXPECT_LE(largest(plain_gram(p.q, s.h)), 1e-10) << p.name << " k " << k;
    EXPECT_LE(largest(plain_gram(p.f, s.h)), 1e-10 * std::max(1.0, largest(p.f))) << p.name << " k " << k;
    // Lambda is that of H before the last step, which changed it by at most the residual.
    const Matrix h = columns(s.h, 0, k), lambda = plain_gram(h, plain_product(p.matrix, h));
    EXPECT_LE(largest_difference(s.lambda, lambda), 4 * static_cast<double>(k) * s.residual + 1e-10)
        << p.name << " k " << k;
}

// The cost differs by the square of the residual over the gap, and is not below the least cost.
void expect_exact(const SpectralProblem& p, const SpectralSolution& s, std::size_t k) {
    expect_feasible(p, s, k);
    const double cost = direct_cost(p, columns(s.h, 0, k)), least = exact_solution(p, k).cost;
    EXPECT_GE(cost, least - 1e-10) << p.name << " k " << k;
    EXPECT_LE(cost, least + 1e-8) << p.name << " k " << k << " " << to_string(s.outcome) << " " << s.iterations;
}

std::vector<SpectralProblem> problems(std::uint32_t groups) {
    std::vector<SpectralProblem> all;
    for (const std::uint32_t n : {40, 150}) {
        all.push_back(radial_problem(n, groups));
        all.push_back(neighbour_problem(n, groups));
        all.push_back(block_problem(n, 4, groups));
    }
    return all;
}

TEST(Krylov, IsFeasibleAndAtTheExactCost) {
    for (const std::uint32_t groups : {1, 2, 5})
        for (SpectralProblem& p : problems(groups))
            for (const std::size_t k : {1, 2, 5, 12}) {
                const SpectralSolution s = solve(p, k);
                EXPECT_EQ(s.outcome, Outcome::converged) << p.name << " k " << k << " residual " << s.residual;
                EXPECT_LE(s.residual, tight);
                expect_exact(p, s, k);
            }
}

TEST(Krylov, IsExactOnALargerProblem) {
    SpectralProblem p = block_problem(400, 8, 5);
    expect_exact(p, solve(p, 8), 8);
}

// No choice of columns, or almost none.
TEST(Krylov, FillsAvailableColumns) {
    for (const std::uint32_t groups : {1, 2, 5})
        for (const std::size_t n : {6, 9, 13, 30}) {
            SpectralProblem p = radial_problem(n, groups);
            for (std::size_t k = p.room() > 8 ? p.room() - 8 : 1; k <= p.room(); ++k) expect_exact(p, solve(p, k), k);
        }
}

// Products in float32 stop the descent at their rounding; the result must still be feasible.
TEST(Krylov, StaysFeasibleWhenTheOperatorsRoundingEndsIt) {
    for (const std::size_t n : {7, 12, 40}) {
        auto affinity = new_point_affinity(point_affinities()[0], cloud_of(CloudKind::clusters, n, n));
        SpectralProblem p = problem_of("float", std::move(affinity), drawn_groups(n, 2, n), 2);
        for (std::size_t k = 1; k <= p.room(); k += 2) {
            const SpectralSolution s = solve(p, k, {200, 1e-12, {}});
            EXPECT_LE(orthonormality_error(s.h), 1e-10) << n << " k " << k;
            EXPECT_LE(largest(plain_gram(p.q, s.h)), 1e-10) << n << " k " << k;
            const double least = exact_solution(p, k).cost;
            EXPECT_NEAR(direct_cost(p, columns(s.h, 0, k)), least, 1e-5) << n << " k " << k << to_string(s.outcome);
        }
    }
}

TEST(Krylov, StallsAtOperatorRounding) {
    const Cloud cloud = cloud_of(CloudKind::clusters, 300, 1);
    SpectralProblem p =
        problem_of("float", new_point_affinity(point_affinities()[0], cloud), drawn_groups(300, 2, 1), 2);
    const SpectralSolution s = solve(p, 5, {10'000, 1e-12, {}});
    EXPECT_EQ(s.outcome, Outcome::stalled);
    EXPECT_LT(s.iterations, 100);
    EXPECT_LT(s.residual, 1e-6);
    EXPECT_NEAR(direct_cost(p, columns(s.h, 0, 5)), exact_solution(p, 5).cost, 1e-6);
}

TEST(Krylov, ATightToleranceLeavesItFeasible) {
    for (SpectralProblem& p : problems(2)) {
        const SpectralSolution s = solve(p, 4, {3'000, 1e-12, {}});
        expect_exact(p, s, 4);
    }
}

TEST(Krylov, WithoutConstraintsFindsTheLargestEigenvalues) {
    for (SpectralProblem& p : problems(1)) {
        ASSERT_EQ(p.q.cols, 0U) << "one group asks for nothing";
        const std::vector<double> values = eigenvalues(p.n(), p.matrix.values);
        EXPECT_NEAR(direct_cost(p, columns(solve(p, 3).h, 0, 3)), 3 - values[0] - values[1] - values[2], 1e-9);
    }
}

TEST(Krylov, FromTheSolutionEndsAtOnce) {
    for (SpectralProblem& p : problems(2)) {
        const SpectralSolution cold = solve(p, 4);
        const double before = p.m->columns_applied();
        const SpectralSolution warm = solve(p, 4, {5'000, 2 * tight, {}}, cold.h);
        EXPECT_EQ(warm.outcome, Outcome::converged);
        EXPECT_EQ(warm.iterations, 0);
        EXPECT_EQ(p.m->columns_applied() - before, static_cast<double>(warm.h.cols)) << "one look";
        // Starts from k columns only: the next ones must be found again, to low accuracy.
        const double again = p.m->columns_applied();
        expect_exact(p, solve(p, 4, {5'000, 2 * tight, {}}, columns(cold.h, 0, 4)), 4);
        EXPECT_LT(p.m->columns_applied() - again, before);
    }
}

// Each start contains no information, or none that is allowed.
TEST(Krylov, TakesAnyStart) {
    SpectralProblem p = neighbour_problem(60, 5);
    const std::size_t n = p.n();
    Matrix in_range(n, 6), twice(n, 6), tiny = random_matrix(n, 6, 2);
    multiply(p.q, random_matrix(p.q.cols, 6, 1), in_range);
    for (std::size_t i = 0; i < n; ++i) twice.at(i, 1) = twice.at(i, 2) = 1 + static_cast<double>(i % 3);
    for (double& value : tiny.values) value *= 1e-200;
    for (const Matrix& start : {p.f, p.q, in_range, twice, tiny, Matrix(n, 6), random_matrix(n, 50, 3),
                                random_matrix(n - 1, 6, 4), Matrix(n, 0)})
        expect_exact(p, solve(p, 4, {5'000, tight, {}}, start), 4);
}

TEST(Krylov, OrthogonalStartStillConverges) {
    SpectralProblem p = neighbour_problem(60, 2);
    const SpectralSolution cold = solve(p, 4);
    Matrix away = random_matrix(60, 9, 8);
    for (int pass = 0; pass < 2; ++pass) project_out(cold.h, away);
    expect_exact(p, solve(p, 4, {5'000, tight, {}}, away), 4);
}

TEST(Krylov, CostFallsAsReported) {
    for (SpectralProblem& p : problems(2)) {
        double last = 100;
        std::int64_t seen = 0;
        const double least = exact_solution(p, 3).cost;
        const SpectralWatch watch = [&](const SpectralIterate& it) {
            EXPECT_EQ(it.iteration, seen++);
            EXPECT_LE(it.cost, last + 1e-12);
            EXPECT_GE(it.cost, least - 1e-10);
            EXPECT_NEAR(it.cost, direct_cost(p, columns(*it.h, 0, 3)), 1e-10);
            EXPECT_LE(direct_cost(p, it.finished()), it.cost + 1e-12) << "the step for nothing makes it no worse";
            EXPECT_GE(direct_cost(p, it.finished()), least - 1e-10);
            EXPECT_EQ(it.columns_applied, p.m->columns_applied());
            last = it.cost;
            return false;
        };
        const SpectralSolution s = solve(p, 3, {5'000, tight, watch});
        EXPECT_EQ(seen, s.iterations + 1);
    }
}

TEST(Krylov, WarmIterationCostsOneProduct) {
    for (SpectralProblem& p : problems(5))
        for (const std::int64_t iterations : {1, 3}) {
            const double before = p.m->columns_applied();
            const SpectralSolution s = solve(p, 3, {iterations, tight, {}}, random_matrix(p.n(), 8, 4));
            EXPECT_EQ(p.m->columns_applied() - before, static_cast<double>(8 * (iterations + 1)));
            double cost = 3;
            for (std::size_t j = 0; j < 3; ++j) cost -= s.lambda.at(j, j);
            EXPECT_LT(direct_cost(p, columns(s.h, 0, 3)), cost);
        }
}

TEST(Krylov, EndsAtLimitOrRequest) {
    SpectralProblem p = neighbour_problem(150, 2);
    for (const std::int64_t limit : {1, 2, 7}) {
        const SpectralSolution s = solve(p, 3, {limit, 1e-12, {}});
        EXPECT_EQ(s.outcome, Outcome::iteration_limit);
        EXPECT_EQ(s.iterations, limit);
        EXPECT_GT(s.residual, 1e-12);
        expect_feasible(p, s, 3);
        const SpectralSolution watched =
            solve(p, 3, {100, 1e-12, [&](const SpectralIterate& it) { return it.iteration == limit; }});
        EXPECT_EQ(watched.outcome, Outcome::iteration_limit) << "its tolerance was not met";
        EXPECT_EQ(watched.h, s.h);
    }
}

TEST(Krylov, ItsResidualIsThatOfTheProjectedOperator) {
    SpectralProblem p = radial_problem(40, 5);
    Matrix h;
    const SpectralSolution s = solve(p, 3, {2, 1e-12, [&](const SpectralIterate& it) { return h = *it.h, false; }});
    Matrix r = plain_product(p.matrix, h);
    const Matrix theta = plain_gram(h, r), back = plain_product(h, theta);
    for (std::size_t i = 0; i < r.values.size(); ++i) r.values[i] -= back.values[i];
    project_out(p.q, r);
    double scale = 0;
    for (std::size_t j = 0; j < 3; ++j) scale += theta.at(j, j) * theta.at(j, j);
    EXPECT_NEAR(s.residual, std::sqrt(squared_norm(r) / scale), 1e-12);
}

// Separate parts make the largest eigenvalue multiple; isolated nodes make eigenvalues 0.
TEST(Krylov, TakesGraphsInPartsAndNodesAlone) {
    Graph graph{40, {}};
    for (std::uint32_t part = 0; part < 3; ++part)
        for (std::uint32_t u = 0; u < 10; ++u)
            for (std::uint32_t v = 0; v < u; ++v) graph.edges.push_back({10 * part + u, 10 * part + v, 1});
    const std::vector<GroupId> groups = drawn_groups(40, 2, 1);
    for (const bool linked : {false, true}) {
        LinkedRows links;
        if (linked) links = {{{0, 1}, {1, 2}, {0, 2}, {5, 39}}, {{11, 21}}};
        SpectralProblem p = problem_of("parts", std::make_unique<GraphAffinity>(graph), groups, 2, links);
        for (const std::size_t k : {1, 3, 8, 20}) expect_exact(p, solve(p, k), k);
    }
}

// Parts of 6 to 25 nodes, some in loops and some joined all to all, each joined to the next by a weight.
Graph parts_in_a_ring(std::uint32_t parts, float weight) {
    Graph graph;
    Random random(parts, 9);
    std::vector<std::uint32_t> firsts;
    for (std::uint32_t part = 0; part < parts; ++part) {
        const std::uint32_t first = graph.nodes, size = 6 + random.below(20);
        firsts.push_back(first);
        graph.nodes += size;
        for (std::uint32_t u = 0; u < size; ++u)
            for (std::uint32_t v = 0; v < u; ++v)
                if (part % 2 == 0 || u - v < 4 || u - v > size - 4) graph.edges.push_back({first + u, first + v, 1});
    }
    if (weight > 0)
        for (std::uint32_t part = 0; part < parts; ++part)
            graph.edges.push_back({firsts[part], firsts[(part + 1) % parts] + 1, weight});
    return graph;
}

// More equal, or nearly equal, eigenvalues than the solver's block is wide: one block finds each of them only once.
TEST(Krylov, FindsMultipleEigenvalues) {
    for (const std::uint32_t parts : {10, 24})
        for (const float weight : {0.0F, 1e-6F, 1e-3F, 0.1F, 0.5F}) {
            const Graph graph = parts_in_a_ring(parts, weight);
            const std::vector<GroupId> groups = drawn_groups(graph.nodes, 3, parts);
            SpectralProblem p = problem_of("ring", std::make_unique<GraphAffinity>(graph), groups, 3);
            const std::vector<double> exact = exact_solution(p, parts + 5).values;
            for (const std::size_t k : {parts / 2, parts - 2, parts, parts + 5}) {
                const SpectralSolution s = solve(p, k, {100, 1e-3, {}});
                expect_feasible(p, s, k);
                const double cost = direct_cost(p, columns(s.h, 0, k));
                const double least = std::accumulate(exact.begin(), exact.begin() + static_cast<std::ptrdiff_t>(k),
                                                     static_cast<double>(k), std::minus());
                EXPECT_LE(cost, least + 1e-3) << parts << " parts, weight " << weight << ", k " << k;
            }
        }
}

// Slowly mixing parts: their own eigenvalues lie near 1, too.
TEST(Krylov, FindsTheEigenvectorsOfPartsThatAreKnown) {
    Graph graph{400, {}};
    for (std::uint32_t u = 1; u < 400; ++u)
        if (u % 20 != 0) graph.edges.push_back({u - 1, u, 1});
    const std::vector<GroupId> groups = drawn_groups(400, 3, 1);
    SpectralProblem p = problem_of("paths", std::make_unique<GraphAffinity>(graph), groups, 3);
    const std::vector<ClusterId> parts = connected_parts(*p.affinity);
    p.m = std::make_unique<NormalisedAffinity>(*p.affinity, parts);
    for (const std::size_t k : {9, 12, 18, 22}) {
        const SpectralSolution s = solve(p, k, {100, 1e-3, {}});
        expect_feasible(p, s, k);
        EXPECT_LE(direct_cost(p, columns(s.h, 0, k)), exact_solution(p, k).cost + 1e-3) << k;
    }
}

TEST(SFsc, AgreesWithOFsc) {
    for (const std::uint32_t groups : {1, 5})
        for (SpectralProblem& p : problems(groups)) {
            const auto product = [&](const double* x, double* out) {
                Matrix column(p.n(), 1);
                std::copy_n(x, p.n(), column.values.begin());
                const Matrix image = plain_product(p.matrix, column);
                std::ranges::copy(image.values, out);
            };
            const Reference fast = s_fsc(p.n(), product, p.f.values, 4);
            EXPECT_TRUE(fast.converged);
            EXPECT_NEAR(fast.cost, exact_solution(p, 4).cost, 1e-8);
            EXPECT_GT(fast.products, 4U);
        }
}

}  // namespace
}  // namespace fairstream::fair_spectral
