#pragma once
/// A graph in two CSV files: its edges, and its nodes with their groups and classes.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fairstream/data/graph.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/columns/classes.hpp>
#include <fairstream/files/rows/shape.hpp>

namespace fairstream::files {

/// Numbers of edges in a file that are left out of the graph.
struct EdgesLeftOut {
    std::uint64_t repeated = 0;        ///< edges that repeat an earlier one, in either direction
    std::uint64_t loops = 0;           ///< edges from a node to itself
    std::uint64_t without_weight = 0;  ///< edges of weight 0
};

struct GraphTable {
    Graph graph;                                    ///< edges in the order of their file
    std::vector<Attribute> attributes;              ///< a
    std::vector<GroupId> groups;                    ///< nodes x a, row-major, in the order of node numbers
    std::vector<ClassId> classes = {};              ///< in the order of node numbers, or empty
    std::vector<std::string> names = {};            ///< names of the nodes, in the order of their file; empty: numbers
    Shape shape_of_edges = {};                      ///< as detected
    std::vector<std::string> unused_of_edges = {};  ///< columns of edges that are neither nodes nor weights
    bool has_weights = false;                       ///< whether edges have a column of weights
    EdgesLeftOut left_out = {};
};

/// Reads a graph from two files. `progress`, if given, is called now and then with the share of the edges read.
///
/// The edges file has columns u and v (or source and target, from and to, src and dst), and weight (or w) unless all
/// weights are 1. Names are accepted in any case of letters; without a header the columns are in this order. An edge
/// repeated with the same weight, in either direction, counts once. Loops and edges of weight 0 are left out
/// (`GraphTable::left_out`).
///
/// The nodes file has a column node, id or name. It holds each of 0 to n - 1 once, in any order; or the names of the
/// nodes, each once, which u and v then use. The columns `group_names` hold groups, as for a `GroupColumn` without
/// named groups; `class_name`, unless empty, holds classes. Other columns are ignored. One of the files may be "-",
/// standard input.
///
/// Throws `InvalidInput`, naming file and line, for malformed content, a node without a name, an edge with an unknown
/// node, an edge repeated with another weight, a weight below 0 or above `edge_weight_limit`, and a file without edges.
[[nodiscard]] GraphTable read_graph(const std::filesystem::path& edges, const std::filesystem::path& nodes,
                                    const std::vector<std::string>& group_names, const std::string& class_name = {},
                                    const ShapeOptions& shape_of_edges = {},
                                    const std::function<void(double)>& progress = {});

}  // namespace fairstream::files
