#include <fairstream/data/detail/graph_affinity.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fairstream/numeric/detail/blocks.hpp>

namespace fairstream {
namespace {

// Returns the power of two by which all weights are divided, which rounds nothing. M and the labels do not depend on
// the unit of the weights, but very small weights would underflow float32.
float unit_of(const Graph& graph) {
    float largest = 0;
    for (const Edge& edge : graph.edges) largest = std::max(largest, edge.weight);
    return largest > 0 ? std::ldexp(1.0F, std::ilogb(largest)) : 1;
}

SparseMatrix from_edges(const Graph& graph) {
    const float unit = unit_of(graph);
    SparseMatrix matrix;
    matrix.first.assign(std::size_t{graph.nodes} + 1, 0);
    for (const Edge& edge : graph.edges) ++matrix.first[edge.u + 1], ++matrix.first[edge.v + 1];
    std::partial_sum(matrix.first.begin(), matrix.first.end(), matrix.first.begin());
    std::vector<std::pair<Slot, float>> entries(2 * graph.edges.size());
    std::vector<std::uint64_t> next(matrix.first.begin(), matrix.first.end() - 1);
    for (const Edge& edge : graph.edges) {
        entries[next[edge.u]++] = {edge.v, edge.weight / unit};
        entries[next[edge.v]++] = {edge.u, edge.weight / unit};
    }
    for (std::size_t i = 0; i < graph.nodes; ++i)
        std::sort(entries.begin() + static_cast<std::ptrdiff_t>(matrix.first[i]),
                  entries.begin() + static_cast<std::ptrdiff_t>(matrix.first[i + 1]));
    for (const auto& [column, weight] : entries) matrix.columns.push_back(column), matrix.weights.push_back(weight);
    return matrix;
}

}  // namespace

GraphAffinity::GraphAffinity(const Graph& graph) {
    matrix_ = from_edges(graph);
    degrees_ = matrix_.row_sums();
}

DenseGraphAffinity::DenseGraphAffinity(const Graph& graph) {
    const float unit = unit_of(graph);
    matrix_.resize(graph.nodes);
    for (const Edge& edge : graph.edges) matrix_.row(edge.u)[edge.v] = matrix_.row(edge.v)[edge.u] = edge.weight / unit;
    degrees_.assign(graph.nodes, 0.0);
    for_row_blocks(graph.nodes, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            degrees_[i] = std::accumulate(matrix_.row(i), matrix_.row(i) + graph.nodes, 0.0);
    });
}

std::unique_ptr<Affinity> graph_affinity(const Graph& graph) {
    const double pairs = 0.5 * static_cast<double>(graph.nodes) * static_cast<double>(graph.nodes);
    if (static_cast<double>(graph.edges.size()) * 16 > pairs) return std::make_unique<DenseGraphAffinity>(graph);
    return std::make_unique<GraphAffinity>(graph);
}

}  // namespace fairstream
