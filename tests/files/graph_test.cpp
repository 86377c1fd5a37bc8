#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include <fairstream/files/points/graph.hpp>

#include "helpers.hpp"

namespace fairstream::files {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CsvGraph : public ::testing::Test {
protected:
    test::TemporaryDirectory directory;
    std::filesystem::path edges = directory.write("edges.csv", "u,v,weight\n0,1,0.5\n3,1,1e15\n2,3,+2\n");
    std::filesystem::path nodes = directory.write("nodes.csv", "node,sex,age\n2,f,30\n0,m,9\n3,f,30\n1,m,30\n");

    std::string edges_refused(std::string_view text) {
        return refusal([&] { (void)read_graph(directory.write("bad.csv", text), nodes, {"sex"}); });
    }
    std::string nodes_refused(std::string_view text, const std::vector<std::string>& groups = {"sex"}) {
        return refusal([&] { (void)read_graph(edges, directory.write("bad.csv", text), groups); });
    }
};

TEST_F(CsvGraph, PutsEdgesAndGroupsWhereTheyBelong) {
    const GraphTable table = read_graph(edges, nodes, {"age", "sex"});
    EXPECT_EQ(table.graph, (Graph{4, {{0, 1, 0.5F}, {3, 1, 1e15F}, {2, 3, 2}}}));
    EXPECT_EQ(table.attributes, (std::vector<Attribute>{{"age", {"9", "30"}}, {"sex", {"f", "m"}}}));
    EXPECT_THAT(table.groups, ElementsAre(0, 1, 1, 1, 1, 0, 1, 0));
    EXPECT_NO_THROW(check(table.graph));
}

TEST_F(CsvGraph, WeighsEdgesAlikeWithoutAWeightColumnAndIgnoresOthers) {
    const GraphTable table =
        read_graph(directory.write("e.csv", "since,v,u\n2004-01-01,3,0\nlong ago,2,1\n"), nodes, {});
    EXPECT_EQ(table.graph, (Graph{4, {{0, 3, 1}, {1, 2, 1}}}));
    EXPECT_THAT(table.attributes, IsEmpty());
    EXPECT_THAT(table.groups, IsEmpty());
}

TEST_F(CsvGraph, NumbersTheClassesOfItsNodesByTheirFirstRows) {
    EXPECT_THAT(read_graph(edges, nodes, {"sex"}).classes, IsEmpty());
    EXPECT_THAT(read_graph(edges, nodes, {"sex"}, "age").classes, ElementsAre(1, 0, 0, 0));
    EXPECT_THAT(read_graph(edges, nodes, {}, "sex").classes, ElementsAre(1, 1, 0, 0));
    EXPECT_THAT(refusal([&] { (void)read_graph(edges, nodes, {"sex"}, "kind"); }),
                HasSubstr("there is no column 'kind'; the columns are 'node', 'sex', 'age'"));
    const auto gap = directory.write("gap.csv", "node,sex,kind\n2,f,a\n0,m,\n3,f,b\n1,m,b\n");
    EXPECT_THAT(refusal([&] { (void)read_graph(edges, gap, {"sex"}, "kind"); }),
                EndsWith("gap.csv:3: column 'kind': '' is empty where a class is needed"));
}

TEST_F(CsvGraph, WhatWasWrittenIsRead) {
    std::mt19937_64 random(1);
    Graph graph{3'000, {}};
    std::vector<GroupId> groups;
    std::string edge_text = "u,v,weight\n", node_text = "node,group\n";
    for (std::uint32_t node = 0; node < graph.nodes; ++node) {
        groups.push_back(static_cast<GroupId>(random() % 12));
        node_text += std::to_string(node) + "," + std::to_string(groups.back()) + "\n";
        for (std::uint32_t other = 0; other < node; other += 1 + static_cast<std::uint32_t>(random() % 97))
            graph.edges.push_back({node, other, static_cast<float>(1 + random() % 4'096) / 64});
    }
    for (const Edge& edge : graph.edges)
        edge_text += std::to_string(edge.u) + "," + std::to_string(edge.v) + "," + std::to_string(edge.weight) + "\n";
    ASSERT_GT(graph.edges.size(), 65'536U);
    std::vector<double> shares;
    const GraphTable table =
        read_graph(directory.write("e.csv.gz", gzip(edge_text)), directory.write("n.csv.gz", gzip(node_text)),
                   {"group"}, {}, {}, [&](double share) { shares.push_back(share); });
    EXPECT_EQ(table.graph, graph);
    EXPECT_EQ(table.groups, groups);
    EXPECT_EQ(table.attributes.at(0).groups.at(10), "10");
    ASSERT_EQ(shares.size(), graph.edges.size() / 65'536);
    EXPECT_GT(shares[0], 0);
    EXPECT_LE(shares[0], 1);
}

TEST_F(CsvGraph, AnEdgeThatComesAgainInEitherDirectionCountsOnce) {
    const auto read = [&](const std::string& text) { return read_graph(directory.write("e.csv", text), nodes, {}); };
    const GraphTable plain = read("u,v\n3,2\n0,1\n3,2\n1,0\n2,3\n");
    ASSERT_EQ(plain.graph.edges.size(), 2U);
    EXPECT_EQ(plain.graph.edges[0].u, 3U) << "in the order of the file";
    EXPECT_EQ(plain.graph.edges[1].v, 1U);
    EXPECT_EQ(plain.left_out.repeated, 3U);
    EXPECT_EQ(read("u,v,weight\n0,1,2\n2,3,1\n1,0,2\n").left_out.repeated, 1U);
    EXPECT_THAT(edges_refused("u,v,weight\n0,1,1\n2,3,1\n3,2,1\n1,0,2\n2,3,4\n"),
                HasSubstr("bad.csv:5: nodes 0 and 1 were joined on line 2 already, with another weight"));
    // A cell of two lines shifts the numbers of later lines.
    EXPECT_THAT(edges_refused("u,v,note,weight\n0,1,\"a\nb\",1\n1,2,,1\n0,1,,2\n"),
                HasSubstr("bad.csv:5: nodes 0 and 1 were joined on line 2 already"));
}

TEST_F(CsvGraph, KnowsTheNamesThatOthersGiveItsColumns) {
    const auto read = [&](const std::string& text) { return read_graph(directory.write("e.csv", text), nodes, {}); };
    for (const char* const header :
         {"Source,Target,Type,Weight\n0,1,x,2\n", "weight,from,to\n2,0,1\n", "SRC,DST,w\n0,1,2\n"})
        EXPECT_EQ(read(header).graph, (Graph{4, {{0, 1, 2}}})) << header;
    EXPECT_EQ(read("{\"source\":0,\"target\":1}\n").graph, (Graph{4, {{0, 1, 1}}}));
    const auto named = directory.write("n.csv", "Id,Label,sex\n00,a,f\n01,b,m\n");
    EXPECT_THAT(read_graph(directory.write("e.csv", "u,v\n01,00\n"), named, {"sex"}).names, ElementsAre("00", "01"))
        << "zeros in front are part of a name";
}

TEST_F(CsvGraph, LeavesOutEdgesThatJoinNothing) {
    const GraphTable table =
        read_graph(directory.write("e.csv", "u,v,weight\n0,0,1\n0,1,0\n1,2,3\n2,2,0\n1,3,-0\n"), nodes, {});
    ASSERT_EQ(table.graph.edges.size(), 1U);
    EXPECT_EQ(table.graph.edges[0].weight, 3);
    EXPECT_EQ(table.left_out.loops, 2U);
    EXPECT_EQ(table.left_out.without_weight, 2U);
    EXPECT_THAT(edges_refused("u,v\n1,1\n"), EndsWith("bad.csv: no edge joins two nodes"));
}

TEST_F(CsvGraph, RefusesEdgesThatBreakTheRulesOfGraphs) {
    EXPECT_THAT(edges_refused("u,v\n0,4\n"), EndsWith("bad.csv:2: column 'v': '4' is not a node: they are 0 to 3"));
    EXPECT_THAT(edges_refused("u,v\n4294967296,1\n"), HasSubstr("column 'u': '4294967296' is not a node"));
    for (const std::string cell : {"-1", "0.0", "1e3", "", "a", "18446744073709551616"})
        EXPECT_THAT(edges_refused("u,v\n" + cell + ",1\n"),
                    HasSubstr("bad.csv:2: column 'u': '" + cell + "' is not an integer"));
    for (const std::string cell : {"-0.5", "1.001e15", "1e-60"}) {
        EXPECT_THAT(
            edges_refused("u,v,weight\n0,1," + cell + "\n"),
            EndsWith("bad.csv:2: column 'weight': '" + cell +
                     "' is not a weight: 0, which joins nothing, or above it, also as float32, and at most 1e15"));
    }
    for (const std::string cell : {"nan", "inf", "", "1,5", "1e999"})
        EXPECT_THAT(edges_refused("u,v,weight\n0,1," + cell + "\n"), HasSubstr("bad.csv:2: "));
}

TEST_F(CsvGraph, NodesHaveTheNamesOfTheirFileUnlessTheyAreNumberedFromZero) {
    const auto named = directory.write("named.csv", "sex,node\nf, ann\nm,b b\nf,7\n");
    const GraphTable table =
        read_graph(directory.write("e.csv", "u,v,weight\n7,ann,2\nb b,7,1\n"), named, {"sex"}, "node");
    EXPECT_THAT(table.names, ElementsAre("ann", "b b", "7"));
    EXPECT_EQ(table.graph, (Graph{3, {{2, 0, 2}, {1, 2, 1}}}));
    EXPECT_THAT(table.groups, ElementsAre(0, 1, 0));
    EXPECT_THAT(table.classes, ElementsAre(0, 1, 2));
    EXPECT_THAT(refusal([&] { (void)read_graph(directory.write("x.csv", "u,v\nann,bob\n"), named, {}); }),
                EndsWith("x.csv:2: column 'v': 'bob' is not a node of --nodes"));
    EXPECT_THAT(
        refusal([&] { (void)read_graph(directory.write("x.csv", "u,v,weight\nann,7,1\n7,ann,2\n"), named, {}); }),
        HasSubstr("x.csv:3: nodes ann and 7 were joined on line 2 already, with another weight"));
    EXPECT_THAT(read_graph(directory.write("x.csv", "u,v\n1,3\n"), directory.write("n.csv", "node\n1\n3\n"), {}).names,
                ElementsAre("1", "3"))
        << "numbers with a gap";
    EXPECT_THAT(read_graph(edges, nodes, {"sex"}).names, IsEmpty());
}

TEST_F(CsvGraph, RefusesNodesThatComeTwiceOrHaveNoName) {
    EXPECT_THAT(nodes_refused("node,sex\n0,f\n1,m\n1,m\n0,f\n"),
                EndsWith("bad.csv:4: node 1 has a row already, on line 3"));
    EXPECT_THAT(nodes_refused("node,sex\nann,f\nbob,m\nann,m\n"),
                EndsWith("bad.csv:4: node ann has a row already, on line 2"));
    EXPECT_THAT(nodes_refused("node,sex\nann,f\n ,m\n"),
                HasSubstr("bad.csv:3: column 'node': ' ' is empty where a node"));
    EXPECT_THAT(nodes_refused("node,sex\n0,f\n"),
                HasSubstr("edges.csv:2: column 'v': '1' is not a node: they are 0 to 0"));
}

TEST_F(CsvGraph, RefusesGroupsThatAreNotThere) {
    EXPECT_THAT(nodes_refused("node,sex\n0,f\n1,\n"),
                EndsWith("bad.csv:3: column 'sex': '' is empty where a group is needed"));
    EXPECT_THAT(nodes_refused("node,age\n0,9\n"),
                EndsWith("bad.csv:1: there is no column 'sex'; the columns are 'node', 'age'"));
    EXPECT_THAT(nodes_refused("node,sex\n0,f\n", {"sex", "sex"}), HasSubstr("group column 'sex' is named twice"));
}

TEST_F(CsvGraph, EdgesWithoutAHeaderAreTakenByPosition) {
    const Graph graph{4, {{0, 1, 1}, {2, 3, 1}}};
    for (const char* text : {"0,1\n2,3\n", "0 1\n2 3\n", "0\t1\n2\t3\n", "# a graph\n# From\tTo\n0\t1\n2\t3\n"})
        EXPECT_EQ(read_graph(directory.write("e.txt", text), nodes, {}).graph, graph) << text;
    EXPECT_EQ(read_graph(directory.write("w.txt", "0 1 0.5\n2 3 2\n"), nodes, {}).graph,
              (Graph{4, {{0, 1, 0.5F}, {2, 3, 2}}}));
    EXPECT_EQ(read_graph(directory.write("n.csv", "from,to\n0,1\n2,3\n"), nodes, {}, {}, {.names = {"u", "v"}}).graph,
              graph);
}

TEST_F(CsvGraph, NamesColumnsThatSayNothingOfAnEdge) {
    const auto points = directory.write("nodes.csv", "id\n0\n1\n2\n");
    EXPECT_THAT(read_graph(directory.write("e.csv", "u,x,v\n0,9,1\n1,9,2\n"), points, {}).unused_of_edges,
                ElementsAre("x"));
    EXPECT_THAT(read_graph(directory.write("e.csv", "u,v,weight\n0,1,9\n1,2,9\n"), points, {}).unused_of_edges,
                testing::IsEmpty());
}

TEST_F(CsvGraph, RefusesFilesThatAreNotGraphs) {
    EXPECT_THAT(edges_refused(""), HasSubstr("bad.csv:1: the file is empty"));
    EXPECT_THAT(edges_refused("u,v\n"), EndsWith("bad.csv: there are no rows after the header"));
    EXPECT_THAT(edges_refused("a,b,since\n0,1,1\n"),
                HasSubstr("bad.csv:1: there is no column 'u': an edge's nodes are columns u and v, its weight, if it "
                          "has one, column weight: if the first two columns are its nodes, add --names u,v,since"));
    EXPECT_THAT(edges_refused("a,b,Edge_Weight\n0,1,1\n"), EndsWith("add --names u,v,weight"));
    EXPECT_THAT(edges_refused("ann,bob\nbob,cid\n"), EndsWith("a node that comes again: add --no-header"));
    EXPECT_THAT(edges_refused("u,v\n0,1,1\n"), HasSubstr("bad.csv:2: 3 cells where the header has 2"));
    EXPECT_THAT(nodes_refused("sex\nf\n"), HasSubstr("bad.csv:1: there is no column 'node'"));
    EXPECT_THAT(nodes_refused("node,sex\n"), EndsWith("bad.csv: there are no rows after the header"));
    EXPECT_THAT(nodes_refused("node\n", {}), EndsWith("bad.csv: there are no rows after the header"));
    EXPECT_THAT(refusal([&] { (void)read_graph(directory / "none.csv", nodes, {}); }),
                HasSubstr("none.csv: No such file"));
    EXPECT_THAT(refusal([&] { (void)read_graph(edges, directory / "none.csv", {}); }),
                HasSubstr("none.csv: No such file"));
}

}  // namespace
}  // namespace fairstream::files
