/// LoRD and B-LoRD of whole graphs.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <fairstream/models/lord/cluster_graph.hpp>

#include "support/refusal.hpp"
#include "support/threads.hpp"

namespace fairstream::lord {
namespace {

using test::expect_refused;
using test::with_threads;

const std::vector<Attribute> two_groups{{"colour", {"blue", "red"}}};

/// Two cliques of m nodes each, joined by an edge.
Graph two_cliques(std::uint32_t m) {
    Graph graph{2 * m, {}};
    for (std::uint32_t u = 0; u < 2 * m; ++u)
        for (std::uint32_t v = 0; v < u; ++v)
            if (u / m == v / m) graph.edges.push_back({u, v, 1});
    graph.edges.push_back({0, m, 0.5F});
    return graph;
}
std::vector<GroupId> alternating(std::size_t nodes) {
    std::vector<GroupId> groups(nodes);
    for (std::size_t i = 0; i < nodes; ++i) groups[i] = static_cast<GroupId>(i % 2);
    return groups;
}
/// Rows of nodes, each joined to those beside it and above it.
Graph grid(std::uint32_t rows, std::uint32_t columns) {
    Graph graph{rows * columns, {}};
    for (std::uint32_t v = 0; v < graph.nodes; ++v) {
        if (v % columns > 0) graph.edges.push_back({v - 1, v, 1});
        if (v >= columns) graph.edges.push_back({v - columns, v, 1});
    }
    return graph;
}
Options options_of(int k, Method method = Method::b_lord) {
    Options options;
    options.clusters = k;
    options.method = method;
    options.small_below = 2;
    return options;
}

// The marginals are those the method promises: of clusters, of nodes, and of the groups in the clusters.
TEST(LordGraph, MembershipsKeepMarginals) {
    constexpr std::size_t n = 24, k = 2;
    const std::vector<GroupId> groups = alternating(n);
    for (const Method method : {Method::b_lord, Method::lord}) {
        Options options = options_of(k, method);
        options.priors = OneOrMore<double>(std::vector<double>{1, 3});
        const GraphClustering found = cluster_graph(options, two_cliques(n / 2), two_groups, groups);
        ASSERT_EQ(found.memberships.rows, n);
        ASSERT_EQ(found.memberships.cols, k);
        std::vector<std::vector<double>> shares(2, std::vector<double>(k));
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_NEAR(found.memberships.at(i, 0) + found.memberships.at(i, 1), 1, 1e-6);
            for (std::size_t j = 0; j < k; ++j) shares[groups[i]][j] += 2 * found.memberships.at(i, j) / n;
        }
        for (const std::vector<double>& of_group : shares) {
            EXPECT_NEAR(of_group[0], 0.25, 1e-6);
            EXPECT_NEAR(of_group[1], 0.75, 1e-6);
        }
    }
}

TEST(LordGraph, CliquesAreClustersWithAndWithoutGroups) {
    constexpr std::uint32_t m = 10;
    for (const Method method : {Method::b_lord, Method::lord})
        for (const bool grouped : {false, true}) {
            const GraphClustering found =
                grouped ? cluster_graph(options_of(2, method), two_cliques(m), two_groups, alternating(2 * m))
                        : cluster_graph(options_of(2, method), two_cliques(m), {}, {});
            for (std::size_t i = 0; i < 2 * m; ++i) EXPECT_EQ(found.labels[i] == found.labels[0], i < m) << i;
            EXPECT_EQ(found.tally.size(0), m);
            EXPECT_EQ(found.solve.outcome, Outcome::converged);
            EXPECT_NEAR(value_of(found.figures, "normalised_cut").value(), 2 * 0.5 / 90.5, 1e-6);
        }
}

// Clusters of a long strip are stretches of it. Starts in which every node belongs to some cluster at once end in
// several pieces for each cluster, and no step moves a piece.
TEST(LordGraph, ClustersOfAStripAreStretchesOfIt) {
    constexpr std::uint32_t height = 4, width = 100;
    const Graph strip = grid(height, width);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        Options options = options_of(4);
        options.seed = seed;
        const GraphClustering found = cluster_graph(options, strip, two_groups, alternating(strip.nodes));
        const auto between = std::ranges::count_if(
            strip.edges, [&](const auto& edge) { return found.labels[edge.u] != found.labels[edge.v]; });
        EXPECT_LE(between, 4 * height) << "three borders across, which may be oblique";
    }
}

TEST(LordGraph, IsTheSameOnAnyNumberOfThreads) {
    const auto run = [](int threads) {
        return cluster_graph(options_of(3), two_cliques(30), two_groups, alternating(60), threads);
    };
    const GraphClustering one = run(1);
    const GraphClustering four = with_threads(4, [&] { return run(4); });
    EXPECT_EQ(one.labels, four.labels);
    EXPECT_EQ(one.memberships, four.memberships);
    EXPECT_EQ(one.figures, four.figures);
    EXPECT_EQ(one.solve, four.solve);
}

TEST(LordGraph, EdgelessAndSingleNodeGraphs) {
    for (const Method method : {Method::b_lord, Method::lord}) {
        const GraphClustering bare = cluster_graph(options_of(3, method), Graph{12, {}}, two_groups, alternating(12));
        for (std::size_t i = 0; i < 12; ++i)
            EXPECT_NEAR(std::accumulate(bare.memberships.row(i), bare.memberships.row(i) + 3, 0.0), 1, 1e-6);
        EXPECT_EQ(cluster_graph(options_of(1, method), Graph{1, {}}, {}, {}).labels, std::vector<ClusterId>{0});
    }
}

TEST(LordGraph, RefusesWhatItCannotBeAskedFor) {
    const Graph graph = two_cliques(5);
    const std::vector<GroupId> groups = alternating(10);
    const auto refused = [](Reason reason, std::initializer_list<std::string_view> parts, const Options& options,
                            const Graph& asked, const std::vector<GroupId>& of, int threads = 0) {
        expect_refused(reason, parts, [&] { (void)cluster_graph(options, asked, two_groups, of, threads); });
    };
    refused(Reason::bad_option, {"clusters = 11", " 10"}, options_of(11), graph, groups);
    refused(Reason::bad_option, {"clusters = 0"}, options_of(0), graph, groups);
    refused(Reason::bad_option, {"threads = -1"}, options_of(2), graph, groups, -1);
    std::vector<GroupId> odd = groups;
    odd[3] = 2;
    refused(Reason::unknown_group, {"group 2", "node 3"}, options_of(2), graph, odd);
    odd.pop_back();
    refused(Reason::wrong_shape, {"9 groups", "10 nodes"}, options_of(2), graph, odd);
    Graph loop = graph;
    loop.edges.push_back({3, 3, 1});
    refused(Reason::malformed, {"3"}, options_of(2), loop, groups);
}

/// Two bands of nodes, each node joined to the next four of its band.
Graph two_bands(std::uint32_t length) {
    Graph graph{2 * length, {}};
    for (std::uint32_t v = 0; v < graph.nodes; ++v)
        for (std::uint32_t u = v < 4 ? 0 : v - 4; u < v; ++u)
            if (u / length == v / length) graph.edges.push_back({u, v, 1});
    return graph;
}

// Equal parts keep the marginals and all affinities: no V is better. Random starts end with halves of both parts.
TEST(LordGraph, EqualPartsAreTheClusters) {
    constexpr std::uint32_t length = 400;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        Options options = options_of(2);
        options.seed = seed;
        const GraphClustering found = cluster_graph(options, two_bands(length), {}, {});
        for (std::uint32_t i = 0; i < 2 * length; ++i)
            ASSERT_EQ(found.labels[i], found.labels[i < length ? 0 : length]) << "node " << i;
        EXPECT_NE(found.labels[0], found.labels[length]);
        const auto parts = std::ranges::find(found.figures, "parts", &Figure::name);
        ASSERT_NE(parts, found.figures.end());
        EXPECT_EQ(parts->value, 2);
    }
}

// The larger part becomes the cluster with the larger share, whatever their order.
TEST(LordGraph, PartsAreMatchedToTheSharesOfClusters) {
    Graph graph = two_bands(300);
    std::erase_if(graph.edges, [](const Edge& edge) { return edge.v >= 400; });
    graph.nodes = 400;
    for (const bool larger_first : {true, false}) {
        Options options = options_of(2);
        options.priors = OneOrMore<double>(larger_first ? std::vector<double>{3, 1} : std::vector<double>{1, 3});
        const GraphClustering found = cluster_graph(options, graph, {}, {});
        for (std::uint32_t i = 0; i < 400; ++i) ASSERT_EQ(found.labels[i] == 0, (i < 300) == larger_first);
    }
}

}  // namespace
}  // namespace fairstream::lord
