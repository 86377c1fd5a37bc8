#include <fairstream/generate/graphs.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

#include <fairstream/generate/detail/integer_draws.hpp>

namespace fairstream::generate {
namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw InvalidInput(Reason::bad_option, what);
}

void check_count(std::string_view name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    if (value >= least && value <= most) return;
    refuse(std::string(name) + " = " + std::to_string(value) + " must be " + std::to_string(least) + " to " +
           std::to_string(most));
}

/// Returns (log n / n)^(1/10), rounded to a multiple of 2^-20. Logarithms and powers differ between platforms by about
/// 2^-52, which moves the rounded scale for one n in 2^30, if any.
double scale(std::uint32_t nodes) {
    const double n = nodes;
    return std::round(std::pow(std::log(n) / n, 0.1) * 0x1p20) * 0x1p-20;
}

/// Returns a threshold: a draw of 32 bits is below it with probability `share`.
std::uint64_t threshold(double share) {
    return static_cast<std::uint64_t>(std::llround(share * 0x1p32));
}

/// Cluster and group of a node of the block model.
struct Cell {
    std::uint32_t cluster, group;
};

/// Returns a cell for each node, in random order (Fisher-Yates). The numbers of nodes in the cells differ by at most
/// one.
std::vector<Cell> draw_cells(const BlockModel& model, std::mt19937_64& random) {
    std::vector<Cell> cells;
    for (std::uint32_t node = 0; node < model.nodes; ++node)
        cells.push_back({node % model.clusters, node / model.clusters % model.groups});
    for (std::uint32_t left = model.nodes; left > 1; --left)
        std::swap(cells[left - 1], cells[static_cast<std::size_t>(uniform(random, left))]);
    return cells;
}

std::vector<Attribute> group_attribute(std::uint32_t groups) {
    Attribute attribute{"group", {}};
    for (std::uint32_t group = 0; group < groups; ++group) attribute.groups.push_back(std::to_string(group));
    return {attribute};
}

PlantedGraph make_block_model(std::uint32_t nodes, std::uint64_t seed) {
    return block_model_graph({.nodes = nodes}, seed);
}

constexpr std::array known_graphs = {
    GraphKind{"msbm",
              "a graph of 50 clusters, each with nodes of 5 groups; the clusters are harder to find than the groups",
              BlockModel{}.nodes, make_block_model},
    GraphKind{"rand_laplace", "a graph of all pairs with random weights; groups 7:3", 1'000, random_weights_graph},
};

}  // namespace

void check(const BlockModel& model) {
    check_count("clusters", model.clusters, 1, 32'767);
    check_count("groups", model.groups, 1, most_graph_nodes);
    const std::uint64_t cells = std::uint64_t{model.clusters} * model.groups;
    check_count("clusters * groups", cells, 1, most_graph_nodes);
    // At least two nodes, as the logarithm of one is 0.
    check_count("nodes", model.nodes, std::max<std::uint64_t>(2, cells), most_graph_nodes);
    const std::array factors = {1.0, model.same_cluster_and_group, model.same_group, model.same_cluster, model.neither};
    const bool falling = factors[0] >= factors[1] && factors[1] > factors[2] && factors[2] > factors[3] &&
                         factors[3] > factors[4] && factors[4] >= 0;  // false for NaN, too
    if (falling) return;
    std::string text;
    for (std::size_t i = 1; i < factors.size(); ++i) text += (i > 1 ? ", " : "") + std::to_string(factors[i]);
    refuse("factors a, b, c, d = " + text + ": must be in falling order, from at most 1 to at least 0");
}

PlantedGraph block_model_graph(const BlockModel& model, std::uint64_t seed) {
    check(model);
    std::mt19937_64 random(seed);
    const std::vector<Cell> cells = draw_cells(model, random);
    const double factor = scale(model.nodes);
    // Indexed by [same cluster][same group].
    const std::array<std::array<std::uint64_t, 2>, 2> thresholds = {
        {{threshold(model.neither * factor), threshold(model.same_group * factor)},
         {threshold(model.same_cluster * factor), threshold(model.same_cluster_and_group * factor)}}};

    PlantedGraph made{{model.nodes, {}}, group_attribute(model.groups), {}, {}};
    for (const Cell& cell : cells) {
        made.groups.push_back(static_cast<GroupId>(cell.group));
        made.planted.push_back(static_cast<ClusterId>(cell.cluster));
    }
    for (std::uint32_t u = 0; u < model.nodes; ++u) {
        for (std::uint32_t v = u + 1; v < model.nodes; ++v) {
            const std::size_t same_cluster = cells[u].cluster == cells[v].cluster ? 1 : 0;
            const std::size_t same_group = cells[u].group == cells[v].group ? 1 : 0;
            if (random() >> 32 < thresholds[same_cluster][same_group]) made.graph.edges.push_back({u, v, 1});
        }
    }
    return made;
}

PlantedGraph random_weights_graph(std::uint32_t nodes, std::uint64_t seed) {
    check_count("nodes", nodes, 2, most_graph_nodes);
    std::mt19937_64 random(seed);
    PlantedGraph made{{nodes, {}}, group_attribute(2), {}, {}};
    for (std::uint32_t node = 0; node < nodes; ++node) made.groups.push_back(uniform(random, 10) < 3 ? 1 : 0);
    made.graph.edges.reserve(std::size_t{nodes} * (nodes - 1) / 2);
    for (std::uint32_t u = 0; u < nodes; ++u) {
        for (std::uint32_t v = u + 1; v < nodes; ++v) {
            const auto ticks = static_cast<float>((random() >> 40) + 1);  // 1 to 2^24
            made.graph.edges.push_back({u, v, ticks * 0x1p-24F});
        }
    }
    return made;
}

std::span<const GraphKind> graph_kinds() noexcept {
    return known_graphs;
}

const GraphKind* find_graph_kind(std::string_view name) noexcept {
    const auto* const found = std::ranges::find(known_graphs, name, &GraphKind::name);
    return found == known_graphs.end() ? nullptr : found;
}

std::string graph_names() {
    std::string names;
    for (const GraphKind& kind : known_graphs) names += (names.empty() ? "" : ", ") + std::string(kind.name);
    return names;
}

PlantedGraph make_graph(std::string_view name, std::uint64_t seed, std::optional<std::uint64_t> nodes) {
    const GraphKind* kind = find_graph_kind(name);
    if (kind == nullptr) refuse("there is no generator of graphs '" + std::string(name) + "'; known: " + graph_names());
    const std::uint64_t count = nodes.value_or(kind->nodes);
    check_count("nodes", count, 2, most_graph_nodes);
    return kind->make(static_cast<std::uint32_t>(count), seed);
}

}  // namespace fairstream::generate
