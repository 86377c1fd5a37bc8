#pragma once
/// Synthetic graphs to measure fair spectral clustering on, after F. Tonin, A. Lambert, J. A. K. Suykens and
/// V. Cevher, *Accelerating spectral clustering under fairness constraints* (section 4, "Datasets").

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/data/graph.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream::generate {

/// Largest number of nodes. Both generators draw for every pair of nodes, and a graph may have up to half the square of
/// this number of edges, 12 bytes each.
inline constexpr std::uint32_t most_graph_nodes = 32'768;

/// A synthetic graph, with its planted clustering if it has one.
struct PlantedGraph {
    Graph graph;                        ///< edges by rising (u, v), u < v
    std::vector<Attribute> attributes;  ///< one attribute, "group"
    std::vector<GroupId> groups;        ///< nodes
    std::vector<ClusterId> planted;     ///< by node; empty: no clustering was planted
    bool operator==(const PlantedGraph&) const = default;
};

/// m-SBM, the modified stochastic block model of M. Kleindessner, S. Samadi, P. Awasthi and J. Morgenstern, *Guarantees
/// for spectral clustering with fairness constraints* (ICML 2019, section 4). Nodes have a cluster and a group. The
/// probability of an edge depends only on whether its two nodes share the cluster, and whether they share the group.
/// Nodes of one group are joined more often than nodes of one cluster, so that plain spectral clustering finds the
/// groups, and a fair one the clusters.
///
/// The probabilities are these factors times (log n / n)^(1/10), the scale of Tonin et al., who do not publish their
/// factors. Those of Kleindessner et al., 0.4, 0.3, 0.2 and 0.1 with five clusters, do not work for fifty: clusters
/// move the spectrum by about ((a - b) + (h - 1) (c - d)) n / (k h), chance by the square root of n times the variance
/// of an edge. That is 2 against 12 for n = 2,000, and an exact fair spectral clustering mislabels nine nodes of ten,
/// at n = 5,000 too. With the factors below it mislabels 3 to 6 of a hundred at n = 2,000, and none from n = 5,000 on,
/// where Tonin et al. report a balance of 1.
struct BlockModel {
    std::uint32_t nodes = 2'000;        ///< n, from clusters * groups to `most_graph_nodes`
    std::uint32_t clusters = 50;        ///< k, 1 to 32767
    std::uint32_t groups = 5;           ///< h, 1 to `most_graph_nodes`
    double same_cluster_and_group = 1;  ///< a: factor of the probability, at most 1
    double same_group = 0.9;            ///< b, below a
    double same_cluster = 0.8;          ///< c, below b
    double neither = 0.01;              ///< d, below c, at least 0
    bool operator==(const BlockModel&) const = default;
};
/// Throws `InvalidInput` (bad_option) when a range above is broken.
void check(const BlockModel& model);

/// Draws a graph of the model. The numbers of nodes by cluster and group differ by at most one: if n is a multiple of k
/// h, the planted clustering has balance 1. The order of the nodes is random, uniformly over all orders; all weights
/// are 1. The same model and seed give the same graph on every platform: all arithmetic is in integers, except the
/// scale, which is rounded to a multiple of 2^-20. Throws as `check`.
[[nodiscard]] PlantedGraph block_model_graph(const BlockModel& model, std::uint64_t seed);

/// RandLaplace: every two nodes are joined, with weights uniform in (0, 1], multiples of 2^-24. Each node is in group 1
/// with probability 0.3, otherwise in group 0. The same arguments give the same graph on every platform. `nodes` is 2
/// to `most_graph_nodes`; throws `InvalidInput` (bad_option) otherwise.
[[nodiscard]] PlantedGraph random_weights_graph(std::uint32_t nodes, std::uint64_t seed);

struct GraphKind {
    std::string_view name;
    std::string_view help;  ///< description of the graph
    std::uint32_t nodes;    ///< default number of nodes
    PlantedGraph (*make)(std::uint32_t nodes, std::uint64_t seed);
};

/// Returns all kinds of graph; no name is also one of `generator_kinds`.
[[nodiscard]] std::span<const GraphKind> graph_kinds() noexcept;
/// Returns the kind `name`; null if unknown.
[[nodiscard]] const GraphKind* find_graph_kind(std::string_view name) noexcept;
/// Returns the names of all kinds, "a, b, c".
[[nodiscard]] std::string graph_names();
/// Makes a graph of the kind `name`; by default `nodes` is the kind's. Throws `InvalidInput` (bad_option).
[[nodiscard]] PlantedGraph make_graph(std::string_view name, std::uint64_t seed,
                                      std::optional<std::uint64_t> nodes = {});

}  // namespace fairstream::generate
