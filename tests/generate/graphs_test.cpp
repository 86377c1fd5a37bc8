#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/generate/generator.hpp>
#include <fairstream/generate/graphs.hpp>

#include <support/refusal.hpp>

namespace fairstream::generate {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;

/// Counts by cluster and group.
std::map<std::pair<ClusterId, GroupId>, std::uint32_t> cells(const PlantedGraph& made) {
    std::map<std::pair<ClusterId, GroupId>, std::uint32_t> counts;
    for (std::size_t node = 0; node < made.groups.size(); ++node) ++counts[{made.planted[node], made.groups[node]}];
    return counts;
}

std::size_t kind_of_pair(const PlantedGraph& made, std::uint32_t u, std::uint32_t v) {
    return (made.planted[u] == made.planted[v] ? 2U : 0U) + (made.groups[u] == made.groups[v] ? 1U : 0U);
}

/// FNV-1a over nodes, weights and groups.
std::uint64_t digest(const PlantedGraph& made) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&](std::uint32_t value) {
        for (int byte = 0; byte < 4; ++byte, value >>= 8) hash = (hash ^ (value & 0xFF)) * 0x100000001b3;
    };
    for (const Edge& edge : made.graph.edges)
        add(edge.u), add(edge.v), add(static_cast<std::uint32_t>(edge.weight * 0x1p24F));
    for (const GroupId group : made.groups) add(group);
    for (const ClusterId cluster : made.planted) add(static_cast<std::uint32_t>(cluster));
    return hash;
}

TEST(BlockModel, PairsAreJoinedWithTheirProbability) {
    const BlockModel model{.nodes = 3'000, .clusters = 4, .groups = 3};
    const double scale = std::pow(std::log(3'000) / 3'000, 0.1);
    const std::array<double, 4> factors = {model.neither, model.same_group, model.same_cluster,
                                           model.same_cluster_and_group};
    const PlantedGraph made = block_model_graph(model, 2);
    std::array<double, 4> edges{}, pairs{};
    for (std::uint32_t u = 0; u < model.nodes; ++u) {
        for (std::uint32_t v = u + 1; v < model.nodes; ++v) ++pairs.at(kind_of_pair(made, u, v));
    }
    for (const Edge& edge : made.graph.edges) ++edges.at(kind_of_pair(made, edge.u, edge.v));
    for (std::size_t kind = 0; kind < 4; ++kind) {
        const double p = factors.at(kind) * scale, deviation = std::sqrt(p * (1 - p) / pairs.at(kind));
        EXPECT_NEAR(edges.at(kind) / pairs.at(kind), p, 4 * deviation) << kind;
    }
}

TEST(BlockModel, ThePlantedClusteringIsBalanced) {
    const PlantedGraph made = make_graph("msbm", 1);
    const std::array group_counts = {5};
    FairnessTally tally(50, group_counts);
    tally.add(made.planted, made.groups.data());
    EXPECT_EQ(attribute_fairness(tally, 0).balance, 1);
    EXPECT_EQ(cells(made).size(), 250U);
    for (const auto& [cell, count] : cells(made)) EXPECT_EQ(count, 8U);
}

TEST(BlockModel, CellsAreAsEqualAsCanBe) {
    for (std::uint32_t nodes = 6; nodes < 30; ++nodes) {
        const PlantedGraph made = block_model_graph({.nodes = nodes, .clusters = 3, .groups = 2}, nodes);
        EXPECT_EQ(cells(made).size(), 6U);
        for (const auto& [cell, count] : cells(made)) EXPECT_THAT(count, AllOf(Ge(nodes / 6), Le((nodes + 5) / 6)));
    }
}

TEST(BlockModel, TheOrderOfTheNodesIsMixed) {
    const PlantedGraph made = block_model_graph({.nodes = 8'000, .clusters = 2, .groups = 2}, 4);
    for (std::size_t first = 0; first < 8'000; first += 2'000) {
        std::array<double, 4> counts{};
        for (std::size_t node = first; node < first + 2'000; ++node)
            ++counts.at(2 * static_cast<std::size_t>(made.planted[node]) + made.groups[node]);
        EXPECT_THAT(counts, Each(AllOf(Ge(420), Le(580)))) << first;  // four deviations
    }
}

TEST(BlockModel, RefusesWhatBreaksItsRanges) {
    const auto refused = [](const BlockModel& model, std::string_view text) {
        test::expect_refused(Reason::bad_option, {text}, [&] { check(model); });
        EXPECT_THROW((void)block_model_graph(model, 1), InvalidInput);
    };
    EXPECT_NO_THROW(check(BlockModel{}));
    EXPECT_NO_THROW(check(BlockModel{.nodes = 250}));
    refused({.nodes = 249}, "nodes = 249 must be 250 to 32768");
    refused({.nodes = 32'769}, "nodes = 32769 must be 250 to 32768");
    refused({.nodes = 1, .clusters = 1, .groups = 1}, "nodes = 1 must be 2 to 32768");
    refused({.clusters = 0}, "clusters = 0 must be 1 to 32767");
    refused({.clusters = 32'768}, "clusters = 32768 must be");
    refused({.groups = 0}, "groups = 0 must be 1 to 32768");
    refused({.clusters = 32'767, .groups = 32'768}, "clusters * groups = 1073709056 must be 1 to 32768");
    refused({.same_cluster_and_group = 1.01}, "factors a, b, c, d = 1.010000, 0.9");
    refused({.same_group = 1}, "1.000000");
    refused({.same_cluster = 0.9}, "0.900000");
    refused({.neither = 0.8}, "0.800000");
    refused({.neither = -0.01}, "-0.010000");
    refused({.neither = std::numeric_limits<double>::quiet_NaN()}, "falling order");
}

TEST(RandomWeights, JoinAllPairs) {
    const PlantedGraph made = random_weights_graph(400, 3);
    EXPECT_THAT(made.planted, IsEmpty());
    ASSERT_EQ(made.graph.edges.size(), 400U * 399 / 2);
    double sum = 0, squares = 0;
    for (const Edge& edge : made.graph.edges) {
        ASSERT_GT(edge.weight, 0);
        ASSERT_LE(edge.weight, 1);
        sum += edge.weight, squares += edge.weight * edge.weight;
    }
    const double n = 400.0 * 399 / 2;  // four deviations
    EXPECT_NEAR(sum / n, 0.5, 0.0042);
    EXPECT_NEAR(squares / n, 1.0 / 3, 0.0043);
}

TEST(RandomWeights, ThreeNodesOfTenAreInGroupOne) {
    const PlantedGraph made = random_weights_graph(5'000, 1);
    EXPECT_NEAR(static_cast<double>(std::ranges::count(made.groups, 1)) / 5'000, 0.3, 0.026);  // four deviations
    EXPECT_THAT(made.groups, Each(Le(1)));
}

TEST(RandomWeights, RefusesTooFewAndTooManyNodes) {
    for (const std::uint32_t nodes : {0U, 1U, 32'769U}) {
        test::expect_refused(Reason::bad_option, {"nodes = " + std::to_string(nodes) + " must be 2 to 32768"},
                             [&] { (void)random_weights_graph(nodes, 1); });
    }
    EXPECT_EQ(random_weights_graph(2, 1).graph.edges.size(), 1U);
}

TEST(Graphs, KeepTheRulesOfGraphs) {
    for (const GraphKind& kind : graph_kinds()) {
        const PlantedGraph made = make_graph(kind.name, 6, 300);
        EXPECT_EQ(made.graph.nodes, 300U) << kind.name;
        EXPECT_NO_THROW(check(made.graph)) << kind.name;
        EXPECT_EQ(made.groups.size(), 300U) << kind.name;
        EXPECT_NO_THROW(check(StreamFormat{1, made.attributes, false})) << kind.name;
        EXPECT_THAT(made.groups, Each(Le(made.attributes.at(0).groups.size() - 1))) << kind.name;
    }
}

TEST(Graphs, TheGraphOfASeedNeverChanges) {
    EXPECT_EQ(digest(make_graph("msbm", 1)), 0xe66dd0b239fdb4eb);
    EXPECT_EQ(digest(make_graph("rand_laplace", 1)), 0x33491af8d4b5b653);
    for (const GraphKind& kind : graph_kinds()) {
        EXPECT_EQ(make_graph(kind.name, 5, 260), make_graph(kind.name, 5, 260));
        EXPECT_NE(make_graph(kind.name, 5, 260), make_graph(kind.name, 6, 260));
    }
}

TEST(Graphs, HaveNamesAndDefaultSizes) {
    std::vector<std::string> names;
    for (const GraphKind& kind : graph_kinds()) {
        names.emplace_back(kind.name);
        EXPECT_EQ(find_graph_kind(kind.name), &kind);
        EXPECT_EQ(std::ranges::count(generator_kinds(), kind.name, &GeneratorKind::name), 0);
        EXPECT_EQ(make_graph(kind.name, 1).graph.nodes, kind.nodes);
    }
    EXPECT_THAT(names, ElementsAre("msbm", "rand_laplace"));
    EXPECT_EQ(graph_names(), "msbm, rand_laplace");
    EXPECT_EQ(find_graph_kind("loans"), nullptr);
    test::expect_refused(Reason::bad_option, {"'loans'", ": msbm, rand_laplace"}, [] { (void)make_graph("loans", 1); });
    test::expect_refused(Reason::bad_option, {"nodes = 4294967297 must be 2 to 32768"},
                         [] { (void)make_graph("msbm", 1, (std::uint64_t{1} << 32) + 1); });
}

}  // namespace
}  // namespace fairstream::generate
