/// The affinity that is a given graph, in both of its forms.

#include <gtest/gtest.h>

#include <fairstream/data/detail/graph_affinity.hpp>

#include "support/affinities.hpp"
#include "support/rounding.hpp"
#include "support/threads.hpp"

namespace fairstream::test {
namespace {

// Every pair is an edge with this probability; every seventh node has none.
Graph random_graph(std::uint32_t nodes, double probability, std::uint64_t seed) {
    Graph graph{nodes, {}};
    Random random(seed);
    for (std::uint32_t v = 1; v < nodes; ++v)
        for (std::uint32_t u = 0; u < v; ++u)
            if (u % 7 != 3 && v % 7 != 3 && random.unit() < probability) {
                const auto weight =
                    static_cast<float>(std::ldexp(1 + random.unit(), static_cast<int>(random.below(20)) - 10));
                graph.edges.push_back(random.below(2) == 0 ? Edge{u, v, weight} : Edge{v, u, weight});
            }
    for (std::size_t i = graph.edges.size(); i > 1; --i)
        std::swap(graph.edges[i - 1], graph.edges[random.below(static_cast<std::uint32_t>(i))]);
    return graph;
}

Matrix adjacency(const Graph& graph) {
    Matrix w(graph.nodes, graph.nodes);
    float largest = 0;
    for (const Edge& edge : graph.edges) largest = std::max(largest, edge.weight);
    const double unit = graph.edges.empty() ? 1 : std::exp2(std::ilogb(largest));
    for (const Edge& edge : graph.edges) w.at(edge.u, edge.v) = w.at(edge.v, edge.u) = double{edge.weight} / unit;
    return w;
}

void expect_graph(const Affinity& affinity, const Graph& graph, double unit) {
    const Matrix w = adjacency(graph), x = random_matrix(graph.nodes, 4, 1);
    EXPECT_EQ(entries_of(affinity), w);
    EXPECT_FALSE(affinity.positive_semidefinite());
    ASSERT_EQ(affinity.rows(), graph.nodes);
    const Matrix exact = plain_product(w, x), sizes = plain_product(w, x, true), out = times(affinity, x);
    for (std::size_t at = 0; at < out.values.size(); ++at)
        ASSERT_LE(std::abs(out.values[at] - exact.values[at]), gamma(graph.nodes + 4, unit) * sizes.values[at]);
    const std::vector<Slot> some{0, graph.nodes - 1, 0};
    Matrix rows;
    affinity.multiply_rows(some, x, rows);
    for (std::size_t r = 0; r < some.size(); ++r)
        for (std::size_t j = 0; j < 4; ++j)
            ASSERT_LE(std::abs(rows.at(r, j) - exact.at(some[r], j)),
                      gamma(graph.nodes + 4, unit) * sizes.at(some[r], j));
    for (std::uint32_t i = 0; i < graph.nodes; ++i) {
        double degree = 0;
        for (std::uint32_t j = 0; j < graph.nodes; ++j) degree += w.at(i, j);
        ASSERT_NEAR(affinity.degrees()[i], degree, gamma(graph.nodes, double_unit) * degree);
        ASSERT_TRUE(i % 7 != 3 || affinity.degrees()[i] == 0) << "isolated";
    }
}

TEST(GraphAffinity, BothFormsAreTheGraph) {
    for (const std::uint32_t nodes : {1U, 2U, 15U, 130U, 600U})
        for (const double probability : {0.0, 0.02, 0.5, 1.0}) {
            const Graph graph = random_graph(nodes, probability, nodes);
            expect_graph(GraphAffinity(graph), graph, double_unit);
            expect_graph(DenseGraphAffinity(graph), graph, float_unit);
        }
}

TEST(GraphAffinity, IsAMatrixWhereThatIsSmaller) {
    Graph graph = random_graph(70, 1, 1);
    std::ranges::sort(graph.edges, {}, [](const Edge& e) { return std::minmax(e.u, e.v); });
    // 70^2 / 2 / 16 = 153.125
    graph.edges.resize(154);
    EXPECT_NE(dynamic_cast<DenseGraphAffinity*>(graph_affinity(graph).get()), nullptr);
    graph.edges.resize(153);
    EXPECT_NE(dynamic_cast<GraphAffinity*>(graph_affinity(graph).get()), nullptr);
}

TEST(GraphAffinity, IsIndependentOfEdgeOrderAndThreads) {
    Graph graph = random_graph(700, 0.1, 3);
    const Matrix x = random_matrix(700, 4, 1);
    for (const bool dense : {false, true}) {
        const auto product = [&] {
            if (dense) return times(DenseGraphAffinity(graph), x);
            return times(GraphAffinity(graph), x);
        };
        const Matrix before = product();
        std::ranges::reverse(graph.edges);
        for (Edge& edge : graph.edges) std::swap(edge.u, edge.v);
        EXPECT_EQ(product(), before);
        expect_same_at_any_thread_count(product);
    }
}

}  // namespace
}  // namespace fairstream::test
