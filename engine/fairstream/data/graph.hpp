#pragma once
/// An undirected weighted graph as an edge list.

#include <cstdint>
#include <vector>

namespace fairstream {

inline constexpr float edge_weight_limit = 1e15F;

struct Edge {
    std::uint32_t u = 0, v = 0;  ///< in [0, nodes), not equal
    float weight = 1;            ///< above 0, at most `edge_weight_limit`
    bool operator==(const Edge&) const = default;
};

struct Graph {
    std::uint32_t nodes = 0;
    std::vector<Edge> edges;  ///< each pair of nodes at most once, in any direction and order
    bool operator==(const Graph&) const = default;
};

/// Throws `InvalidInput` (malformed) for the first edge that breaks a rule above by itself; if there is none, for the
/// first edge that repeats an earlier pair of nodes. Temporarily takes 8 bytes per edge.
void check(const Graph& graph);

}  // namespace fairstream
