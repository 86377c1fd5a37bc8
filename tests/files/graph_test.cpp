#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include <fairstream/files/points/graph.hpp>

#include "helpers.hpp"
#include "support/names.hpp"

namespace fairstream::files {
namespace {

using test::Names;
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

TEST_F(CsvGraph, DefaultWeightAndIgnoredColumns) {
    const GraphTable table =
        read_graph(directory.write("e.csv", "since,v,u\n2004-01-01,3,0\nlong ago,2,1\n"), nodes, {});
    EXPECT_EQ(table.graph, (Graph{4, {{0, 3, 1}, {1, 2, 1}}}));
    EXPECT_THAT(table.attributes, IsEmpty());
    EXPECT_THAT(table.groups, IsEmpty());
}

TEST_F(CsvGraph, ClassesAreNumberedByFirstRow) {
    EXPECT_THAT(read_graph(edges, nodes, {"sex"}).classes, IsEmpty());
    EXPECT_THAT(read_graph(edges, nodes, {"sex"}, "age").classes, ElementsAre(1, 0, 0, 0));
    EXPECT_THAT(read_graph(edges, nodes, {}, "sex").classes, ElementsAre(1, 1, 0, 0));
    EXPECT_THAT(refusal([&] { (void)read_graph(edges, nodes, {"sex"}, "kind"); }),
                Names({"malformed", "'kind'", "'node', 'sex', 'age'"}));
    const auto gap = directory.write("gap.csv", "node,sex,kind\n2,f,a\n0,m,\n3,f,b\n1,m,b\n");
    EXPECT_THAT(refusal([&] { (void)read_graph(edges, gap, {"sex"}, "kind"); }), Names({"gap.csv:3:", "'kind'", "''"}));
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

TEST_F(CsvGraph, RepeatedEdgeCountsOnce) {
    const auto read = [&](const std::string& text) { return read_graph(directory.write("e.csv", text), nodes, {}); };
    const GraphTable plain = read("u,v\n3,2\n0,1\n3,2\n1,0\n2,3\n");
    ASSERT_EQ(plain.graph.edges.size(), 2U);
    EXPECT_EQ(plain.graph.edges[0].u, 3U) << "in the order of the file";
    EXPECT_EQ(plain.graph.edges[1].v, 1U);
    EXPECT_EQ(plain.left_out.repeated, 3U);
    EXPECT_EQ(read("u,v,weight\n0,1,2\n2,3,1\n1,0,2\n").left_out.repeated, 1U);
    EXPECT_THAT(edges_refused("u,v,weight\n0,1,1\n2,3,1\n3,2,1\n1,0,2\n2,3,4\n"),
                Names({"bad.csv:5:", "0 and 1", "line 2", "weight"}));
    // A cell of two lines shifts the numbers of later lines.
    EXPECT_THAT(edges_refused("u,v,note,weight\n0,1,\"a\nb\",1\n1,2,,1\n0,1,,2\n"),
                Names({"bad.csv:5:", "0 and 1", "line 2"}));
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
    EXPECT_THAT(edges_refused("u,v\n1,1\n"), Names({"bad.csv:", "no edge"}));
}

TEST_F(CsvGraph, RefusesEdgesThatBreakTheRulesOfGraphs) {
    EXPECT_THAT(edges_refused("u,v\n0,4\n"), Names({"bad.csv:2:", "'v'", "'4'", "0 to 3"}));
    EXPECT_THAT(edges_refused("u,v\n4294967296,1\n"), Names({"'u'", "'4294967296'"}));
    for (const std::string cell : {"-1", "0.0", "1e3", "", "a", "18446744073709551616"})
        EXPECT_THAT(edges_refused("u,v\n" + cell + ",1\n"), Names({"bad.csv:2:", "'u'", "'" + cell + "'"}));
    for (const std::string cell : {"-0.5", "1.001e15", "1e-60"}) {
        EXPECT_THAT(edges_refused("u,v,weight\n0,1," + cell + "\n"),
                    Names({"bad_feature", "bad.csv:2:", "'weight'", "'" + cell + "'", "1e15"}));
    }
    for (const std::string cell : {"nan", "inf", "", "1,5", "1e999"})
        EXPECT_THAT(edges_refused("u,v,weight\n0,1," + cell + "\n"), HasSubstr("bad.csv:2: "));
}

TEST_F(CsvGraph, NodesMayHaveNames) {
    const auto named = directory.write("named.csv", "sex,node\nf, ann\nm,b b\nf,7\n");
    const GraphTable table =
        read_graph(directory.write("e.csv", "u,v,weight\n7,ann,2\nb b,7,1\n"), named, {"sex"}, "node");
    EXPECT_THAT(table.names, ElementsAre("ann", "b b", "7"));
    EXPECT_EQ(table.graph, (Graph{3, {{2, 0, 2}, {1, 2, 1}}}));
    EXPECT_THAT(table.groups, ElementsAre(0, 1, 0));
    EXPECT_THAT(table.classes, ElementsAre(0, 1, 2));
    EXPECT_THAT(refusal([&] { (void)read_graph(directory.write("x.csv", "u,v\nann,bob\n"), named, {}); }),
                Names({"x.csv:2:", "'v'", "'bob'"}));
    EXPECT_THAT(
        refusal([&] { (void)read_graph(directory.write("x.csv", "u,v,weight\nann,7,1\n7,ann,2\n"), named, {}); }),
        Names({"x.csv:3:", "ann and 7", "line 2", "weight"}));
    EXPECT_THAT(read_graph(directory.write("x.csv", "u,v\n1,3\n"), directory.write("n.csv", "node\n1\n3\n"), {}).names,
                ElementsAre("1", "3"))
        << "numbers with a gap";
    EXPECT_THAT(read_graph(edges, nodes, {"sex"}).names, IsEmpty());
}

TEST_F(CsvGraph, BadNodesAreRefused) {
    EXPECT_THAT(nodes_refused("node,sex\n0,f\n1,m\n1,m\n0,f\n"), Names({"bad.csv:4:", "node 1", "line 3"}));
    EXPECT_THAT(nodes_refused("node,sex\nann,f\nbob,m\nann,m\n"), Names({"bad.csv:4:", "node ann", "line 2"}));
    EXPECT_THAT(nodes_refused("node,sex\nann,f\n ,m\n"), Names({"bad.csv:3:", "'node'", "' '"}));
    EXPECT_THAT(nodes_refused("node,sex\n0,f\n"), Names({"edges.csv:2:", "'v'", "'1'", "0 to 0"}));
}

TEST_F(CsvGraph, RefusesGroupsThatAreNotThere) {
    EXPECT_THAT(nodes_refused("node,sex\n0,f\n1,\n"), Names({"unknown_group", "bad.csv:3:", "'sex'", "''"}));
    EXPECT_THAT(nodes_refused("node,age\n0,9\n"), Names({"malformed", "bad.csv:1:", "'sex'", "'node', 'age'"}));
    EXPECT_THAT(nodes_refused("node,sex\n0,f\n", {"sex", "sex"}), Names({"group", "'sex'", "twice"}));
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
    EXPECT_THAT(edges_refused(""), Names({"bad.csv:1:", "empty"}));
    EXPECT_THAT(edges_refused("u,v\n"), Names({"bad.csv:", "no rows"}));
    EXPECT_THAT(edges_refused("a,b,since\n0,1,1\n"), Names({"bad.csv:1:", "'u'", "add --names u,v,since"}));
    EXPECT_THAT(edges_refused("a,b,Edge_Weight\n0,1,1\n"), EndsWith("add --names u,v,weight"));
    EXPECT_THAT(edges_refused("ann,bob\nbob,cid\n"), EndsWith(": add --no-header"));
    EXPECT_THAT(edges_refused("u,v\n0,1,1\n"), Names({"bad.csv:2:", "3 cells", " 2"}));
    EXPECT_THAT(nodes_refused("sex\nf\n"), Names({"bad.csv:1:", "'node'"}));
    EXPECT_THAT(nodes_refused("node,sex\n"), Names({"bad.csv:", "no rows"}));
    EXPECT_THAT(nodes_refused("node\n", {}), Names({"bad.csv:", "no rows"}));
    EXPECT_THAT(refusal([&] { (void)read_graph(directory / "none.csv", nodes, {}); }), HasSubstr("none.csv: No such"));
    EXPECT_THAT(refusal([&] { (void)read_graph(edges, directory / "none.csv", {}); }), HasSubstr("none.csv: No such"));
}

}  // namespace
}  // namespace fairstream::files
