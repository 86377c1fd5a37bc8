/// LoRD and B-LoRD by projected gradients: the objective, that it never rises, and conditions at the end.

#include <gtest/gtest.h>

#include <set>

#include <fairstream/numeric/detail/blocks.hpp>

#include "graphs.hpp"
#include "support/marginal_set.hpp"
#include "support/threads.hpp"

namespace fairstream::lord {
namespace {

using namespace fairstream::test;

// Sums of columns are off by up to 1e-9 after a projection, and an objective by the same part of its terms.
constexpr double rounding = 1e-8;

std::vector<std::uint32_t> three_blocks(std::size_t n) {
    std::vector<std::uint32_t> blocks(n);
    for (std::size_t i = 0; i < n; ++i) blocks[i] = static_cast<std::uint32_t>(i % 7 % 3);
    return blocks;
}

// ||S - V Vᵀ||^2, or -(Tr(Vᵀ S V) + gamma ||V||^2).
double written_out_objective(const Matrix& s, const Matrix& v, Method method, double gamma) {
    const std::size_t n = v.rows;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double product = 0;
            for (std::size_t c = 0; c < v.cols; ++c) product += v.at(i, c) * v.at(j, c);
            if (method == Method::lord)
                sum += std::pow(s.at(i, j) - product, 2);
            else
                sum -= s.at(i, j) * product + (i == j ? gamma * product : 0);
        }
    return sum;
}

TEST(Objective, MatchesPaper) {
    for (const CloudKind kind : {CloudKind::clusters, CloudKind::few_places})
        for (const Method method : {Method::lord, Method::b_lord}) {
            const CloudGraph graph(cloud_of(kind, 80, 2));
            const Task task(graph.affinity(), {}, unequal_roots(4), method);
            const Matrix s = written_out(graph.affinity());
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                const Matrix v = random_start(task.marginals, seed, 1);
                const double exact = written_out_objective(s, v, method, task.problem.gamma);
                EXPECT_NEAR(task.objective(v), exact, 1e-6 * std::abs(exact));
            }
        }
}

TEST(Objective, WithWeightsIsThatOfRepeatedPoints) {
    for (const Method method : {Method::lord, Method::b_lord})
        for (const CloudKind kind : {CloudKind::clusters, CloudKind::few_places}) {
            const WeightedCloud pair(cloud_of(kind, 70, 3), 3);
            const CloudGraph one(pair.points, pair.weights), many(pair.repeated);
            const Task weighted(one.affinity(), one.weights, equal_roots(4), method);
            const Task repeated(many.affinity(), {}, equal_roots(4), method);
            EXPECT_NEAR(weighted.problem.gamma, repeated.problem.gamma, 1e-6 * repeated.problem.spread.width());
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                const Matrix v = random_start(weighted.marginals, seed, 1);
                const double exact = repeated.objective(pair.repeat(v));
                EXPECT_NEAR(weighted.objective(v), exact, 1e-5 * std::abs(exact));
            }
        }
}

struct Case {
    Method method;
    double tau;
    bool weighs, has_blocks;
};
std::vector<Case> cases() {
    std::vector<Case> all;
    for (const bool weighs : {false, true})
        for (const bool has_blocks : {false, true}) {
            all.push_back({Method::lord, 0, weighs, has_blocks});
            for (const double tau : {0.0, 0.05, 0.3, 1.0}) all.push_back({Method::b_lord, tau, weighs, has_blocks});
        }
    return all;
}

struct Solved {
    CloudGraph graph;
    std::vector<std::uint32_t> blocks;
    Task task;

    Solved(const Case& c, const Cloud& cloud, std::vector<double> mu)
        : graph(cloud, c.weighs ? WeightedCloud(cloud, 1).weights : std::vector<double>{}),
          blocks(c.has_blocks ? three_blocks(cloud.size()) : std::vector<std::uint32_t>{}),
          task(graph.affinity(), graph.weights, std::move(mu), c.method, c.tau, blocks) {}
};

TEST(Ascent, NeverRaisesTheObjective) {
    for (const CloudKind kind : {CloudKind::clusters, CloudKind::far_clusters, CloudKind::few_places})
        for (const Case& c : cases()) {
            const Solved s(c, cloud_of(kind, 150, 4), unequal_roots(4));
            double before = std::numeric_limits<double>::infinity(), first = 0;
            std::int64_t told = 0;
            const Matrix start = random_start(s.task.marginals, 7, 1);
            first = s.task.objective(start);
            const double scale = std::abs(first) + s.task.problem.spread.norm() * 4 / s.task.marginals.mass();
            const Ascent found = ascend(s.task.problem, start, {500, 1e-7}, [&](double objective) {
                EXPECT_LE(objective, before + rounding * scale) << told;
                before = objective, ++told;
            });
            EXPECT_LE(told, found.iterations);
            EXPECT_EQ(found.objective, before);
            EXPECT_LE(found.objective, first + rounding * scale);
            EXPECT_NEAR(s.task.objective(found.v), found.objective, rounding * scale);
        }
}

TEST(Ascent, StaysInTheSet) {
    for (const Case& c : cases()) {
        const Cloud cloud = cloud_of(CloudKind::clusters, 150, 5);
        const Solved s(c, cloud, unequal_roots(4));
        MarginalSet set(unequal_roots(4), 150);
        if (c.weighs) set.weights = s.graph.weights;
        if (c.has_blocks) set.blocks = s.blocks;
        const Matrix start = random_start(s.task.marginals, 3, 1);
        EXPECT_LE(set.violation(start), 1e-8);
        for (const std::int64_t most : {0, 1, 5, 200})
            EXPECT_LE(set.violation(ascend(s.task.problem, start, {most, 1e-6}).v), 1e-8) << most;
        // Also from a matrix outside the set.
        EXPECT_LE(set.violation(ascend(s.task.problem, random_matrix(150, 4, 1), {3, 1e-6}).v), 1e-8);
    }
}

// The gradient's step by the problem's own definition: V - G / L of (17) and (20), with S written out.
Matrix step_from(const Task& task, const Matrix& s, const Matrix& v) {
    const double n = static_cast<double>(v.rows);
    const Matrix rise = plain_product(s, v), along = plain_product(v, plain_gram(v, v));
    Matrix u = v;
    for (std::size_t e = 0; e < u.values.size(); ++e)
        if (task.problem.method == Method::lord)
            u.values[e] += (rise.values[e] - along.values[e]) / (3 / n + task.problem.spread.norm());
        else
            u.values[e] += (rise.values[e] + task.problem.gamma * v.values[e]) /
                           std::max(task.problem.spread.largest + task.problem.gamma,
                                    -(task.problem.spread.smallest + task.problem.gamma));
    return u;
}

// When ||V' - V|| / ||V|| falls below the tolerance, V' is a step from a nearby point: its own step is not much longer.
TEST(Ascent, EndsWhereAStepLeadsBack) {
    for (const CloudKind kind : {CloudKind::clusters, CloudKind::few_places, CloudKind::line})
        for (const Case& c : cases()) {
            if (c.weighs) continue;
            const Solved s(c, cloud_of(kind, 120, 6), equal_roots(3));
            const Matrix dense = written_out(s.graph.affinity());
            const AscentLimits limits{20'000, 1e-6};
            const Ascent found = ascend(s.task.problem, random_start(s.task.marginals, 2, 1), limits);
            EXPECT_TRUE(found.converged);
            const Matrix next = s.task.projected(step_from(s.task, dense, found.v));
            EXPECT_LE(s.task.movement(found.v, next), 10 * limits.tolerance)
                << "tau " << c.tau << (c.method == Method::lord ? " of lord" : "");
        }
}

// With tau = 0 the objective is convex.
TEST(Ascent, ConvexProblemHasOneObjective) {
    for (const CloudKind kind : {CloudKind::clusters, CloudKind::few_places})
        for (const bool weighs : {false, true})
            for (const bool has_blocks : {false, true}) {
                const Solved s({Method::b_lord, 0, weighs, has_blocks}, cloud_of(kind, 100, 8), unequal_roots(3));
                std::vector<double> ends;
                for (std::uint64_t seed = 1; seed <= 5; ++seed)
                    ends.push_back(
                        ascend(s.task.problem, random_start(s.task.marginals, seed, 1), {20'000, 1e-8}).objective);
                const double scale = s.task.problem.spread.largest * 3 / s.task.marginals.mass();
                EXPECT_LE(std::ranges::max(ends) - std::ranges::min(ends), 1e-6 * scale);
            }
}

// k cliques of m points: S = V Vᵀ for the V of these clusters, which LoRD must find if each point is also similar to
// itself. Otherwise S lacks its diagonal, 1 of the m entries of a row.
TEST(Lord, FindsCliquesExactly) {
    for (const bool own : {true, false})
        for (const std::size_t k : {2U, 4U, 7U}) {
            const std::size_t m = 12, n = k * m;
            Matrix affinities(n, n);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) affinities.at(i, j) = i % k == j % k && (own || i != j) ? 1 : 0;
            const GivenAffinity cliques(affinities);
            const Task task(cliques, {}, equal_roots(k), Method::lord);
            Ascent best;
            for (std::uint64_t stream = 1; stream <= 10; ++stream) {
                Ascent found = ascend(task.problem, random_start(task.marginals, 1, stream), {4'000, 1e-7});
                if (stream == 1 || found.objective < best.objective) best = std::move(found);
            }
            std::set<std::size_t> clusters;
            for (std::size_t i = 0; i < n; ++i) {
                const auto most = [&](std::size_t row) {
                    return std::max_element(best.v.row(row), best.v.row(row) + k) - best.v.row(row);
                };
                EXPECT_EQ(most(i), most(i % k));
                clusters.insert(static_cast<std::size_t>(most(i)));
                // W V_ij mu_j = 1 for its own cluster.
                EXPECT_NEAR(
                    best.v.at(i, static_cast<std::size_t>(most(i))) * static_cast<double>(n) * task.marginals.mu()[0],
                    1, 1e-5);
            }
            EXPECT_EQ(clusters.size(), k);
            // ||S - V Vᵀ||^2: of the n entries of the diagonal 1 / (m n) is missing, and the others are 1 / (n (m -
            // 1)).
            const double count = static_cast<double>(n), size = static_cast<double>(m);
            const double missed =
                own ? 0
                    : count * std::pow(1 / (size * count), 2) +
                          count * (size - 1) * std::pow(1 / (count * (size - 1)) - 1 / (size * count), 2);
            EXPECT_NEAR(best.objective, missed, 1e-9);
        }
}

// The sharper the memberships that tau asks for, the closer ||V||^2 is to its value for points with one cluster each.
TEST(BLord, IsTheSharperTheLargerTauIs) {
    double before = 0;
    for (const double tau : {0.0, 0.1, 0.3, 1.0}) {
        const Solved s({Method::b_lord, tau, false, false}, cloud_of(CloudKind::clusters, 150, 4), equal_roots(3));
        const Ascent found = ascend(s.task.problem, random_start(s.task.marginals, 1, 1), {4'000, 1e-6});
        const double sharpness = squared_norm(found.v) * 150 / 3;
        EXPECT_GE(sharpness, before - 1e-6);
        before = sharpness;
    }
    EXPECT_GE(before, 0.99);
}

TEST(Ascent, WithWeightsEndsWhereRepeatedPointsDo) {
    for (const Method method : {Method::lord, Method::b_lord}) {
        const WeightedCloud pair(cloud_of(CloudKind::clusters, 90, 9), 9);
        const CloudGraph one(pair.points, pair.weights), many(pair.repeated);
        const Task weighted(one.affinity(), one.weights, equal_roots(3), method, 0.2);
        const Task repeated(many.affinity(), {}, equal_roots(3), method, 0.2);
        const Matrix start = random_start(weighted.marginals, 1, 1);
        const Ascent a = ascend(weighted.problem, start, {5'000, 1e-7});
        const Ascent b = ascend(repeated.problem, pair.repeat(start), {5'000, 1e-7});
        EXPECT_LE(repeated.movement(pair.repeat(a.v), b.v), 1e-3);
    }
}

TEST(Ascent, TakesAGraphWithoutAnEdge) {
    const GivenAffinity none(Matrix(6, 6));
    for (const Method method : {Method::lord, Method::b_lord}) {
        const Task task(none, {}, equal_roots(2), method);
        const Ascent found = ascend(task.problem, random_start(task.marginals, 1, 1), {100, 1e-6});
        EXPECT_TRUE(std::isfinite(found.objective));
        for (const double value : found.v.values) EXPECT_TRUE(std::isfinite(value));
    }
}

TEST(Ascent, GivesTheSameBitsAtAnyThreadCount) {
    const Solved s({Method::b_lord, 0.3, true, true}, cloud_of(CloudKind::clusters, 1300, 4), unequal_roots(4));
    expect_same_at_any_thread_count([&] {
        const Ascent found = ascend(s.task.problem, random_start(s.task.marginals, 1, 1), {15, 1e-9});
        return std::tuple(found.v, found.objective, found.iterations, found.projection_rounds);
    });
}

TEST(RandomStart, DependsOnItsSeedAndItsStream) {
    const Marginals marginals(equal_roots(3), 20);
    EXPECT_EQ(random_start(marginals, 1, 2), random_start(marginals, 1, 2));
    EXPECT_FALSE(random_start(marginals, 1, 2) == random_start(marginals, 1, 3));
    EXPECT_FALSE(random_start(marginals, 1, 2) == random_start(marginals, 2, 2));
}

}  // namespace
}  // namespace fairstream::lord
