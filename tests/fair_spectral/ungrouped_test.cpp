/// Cuts that the embedding with group constraints does not show: between its parts, and across them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/graph_labels/detail/ungrouped.hpp>
#include <fairstream/models/fair_spectral/cluster_graph.hpp>
#include <fairstream/models/fair_spectral/front.hpp>

#include "model_bench.hpp"
#include "problems.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace fairstream::test;

const std::vector<Attribute> one_attribute{{"group", {"a", "b"}}};

/// Bands of nodes, each joined to the next four of its band: long separate parts, with distant ends.
Graph bands(std::uint32_t count, std::uint32_t length) {
    constexpr std::uint32_t reach = 4;
    Graph graph{count * length, {}};
    for (std::uint32_t v = 0; v < graph.nodes; ++v)
        for (std::uint32_t u = v < reach ? 0 : v - reach; u < v; ++u)
            if (u / length == v / length) graph.edges.push_back({u, v, 1});
    return graph;
}

/// Assigns random groups to the nodes of bands; the first group has the share in `shares` of each band.
std::vector<GroupId> groups_by_band(const std::vector<double>& shares, std::uint32_t length) {
    Random random(1, 5);
    std::vector<GroupId> groups;
    for (const double share : shares) {
        std::vector<GroupId> band(length, 1);
        std::fill_n(band.begin(), std::lround(share * length), GroupId{0});
        for (std::uint32_t i = length - 1; i > 0; --i) std::swap(band[i], band[random.below(i + 1)]);
        groups.insert(groups.end(), band.begin(), band.end());
    }
    return groups;
}

Options two_clusters(std::uint64_t seed = 1) {
    Options options;
    options.clusters = 2;
    options.seed = seed;
    return options;
}

double cut_of(const GraphClustering& clustering) {
    return std::ranges::find(clustering.figures, "normalised_cut", &Figure::name)->value;
}

double parity_of(const GraphClustering& clustering) {
    return attribute_fairness(clustering.tally, 0).parity;
}

TEST(Ungrouped, PartsThatMeetTheTargetAreTheClusters) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const GraphClustering found =
            cluster_graph(two_clusters(seed), bands(2, 250), one_attribute, groups_by_band({0.54, 0.46}, 250));
        EXPECT_EQ(cut_of(found), 0);
        EXPECT_GE(parity_of(found), 0.8);
        EXPECT_EQ(found.solve.outcome, Outcome::converged);
    }
}

TEST(Ungrouped, PartsAreClustersWithoutTarget) {
    Options options = two_clusters();
    options.targets.parity_at_least = 0;
    const GraphClustering found = cluster_graph(options, bands(2, 200), one_attribute, groups_by_band({0.3, 0.7}, 200));
    EXPECT_EQ(cut_of(found), 0);
}

// Three bands against the other three: only some of these divisions keep the parity.
TEST(Ungrouped, ExcessPartsAreGroupedForTarget) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const GraphClustering found = cluster_graph(two_clusters(seed), bands(6, 60), one_attribute,
                                                    groups_by_band({0.9, 0.1, 0.8, 0.2, 0.7, 0.3}, 60));
        EXPECT_EQ(cut_of(found), 0);
        EXPECT_GE(parity_of(found), 0.8);
    }
}

TEST(Ungrouped, TheFrontBeginsAtTheParts) {
    FrontOptions options;
    options.model = two_clusters();
    options.stages = 4;
    options.rounds = 0;
    const Front front = find_front(options, bands(2, 150), one_attribute, groups_by_band({0.35, 0.65}, 150));
    EXPECT_EQ(front.points.front().cost, 0);
}

// Returns points on two separate half circles, up to `noise` off them; `shares` is the share of the first group on
// each.
PointColumns half_circles(std::size_t each, const std::vector<double>& shares, double noise, std::uint64_t seed) {
    Random random(seed, 7);
    const auto off = [&] { return noise * (2 * random.unit() - 1); };
    PointColumns points;
    for (std::size_t i = 0; i < 2 * each; ++i) {
        const double angle = std::numbers::pi * static_cast<double>(i % each) / static_cast<double>(each);
        const bool first = i < each;
        points.ids.push_back(i);
        points.features.push_back(static_cast<float>(std::cos(angle) + (first ? 0 : 1) + off()));
        points.features.push_back(static_cast<float>((first ? 1 : -1) * std::sin(angle) + (first ? 0 : 0.5) + off()));
        points.groups.push_back(random.unit() < shares[i / each] ? 0 : 1);
    }
    return points;
}

TEST(Ungrouped, FirstStepFindsParts) {
    SpectralBench bench(spectral(2), StreamFormat{2, one_attribute, false}, 400);
    bench.ingest(half_circles(200, {0.35, 0.65}, 0, 1).view());
    ASSERT_EQ(bench.state.graph.parts, 2U);
    EXPECT_EQ(bench.state.quality.normalised_cut, 0);
    expect_sound(bench);
}

// Parity requires cutting both half circles, and the embedding of two columns shows only the cut between them. Labels
// come from finer parts of more columns. Ten starts on the embedding with the groups' constraint end at .014 on
// average.
TEST(Ungrouped, BothPartsAreCutForParity) {
    double sum = 0;
    for (const std::uint64_t points : {1U, 2U, 3U})
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            SpectralBench bench(two_clusters(seed), StreamFormat{2, one_attribute, false}, 800);
            bench.ingest(half_circles(400, {0.6, 0.3}, 0.12, points).view());
            EXPECT_GE(attribute_fairness(bench.state.tally, 0).parity, 0.8);
            sum += bench.state.quality.normalised_cut;
        }
    EXPECT_LE(sum / 9, 0.011);
}

// The columns of a matrix of n rows less their means, over their deviations, rows counting by their degrees.
Matrix standardised(Matrix x, std::span<const double> roots) {
    double volume = 0;
    for (const double root : roots) volume += root * root;
    for (std::size_t j = 0; j < x.cols; ++j) {
        double mean = 0, variance = 0;
        for (std::size_t i = 0; i < x.rows; ++i) mean += roots[i] * roots[i] / volume * x.at(i, j);
        for (std::size_t i = 0; i < x.rows; ++i)
            variance += roots[i] * roots[i] / volume * (x.at(i, j) - mean) * (x.at(i, j) - mean);
        for (std::size_t i = 0; i < x.rows; ++i) x.at(i, j) = (x.at(i, j) - mean) / std::sqrt(variance);
    }
    return x;
}

TEST(Ungrouped, DiffusionMatchesRandomWalk) {
    constexpr std::uint64_t seed = 5, stream = 77;
    for (const SpectralProblem& p : {neighbour_problem(120, 2), radial_problem(60, 2)}) {
        const std::size_t n = p.n(), width = Ungrouped::diffused_width;
        const Ungrouped found = ungrouped(*p.m, Matrix(n, 0), 3, {}, seed);
        ASSERT_EQ(found.diffused.size(), 2U);
        const std::vector<double> roots = p.m->roots();
        Random random(seed, stream);
        Matrix x(n, width);
        for (double& value : x.values) value = 2 * random.unit() - 1;
        int steps = 0;
        for (const auto& [until, least] : {std::pair(8, 1 - 1e-6), std::pair(32, 0.995)}) {
            for (; steps < until; ++steps) {
                Matrix next(n, width);
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t u = 0; u < n; ++u)  // (I + D^-1 K) / 2
                        for (std::size_t j = 0; j < width; ++j)
                            next.at(i, j) +=
                                0.5 * (p.matrix.at(i, u) * roots[u] / roots[i] + (i == u ? 1 : 0)) * x.at(u, j);
                x = next;
            }
            const Matrix expected = standardised(x, roots);
            const std::vector<float>& values = found.diffused[until == 8 ? 0 : 1];
            double volume = 0;
            for (const double root : roots) volume += root * root;
            for (std::size_t j = 0; j < width; ++j) {
                double correlation = 0;
                for (std::size_t i = 0; i < n; ++i)
                    correlation += roots[i] * roots[i] / volume * expected.at(i, j) * double{values[i * width + j]};
                EXPECT_GT(correlation, least) << p.name << ", column " << j << " after " << until;
            }
        }
    }
}

}  // namespace
}  // namespace fairstream::fair_spectral
