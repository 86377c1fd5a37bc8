#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <utility>

#include <fairstream/data/graph.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "support/refusal.hpp"

namespace fairstream::test {
namespace {

Graph ring(std::uint32_t nodes) {
    Graph graph{nodes, {}};
    for (std::uint32_t node = 0; node < nodes; ++node) graph.edges.push_back({node, (node + 1) % nodes, 0.5F});
    return graph;
}

void expect_graph_refused(const Graph& graph, std::initializer_list<std::string_view> parts) {
    expect_refused(Reason::malformed, parts, [&] { check(graph); });
}

/// What the rules say, pair by pair.
bool simple(const Graph& graph) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const Edge& edge : graph.edges) {
        if (edge.u == edge.v || !seen.insert(std::minmax(edge.u, edge.v)).second) return false;
    }
    return true;
}

TEST(Graph, RandomListIsTakenIfSimple) {
    Random random(1);
    int taken = 0;
    for (int trial = 0; trial < 2'000; ++trial) {
        Graph graph{12, {}};
        for (int edge = 0; edge < 6; ++edge) graph.edges.push_back({random.below(12), random.below(12), 1});
        if (simple(graph)) {
            EXPECT_NO_THROW(check(graph));
            ++taken;
        } else {
            EXPECT_THROW(check(graph), InvalidInput);
        }
    }
    EXPECT_GT(taken, 200);
    EXPECT_LT(taken, 1'800);
}

TEST(Graph, TakesWhatTheRulesAllow) {
    EXPECT_NO_THROW(check(Graph{}));
    EXPECT_NO_THROW(check(Graph{1, {}}));
    EXPECT_NO_THROW(check(ring(1'000)));
    const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    EXPECT_NO_THROW(check(Graph{most, {{most - 1, 0, edge_weight_limit}, {1, 0, 1e-45F}}}));
}

TEST(Graph, RefusesNodesThatThereAreNotAndLoops) {
    expect_graph_refused({3, {{0, 1, 1}, {3, 1, 1}}}, {"edge 1: node 3 ", "nodes = 3"});
    expect_graph_refused({3, {{0, 4'294'967'295, 1}}}, {"edge 0: node 4294967295 "});
    expect_graph_refused({0, {{0, 0, 1}}}, {"edge 0: node 0 ", "nodes = 0"});
    expect_graph_refused({3, {{0, 1, 1}, {2, 2, 1}}}, {"edge 1 ", "node 2 "});
}

TEST(Graph, RefusesWeightsOutOfRange) {
    const auto with = [](float weight, std::string_view text) {
        expect_graph_refused({2, {{0, 1, weight}}}, {"edge 0: weight = ", text, "1e+15"});
    };
    with(0, "= 0 ");
    with(-1.5F, "= -1.5 ");
    with(2e15F, "= 2e+15 ");
    with(std::numeric_limits<float>::infinity(), "= inf ");
    with(std::numeric_limits<float>::quiet_NaN(), "nan");
}

TEST(Graph, NamesRepeatedEdges) {
    expect_graph_refused({9, {{7, 8, 1}, {3, 5, 1}, {0, 1, 1}, {5, 3, 2}, {8, 7, 1}, {3, 5, 1}}},
                         {"edge 3 joins nodes 5 and 3, as edge 1 does"});
    Graph graph = ring(1'000);
    graph.edges.push_back({500, 499, 1});
    expect_graph_refused(graph, {"edge 1000 joins nodes 500 and 499, as edge 499 does"});
}

}  // namespace
}  // namespace fairstream::test
