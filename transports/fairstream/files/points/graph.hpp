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

/// Edges of a file that a graph does not have.
struct EdgesLeftOut {
    std::uint64_t repeated = 0;        ///< that join the nodes of an earlier one, in either direction, alike
    std::uint64_t loops = 0;           ///< from a node to itself
    std::uint64_t without_weight = 0;  ///< of weight 0
};

struct GraphTable {
    Graph graph;                          ///< edges in the order of their file
    std::vector<Attribute> attributes;    ///< a
    std::vector<GroupId> groups;          ///< nodes x a, row-major, by rising node
    std::vector<ClassId> classes = {};    ///< by rising node, or empty
    std::vector<std::string> names = {};  ///< of the nodes, in the order of their file; empty: they are numbers
    Shape shape_of_edges = {};            ///< as it was judged
    std::vector<std::string> unused_of_edges = {};  ///< columns of theirs that are neither nodes nor weights
    bool has_weights = false;                       ///< whether a column of theirs is one of weights
    EdgesLeftOut left_out = {};
};

/// Reads a graph. The edges file has columns u and v (or source and target, from and to, src and dst), and weight (or
/// w) unless all weights are 1, in any case of letters, or without a header these in this order. An edge that comes
/// again, in either direction, with the same weight counts once; one from a node to itself or of weight 0 is left out
/// (`GraphTable::left_out`). The nodes file has a column node, id or name, with each of 0 to n - 1 once, in any order,
/// or otherwise with the nodes' names, each once, which then are in u and v too; and the columns `group_names` (groups
/// as for a `GroupColumn` without named groups) and `class_name`, unless that is empty. Other columns are ignored.
/// Either may be "-", standard input, but not both. `progress`, when given, is called now and then with the share of
/// the edges read. Throws `InvalidInput` naming file and line for bad content, a node without a name, an edge with an
/// unknown node, one that comes again with another weight, a weight below 0 or above `edge_weight_limit`, and for a
/// file without edges.
[[nodiscard]] GraphTable read_graph(const std::filesystem::path& edges, const std::filesystem::path& nodes,
                                    const std::vector<std::string>& group_names, const std::string& class_name = {},
                                    const ShapeOptions& shape_of_edges = {},
                                    const std::function<void(double)>& progress = {});

}  // namespace fairstream::files
