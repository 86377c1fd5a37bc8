/// Eigenvalues at the ends of a spectrum, against decomposed matrices, and graphs with known eigenvalues.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include <fairstream/data/detail/graph_affinity.hpp>
#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/affinity/weighted.hpp>
#include <fairstream/numeric/detail/eigen/eigenvalue_search.hpp>
#include <fairstream/numeric/detail/eigen/extreme_eigenvalues.hpp>
#include <fairstream/numeric/detail/eigen/krylov_basis.hpp>
#include <fairstream/numeric/detail/eigen/smallest_eigenvalues.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

#include "support/affinities.hpp"
#include "support/matrices.hpp"
#include "support/threads.hpp"

namespace fairstream::test {
namespace {

// For eigenvalues of a matrix in double, in units of the largest magnitude.
constexpr double rounding = 1e-11;
constexpr double extreme_tolerance = 1e-4, sum_tolerance = 1e-3;

// A matrix in double as an operator.
class MatrixOperator final : public SymmetricOperator {
public:
    explicit MatrixOperator(Matrix entries, bool wide = false) : entries_(std::move(entries)), wide_(wide) {}
    [[nodiscard]] std::size_t rows() const noexcept override { return entries_.rows; }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return wide_; }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return false; }

private:
    void multiply(const Matrix& x, Matrix& out) override { fairstream::multiply(entries_, x, out); }

    Matrix entries_;
    bool wide_;
};

Matrix laplacian_of(const Affinity& affinity) {
    Matrix l = entries_of(affinity);
    for (double& entry : l.values) entry = -entry;
    for (std::size_t i = 0; i < l.rows; ++i) l.at(i, i) += affinity.degrees()[i];
    return l;
}

// Random edges, with some isolated nodes: `parts` blocks of nodes without edges between them, `edges` attempts for each
// node.
Graph random_graph(std::uint32_t nodes, double edges, std::uint32_t parts, std::uint64_t seed) {
    Random random(seed, 3);
    Matrix seen(nodes, nodes);
    Graph graph{nodes, {}};
    for (int trial = 0; trial < static_cast<int>(edges * nodes); ++trial) {
        const std::uint32_t u = random.below(nodes), v = random.below(nodes);
        if (u == v || u % parts != v % parts || seen.at(u, v) > 0) continue;
        seen.at(u, v) = seen.at(v, u) = 1;
        graph.edges.push_back({u, v, static_cast<float>(0.1 + random.unit())});
    }
    return graph;
}

// Weights of an affinity are in units of the largest, rounded down to a power of two.
Graph complete_graph(std::uint32_t nodes, float weight = 1) {
    Graph graph{nodes, {}};
    for (std::uint32_t u = 0; u < nodes; ++u)
        for (std::uint32_t v = 0; v < u; ++v) graph.edges.push_back({u, v, weight});
    return graph;
}

Graph complete_bipartite_graph(std::uint32_t left, std::uint32_t right) {
    Graph graph{left + right, {}};
    for (std::uint32_t u = 0; u < left; ++u)
        for (std::uint32_t v = 0; v < right; ++v) graph.edges.push_back({u, left + v, 1});
    return graph;
}

Graph path_graph(std::uint32_t nodes) {
    Graph graph{nodes, {}};
    for (std::uint32_t u = 1; u < nodes; ++u) graph.edges.push_back({u - 1, u, 1});
    return graph;
}

// `count` copies of a graph, with isolated nodes after them.
Graph copies(const Graph& graph, std::uint32_t count, std::uint32_t alone = 0) {
    Graph all{graph.nodes * count + alone, {}};
    for (std::uint32_t copy = 0; copy < count; ++copy)
        for (const Edge& edge : graph.edges)
            all.edges.push_back({edge.u + copy * graph.nodes, edge.v + copy * graph.nodes, edge.weight});
    return all;
}

ExtremeEigenvalues extremes_of(const Graph& graph, double tolerance = extreme_tolerance) {
    const GraphAffinity affinity(graph);
    AffinityOperator a(affinity);
    return extreme_eigenvalues(a, tolerance, 5);
}

std::vector<double> smallest_of(const Graph& graph, std::size_t count, double tolerance = sum_tolerance) {
    const GraphAffinity affinity(graph);
    LaplacianOperator l(affinity);
    return smallest_eigenvalues(l, count, tolerance, 5).values;
}

void expect_extremes(const ExtremeEigenvalues& found, double smallest, double largest, double tolerance,
                     const std::string& what) {
    const double width = largest - smallest, slack = rounding * std::max({1e-3, std::abs(smallest), std::abs(largest)});
    EXPECT_LE(found.error, tolerance * width + slack) << what;
    EXPECT_GE(found.smallest, smallest - slack) << what;
    EXPECT_LE(found.smallest, smallest + found.error + slack) << what;
    EXPECT_LE(found.largest, largest + slack) << what;
    EXPECT_GE(found.largest, largest - found.error - slack) << what;
}

// `exact`: the eigenvalues of the Laplacian, largest first.
void expect_smallest(const Affinity& affinity, std::span<const double> exact, std::size_t count, double tolerance,
                     const std::string& what) {
    LaplacianOperator l(affinity);
    const SmallestEigenvalues found = smallest_eigenvalues(l, count, tolerance, 5);
    ASSERT_EQ(found.values.size(), count) << what;
    EXPECT_TRUE(std::ranges::is_sorted(found.values)) << what;
    const double slack = rounding * exact.front();
    double sum = 0, exact_sum = 0;
    for (std::size_t j = 0; j < count; ++j) {
        const double value = exact[exact.size() - 1 - j];
        EXPECT_GE(found.values[j], value - slack) << what << " value " << j;
        sum += found.values[j], exact_sum += std::max(0.0, value);
    }
    const double slack_of_sum = static_cast<double>(count) * slack;
    EXPECT_LE(sum, exact_sum + found.error + slack_of_sum) << what;
    EXPECT_LE(found.error, tolerance * sum + slack_of_sum) << what;
    const std::size_t zeros = std::min(count, count_parts(l.parts()));
    EXPECT_EQ(std::ranges::count(found.values, 0.0), static_cast<std::ptrdiff_t>(zeros)) << what;
}

std::vector<double> spectrum_of_laplacian(const Affinity& affinity) {
    return symmetric_spectrum(laplacian_of(affinity)).values;
}

TEST(AffinityOperators, ApplyAffinityAndLaplacian) {
    const GraphAffinity affinity(random_graph(60, 3, 1, 1));
    const Matrix x = random_matrix(60, 7, 2);
    AffinityOperator a(affinity);
    LaplacianOperator l(affinity);
    Matrix ax, lx;
    a.apply(x, ax);
    l.apply(x, lx);
    l.apply(x, lx);
    EXPECT_LE(largest_difference(ax, plain_product(entries_of(affinity), x)), 1e-12);
    EXPECT_LE(largest_difference(lx, plain_product(laplacian_of(affinity), x)), 1e-12);
    EXPECT_EQ(a.columns_applied(), 7);
    EXPECT_EQ(l.columns_applied(), 14);
    EXPECT_EQ(std::vector<ClusterId>(l.parts().begin(), l.parts().end()), connected_parts(affinity));
}

// The basis of a subspace iteration, which is close to none, some or all of the eigenvectors.
TEST(ErrorOfSum, BoundsErrorOfRitzValues) {
    const std::size_t n = 80, width = 12;
    Matrix matrix = random_matrix(n, n, 1);
    matrix = plain_gram(matrix, matrix);
    const Spectrum exact = symmetric_spectrum(matrix);
    MatrixOperator a(matrix);
    Matrix x = random_matrix(n, width, 2);
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < 60; ++iteration) {
        x = plain_product(matrix, orthonormal_basis(x));
        KrylovBasis b(n, width, width);
        b.append(a, orthonormal_basis(x));
        const Spectrum ritz = symmetric_spectrum(gram(b.all(), b.all_products()));
        b.multiply_by(ritz.vectors);
        b.theta = ritz.values;
        b.find_residuals(Matrix(n, 0));
        // Earlier, the basis does not show what lies outside it.
        if (iteration < 3) continue;
        for (const std::size_t k : {1, 3, 12}) {
            double error = 0;
            for (std::size_t j = 0; j < k; ++j) error += exact.values[j] - b.theta[j];
            EXPECT_GE(error, -1e-10 * exact.values[0]);
            EXPECT_LE(error, error_of_sum(b.theta, b.norms, k) + 1e-10 * exact.values[0]) << iteration << " k " << k;
        }
        const double bound = error_of_sum(b.theta, b.norms, 1);
        if (iteration % 20 == 19) {
            EXPECT_LT(bound, last);
            last = bound;
        }
    }
}

TEST(ExtremeEigenvalues, AreThoseOfTheDecomposedMatrix) {
    for (const std::uint32_t n : {2, 30, 400, 401, 600})
        for (const std::uint32_t parts : {1, 4}) {
            const GraphAffinity affinity(random_graph(n, 4, parts, n + parts));
            const std::vector<double> exact = symmetric_spectrum(entries_of(affinity)).values;
            for (const double tolerance : {1e-2, extreme_tolerance, 1e-8}) {
                AffinityOperator a(affinity);
                expect_extremes(extreme_eigenvalues(a, tolerance, 3), exact.back(), exact.front(), tolerance,
                                std::to_string(n) + " nodes");
            }
        }
}

TEST(ExtremeEigenvalues, HandleNarrowAndWideBlocks) {
    Matrix matrix = random_matrix(500, 500, 4);
    for (std::size_t i = 0; i < 500; ++i)
        for (std::size_t j = 0; j < i; ++j) matrix.at(i, j) = matrix.at(j, i);
    const std::vector<double> exact = symmetric_spectrum(matrix).values;
    for (const bool wide : {false, true}) {
        MatrixOperator a(matrix, wide);
        expect_extremes(extreme_eigenvalues(a, extreme_tolerance, 3), exact.back(), exact.front(), extreme_tolerance,
                        wide ? "wide" : "narrow");
    }
}

// The smaller ones are decomposed, the larger ones are not.
TEST(ExtremeEigenvalues, AreKnownForSomeGraphs) {
    for (const std::uint32_t n : {1, 2, 3, 17, 500}) {
        const auto size = static_cast<double>(n);
        const std::string what = std::to_string(n) + " nodes";
        expect_extremes(extremes_of({n, {}}), 0, 0, extreme_tolerance, "nothing joined, " + what);
        expect_extremes(extremes_of(complete_graph(n)), n == 1 ? 0 : -1, size - 1, extreme_tolerance, what);
        const double root = std::sqrt(3 * size);
        expect_extremes(extremes_of(complete_bipartite_graph(3, n)), -root, root, extreme_tolerance, what);
        const double cosine = 2 * std::cos(std::numbers::pi / (size + 1));
        expect_extremes(extremes_of(path_graph(n)), -cosine, cosine, extreme_tolerance, "path, " + what);
    }
}

TEST(ExtremeEigenvalues, BipartiteSpectrumIsSymmetric) {
    Graph graph{900, {}};
    for (const Edge& edge : random_graph(900, 5, 1, 8).edges)
        if ((edge.u < 400) != (edge.v < 400)) graph.edges.push_back(edge);
    const ExtremeEigenvalues found = extremes_of(graph);
    EXPECT_NEAR(found.smallest, -found.largest, found.error);
}

// A few strongly joined points, far from others: their eigenvector is almost everywhere 0.
TEST(ExtremeEigenvalues, FindWhatFewNodesHave) {
    Graph graph = random_graph(3'000, 4, 1, 9);
    const Graph strong = complete_graph(5, 16);
    graph.nodes += strong.nodes;
    for (const Edge& edge : strong.edges) graph.edges.push_back({edge.u + 3'000, edge.v + 3'000, edge.weight});
    expect_extremes(extremes_of(graph), -1, 4, extreme_tolerance, "five nodes");
}

TEST(ExtremeEigenvalues, OfPointsAreThoseOfTheirAffinities) {
    for (const PointAffinityKind& kind : point_affinities())
        for (const CloudKind cloud : {CloudKind::clusters, CloudKind::few_places, CloudKind::one_place}) {
            const auto affinity = new_point_affinity(kind, cloud_of(cloud, 450, 2));
            AffinityOperator a(*affinity);
            const ExtremeEigenvalues found = extreme_eigenvalues(a, extreme_tolerance, 1);
            const std::vector<double> exact = symmetric_spectrum(entries_of(*affinity)).values;
            const double allowed = extreme_tolerance * (exact.front() - exact.back()) + 1e-6 * exact.front();
            EXPECT_NEAR(found.largest, exact.front(), allowed) << kind.name;
            EXPECT_NEAR(found.smallest, exact.back(), allowed) << kind.name;
        }
}

// Of products in float32.
TEST(ExtremeEigenvalues, EndAtOperatorRounding) {
    const DenseGraphAffinity affinity(random_graph(450, 40, 1, 1));
    AffinityOperator a(affinity);
    const ExtremeEigenvalues found = extreme_eigenvalues(a, 1e-16, 1);
    EXPECT_GT(found.error, 1e-16 * (found.largest - found.smallest)) << "it says so";
    const std::vector<double> exact = symmetric_spectrum(entries_of(affinity)).values;
    EXPECT_NEAR(found.largest, exact.front(), 1e-6 * exact.front());
    EXPECT_NEAR(found.smallest, exact.back(), 1e-6 * exact.front());
}

TEST(SmallestEigenvalues, AreThoseOfTheDecomposedMatrix) {
    for (const std::uint32_t n : {3, 30, 400, 401, 600})
        for (const std::uint32_t parts : {1, 3}) {
            const GraphAffinity affinity(random_graph(n, 6, parts, n + parts));
            const std::vector<double> exact = spectrum_of_laplacian(affinity);
            for (const std::size_t count : {1, 2, 5, 12, 40})
                if (count <= n)
                    expect_smallest(affinity, exact, count, sum_tolerance,
                                    std::to_string(n) + " nodes, " + std::to_string(count) + " values");
        }
}

TEST(SmallestEigenvalues, AreAsNearAsAskedFor) {
    const GraphAffinity affinity(random_graph(600, 6, 2, 4));
    const std::vector<double> exact = spectrum_of_laplacian(affinity);
    for (const double tolerance : {1e-1, 1e-2, 1e-5, 1e-8})
        expect_smallest(affinity, exact, 9, tolerance, std::to_string(tolerance));
}

TEST(SmallestEigenvalues, CanBeAllOfThem) {
    for (const std::uint32_t n : {1, 2, 30, 450}) {
        const GraphAffinity affinity(random_graph(n, 4, 1, n));
        expect_smallest(affinity, spectrum_of_laplacian(affinity), n, sum_tolerance, std::to_string(n) + " nodes");
    }
}

TEST(SmallestEigenvalues, AreZeroOncePerPartWithoutAnyProduct) {
    const GraphAffinity affinity(copies(random_graph(100, 4, 1, 3), 6, 7));
    LaplacianOperator l(affinity);
    const std::size_t parts = count_parts(l.parts());
    EXPECT_GE(parts, 13U);
    EXPECT_EQ(smallest_eigenvalues(l, parts, sum_tolerance, 1).values, std::vector<double>(parts, 0.0));
    EXPECT_EQ(l.columns_applied(), 0);
    EXPECT_GT(smallest_eigenvalues(l, parts + 1, sum_tolerance, 1).values.back(), 0.01);
    EXPECT_GT(l.columns_applied(), 0);
    EXPECT_EQ(smallest_of({500, {}}, 500), std::vector<double>(500, 0.0)) << "nothing joined";
}

// Against known values: each within the error that the sum allows.
void expect_values(const std::vector<double>& found, const std::vector<double>& exact, const std::string& what) {
    ASSERT_LE(found.size(), exact.size());
    double allowed = 1e-9;
    for (const double value : found) allowed += sum_tolerance * value;
    for (std::size_t j = 0; j < found.size(); ++j) EXPECT_NEAR(found[j], exact[j], allowed) << what << " value " << j;
}

TEST(SmallestEigenvalues, ComeAsOftenAsTheyDo) {
    for (const std::uint32_t n : {2, 20, 500}) {
        const auto size = static_cast<double>(n);
        const std::string what = std::to_string(n) + " nodes";
        std::vector<double> complete(n, size), star(n + 1, 1.0), bipartite(n + n, size), path(n);
        complete[0] = star[0] = bipartite[0] = 0;
        star[n] = size + 1, bipartite[2 * n - 1] = 2 * size;
        for (std::size_t j = 0; j < n; ++j)
            path[j] = 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(j) / size);
        for (const std::size_t count : {1, 2, 11, 20}) {
            if (count > n) continue;
            expect_values(smallest_of(complete_graph(n), count), complete, "complete, " + what);
            expect_values(smallest_of(complete_bipartite_graph(1, n), count), star, "star, " + what);
            expect_values(smallest_of(complete_bipartite_graph(n, n), count), bipartite, "bipartite, " + what);
            expect_values(smallest_of(path_graph(n), count), path, "path, " + what);
        }
    }
}

// More equal values than others are wide blocks: the values of one part, repeated for each part.
TEST(SmallestEigenvalues, OfEqualPartsComeOncePerPart) {
    const Graph part = random_graph(60, 6, 1, 11);
    const std::vector<double> one = smallest_of(part, 5);
    ASSERT_GT(one[1], 0);
    for (const std::uint32_t count : {3, 14}) {
        std::vector<double> all(2, 0.0);  // of two nodes alone
        for (const double value : one) all.insert(all.end(), count, value);
        for (const std::size_t asked : {std::size_t{count + 3}, std::size_t{2 * count + 2}, std::size_t{4 * count}})
            expect_values(smallest_of(copies(part, count, 2), asked), all, std::to_string(count) + " parts");
    }
}

// Loosely joined parts: values far below those of the parts themselves.
TEST(SmallestEigenvalues, AreFoundWhereTheyAreSmall) {
    for (const float weight : {1e-6F, 1e-3F}) {
        Graph graph = copies(complete_graph(50), 12);
        for (std::uint32_t part = 0; part + 1 < 12; ++part) graph.edges.push_back({part * 50, part * 50 + 51, weight});
        for (const std::size_t count : {4, 12}) {
            const std::vector<double> found = smallest_of(graph, count);
            for (std::size_t j = 0; j < count; ++j) {
                // To first order they are those of the path formed by the parts, times weight / 50.
                const double near = 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(j) / 12);
                EXPECT_NEAR(found[j] / static_cast<double>(weight) * 50, near, 0.002 * near + 1e-5) << weight;
            }
        }
    }
}

TEST(SmallestEigenvalues, FollowTheScaleOfTheAffinities) {
    const GraphAffinity affinity(random_graph(600, 8, 2, 6));
    LaplacianOperator l(affinity);
    const std::vector<double> found = smallest_eigenvalues(l, 8, sum_tolerance, 1).values;
    ASSERT_GT(found[4], 0);
    for (const double root : {0x1p-30, 0x1p20}) {
        const std::vector<double> weights(600, root);
        const WeightedAffinity scaled(affinity, weights, false);
        LaplacianOperator of_scaled(scaled);
        const std::vector<double> values = smallest_eigenvalues(of_scaled, 8, sum_tolerance, 1).values;
        for (std::size_t j = 0; j < 8; ++j)
            EXPECT_NEAR(values[j], root * root * found[j], 1e-9 * root * root * found[7]);
    }
}

TEST(SmallestEigenvalues, OfPointsThatRepeatAndThatHaveWeights) {
    for (const std::size_t kind : {3, 5})
        for (const CloudKind cloud : {CloudKind::clusters, CloudKind::few_places, CloudKind::one_place}) {
            const auto points = new_point_affinity(point_affinities()[kind], cloud_of(cloud, 450, 2));
            expect_smallest(*points, spectrum_of_laplacian(*points), 6, sum_tolerance, point_affinities()[kind].name);
            std::vector<double> weights(450);
            for (std::size_t i = 0; i < 450; ++i) weights[i] = 0.5 + static_cast<double>(i % 4);
            const WeightedAffinity weighted(*points, weights, true);
            expect_smallest(weighted, spectrum_of_laplacian(weighted), 6, sum_tolerance, "weighted");
        }
}

// Sums in float32, and the product of two factors.
TEST(SmallestEigenvalues, KernelsMatchDecomposition) {
    for (const std::size_t kind : {0, 1, 2}) {
        const auto affinity = new_point_affinity(point_affinities()[kind], cloud_of(CloudKind::clusters, 500, 3));
        LaplacianOperator l(*affinity);
        const std::vector<double> found = smallest_eigenvalues(l, 6, sum_tolerance, 1).values;
        const std::vector<double> exact = spectrum_of_laplacian(*affinity);
        const double sum = std::accumulate(found.begin(), found.end(), 0.0);
        for (std::size_t j = 0; j < found.size(); ++j)
            EXPECT_NEAR(found[j], exact[499 - j], sum_tolerance * sum + 1e-6 * exact[0])
                << point_affinities()[kind].name;
    }
}

TEST(Eigenvalues, DoNotDependOnThreads) {
    const GraphAffinity affinity(random_graph(2'000, 5, 2, 1));
    expect_same_at_any_thread_count([&] {
        AffinityOperator a(affinity);
        LaplacianOperator l(affinity);
        const ExtremeEigenvalues ends = extreme_eigenvalues(a, extreme_tolerance, 2);
        std::vector<double> all = smallest_eigenvalues(l, 7, sum_tolerance, 2).values;
        all.insert(all.end(), {ends.smallest, ends.largest, ends.error, a.columns_applied(), l.columns_applied()});
        return all;
    });
}

// An affinity that is asked to end in a product.
class EndingAffinity final : public Affinity {
public:
    EndingAffinity(const Affinity& affinity, Interruption& interruption)
        : affinity_(affinity), interruption_(interruption) {
        degrees_.assign(affinity.degrees().begin(), affinity.degrees().end());
    }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return false; }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return false; }
    void multiply(const Matrix& x, Matrix& out) const override {
        affinity_.multiply(x, out);
        interruption_.request();
    }
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const override {
        affinity_.multiply_rows(which, x, out);
    }
    void copy_row(Slot i, AffinityRow& out) const override { affinity_.copy_row(i, out); }
    [[nodiscard]] std::vector<double> diagonal() const override { return affinity_.diagonal(); }

private:
    const Affinity& affinity_;
    Interruption& interruption_;
};

TEST(Eigenvalues, EndWhenTheyAreInterrupted) {
    const GraphAffinity affinity(random_graph(600, 4, 1, 1));
    for (const bool ends : {false, true}) {
        Interruption interruption;
        const EndingAffinity ending(affinity, interruption);
        AffinityOperator a(ending);
        LaplacianOperator l(ending);
        EXPECT_THROW(interruption.run([&] {
            if (ends)
                (void)extreme_eigenvalues(a, extreme_tolerance, 1);
            else
                (void)smallest_eigenvalues(l, 5, sum_tolerance, 1);
        }),
                     Interrupted);
        EXPECT_LE(a.columns_applied() + l.columns_applied(), 5);
    }
}

}  // namespace
}  // namespace fairstream::test
