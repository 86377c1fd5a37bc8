#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

#include <fairstream/base/types.hpp>
#include <fairstream/data/graph.hpp>

namespace fairstream {
namespace {

using PackedPair = std::uint64_t;  // the smaller node in the high bits, the larger in the low

PackedPair packed(const Edge& edge) {
    const auto [low, high] = std::minmax(edge.u, edge.v);
    return (std::uint64_t{low} << 32) | high;
}

/// Returns the shortest text that reads back equal.
std::string shortest_text(float weight) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), weight).ptr};
}

[[noreturn]] void refuse(std::size_t index, const std::string& what) {
    throw InvalidInput(Reason::malformed, "edge " + std::to_string(index) + what);
}

void check_edge(const Graph& graph, std::size_t index) {
    const Edge& edge = graph.edges[index];
    const std::uint32_t node = std::max(edge.u, edge.v);
    if (node >= graph.nodes)
        refuse(index, ": node " + std::to_string(node) + " is not below nodes = " + std::to_string(graph.nodes));
    if (edge.u == edge.v) refuse(index, " joins node " + std::to_string(edge.u) + " to itself");
    if (!(edge.weight > 0 && edge.weight <= edge_weight_limit)) {  // also refuses NaN
        refuse(index, ": weight = " + shortest_text(edge.weight) + " must be above 0, at most " +
                          shortest_text(edge_weight_limit));
    }
}

/// Throws `InvalidInput` for the first edge between nodes that an earlier edge joins; there must be one.
[[noreturn]] void refuse_repeated(const Graph& graph) {
    std::vector<std::pair<PackedPair, std::size_t>> sorted;  // with the index of the edge
    sorted.reserve(graph.edges.size());
    for (std::size_t i = 0; i < graph.edges.size(); ++i) sorted.emplace_back(packed(graph.edges[i]), i);
    std::ranges::sort(sorted);
    std::size_t first = graph.edges.size(), before = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (sorted[i].first != sorted[i - 1].first || sorted[i].second >= first) continue;
        first = sorted[i].second;
        before = sorted[i - 1].second;
    }
    const Edge& edge = graph.edges[first];
    refuse(first, " joins nodes " + std::to_string(edge.u) + " and " + std::to_string(edge.v) + ", as edge " +
                      std::to_string(before) + " does");
}

}  // namespace

void check(const Graph& graph) {
    for (std::size_t i = 0; i < graph.edges.size(); ++i) check_edge(graph, i);
    std::vector<PackedPair> pairs(graph.edges.size());
    std::ranges::transform(graph.edges, pairs.begin(), packed);
    if (!std::ranges::is_sorted(pairs)) std::ranges::sort(pairs);  // generators and files mostly have them sorted
    if (std::ranges::adjacent_find(pairs) != pairs.end()) refuse_repeated(graph);
}

}  // namespace fairstream
