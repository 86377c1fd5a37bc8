/// The shortfalls of a cluster for single points: the same bits as from counting again.

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <numeric>
#include <random>

#include <fairstream/fair_kmeans/detail/cluster_changes.hpp>
#include <fairstream/fairness/demand.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>

#include "support/model_bench.hpp"

namespace fairstream {
namespace {

std::uint64_t bits(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

/// Compares all changes of random counts with `shortfall`, which counts again.
void expect_same(const Demand& demand, const std::vector<std::int64_t>& counts) {
    const ShortfallChanges changes(demand, counts);
    const int groups = static_cast<int>(counts.size());
    for (int minus = no_group; minus < groups; ++minus)
        for (int plus = no_group; plus < groups; ++plus)
            EXPECT_EQ(bits(changes.after(minus, plus)), bits(shortfall(demand, counts, minus, plus)))
                << groups << " groups, " << minus << " less, " << plus << " more";
    for (int minus = no_group; minus < groups; ++minus)
        for (int plus = no_group; plus < groups; ++plus)
            EXPECT_EQ(changes.keeps(minus, plus), shortfall(demand, counts, minus, plus) <= 0)
                << groups << " groups, " << minus << " less, " << plus << " more";
}

TEST(ShortfallChanges, AreThoseOfCountingAnew) {
    std::mt19937_64 random(7);
    std::uniform_int_distribution<std::int64_t> few(0, 4), many(0, 400);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int trial = 0; trial < 300; ++trial) {
        const std::size_t groups = 1 + random() % 9;
        Demand demand{.ratio = trial % 7 == 0 ? 1 : unit(random)};
        std::vector<std::int64_t> counts;
        for (std::size_t j = 0; j < groups; ++j) {
            counts.push_back(trial % 2 == 0 ? few(random) : many(random));
            if (trial % 3 != 0)
                demand.weights.push_back(trial % 5 == 0 && j % 2 == 0 ? 0
                                                                      : 1.0 / static_cast<double>(1 + many(random)));
        }
        expect_same(demand, counts);
        expect_same({.ratio = 0}, counts);
        Demand shares{.lower = std::vector<double>(groups, 0.8 * unit(random) / static_cast<double>(groups))};
        shares.upper.assign(groups, 1.2 / static_cast<double>(groups));
        expect_same(shares, counts);
    }
    expect_same({.ratio = 0.5}, {0, 0, 0});
    expect_same({.ratio = 0.5}, {3, 3, 3});
    expect_same({.ratio = 0.5}, {});
}

// Returns by how much w_j falls below its bounds, or above them, with the other weights as they are.
double below(const Demand& demand, std::vector<double> weights, std::size_t j, double weight) {
    weights[j] = weight;
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (demand.of_shares()) return demand.lower[j] * all - weight;
    double most = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) most = std::max(most, demand.weight(i) * weights[i]);
    return demand.ratio * most - demand.weight(j) * weight;
}

double above(const Demand& demand, std::vector<double> weights, std::size_t j, double weight) {
    weights[j] = weight;
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (demand.of_shares()) return weight - demand.upper[j] * all;
    double excess = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (i != j && demand.weight(i) > 0)
            excess = std::max(excess, demand.ratio * demand.weight(j) * weight - demand.weight(i) * weights[i]);
    return excess;
}

TEST(RoomWithinDemands, EndsWhereTheBoundIsMissed) {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> unit(0.05, 0.95), many(1, 400);
    for (int trial = 0; trial < 300; ++trial) {
        const std::size_t groups = 2 + random() % 4;
        Demand ratio{.ratio = unit(random)}, shares;
        std::vector<double> weights;
        for (std::size_t j = 0; j < groups; ++j) {
            weights.push_back(many(random));
            ratio.weights.push_back(1 / many(random));
            shares.lower.push_back(unit(random));
            shares.upper.push_back(unit(random));
        }
        for (const Demand& demand : {ratio, shares})
            for (std::size_t j = 0; j < groups; ++j) {
                const double least = weights[j] - above_lower_bound(demand, weights, j),
                             most = weights[j] + below_upper_bound(demand, weights, j);
                EXPECT_LE(below(demand, weights, j, least * 1.001), 0);
                EXPECT_GT(below(demand, weights, j, least * 0.999), 0);
                EXPECT_LE(above(demand, weights, j, most * 0.999), 0);
                EXPECT_GT(above(demand, weights, j, most * 1.001), 0);
            }
    }
}

TEST(RoomWithinDemands, IsInfiniteWithoutABound) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> weights{3, 5};
    const Demand none{.ratio = 0}, uncounted{.ratio = 0.5, .weights = {1, 0}}, any{.lower = {0, 0}, .upper = {1, 1}};
    EXPECT_EQ(above_lower_bound(none, weights, 0), infinity);
    EXPECT_EQ(below_upper_bound(none, weights, 0), infinity);
    EXPECT_EQ(above_lower_bound(uncounted, weights, 1), infinity);
    EXPECT_EQ(below_upper_bound(uncounted, weights, 1), infinity);
    EXPECT_EQ(above_lower_bound(any, weights, 1), 5);
    EXPECT_EQ(below_upper_bound(any, weights, 1), infinity);
}

using safairkm::ClusterChanges;
using safairkm::Clustering;

/// Compares the changes of each cluster, including an already changed one, with `Clustering::shortfall`.
void expect_same(const Clustering& c) {
    const int cells = static_cast<int>(c.cells.count());
    for (ClusterId l = 0; l < static_cast<ClusterId>(c.k); ++l) {
        const ClusterChanges changes(c, l);
        for (int minus = no_group; minus < cells; ++minus) {
            const ClusterChanges with_less(c, l, minus, no_group), with_more(c, l, no_group, minus);
            for (int plus = no_group; plus < cells; ++plus) {
                SCOPED_TRACE(testing::Message() << "cluster " << l << ", " << minus << " less, " << plus << " more");
                const double anew = c.shortfall(l, minus, plus);
                EXPECT_EQ(bits(changes.shortfall(minus, plus)), bits(anew));
                EXPECT_EQ(bits(with_less.shortfall(no_group, plus)), bits(anew));
                EXPECT_EQ(bits(with_more.shortfall(plus, no_group)), bits(c.shortfall(l, plus, minus)));
                EXPECT_EQ(changes.keeps(minus, plus), anew <= 0);
            }
        }
    }
}

TEST(ClusterChanges, AreThoseOfAllDemandsOnAClustering) {
    const StreamFormat format{
        2, {{"place", {"a", "b", "c", "d", "e", "unknown"}, true}, {"sex", {"f", "m", "d"}}}, false};
    safairkm::Options options;
    options.clusters = 4;
    options.targets.attribute = {0, 1};
    options.effort = 0;
    options.targets.rare_below = 0;
    for (const double parity : {0.0, 0.7, 1.0})
        for (const bool is_bounded : {false, true}) {
            options.targets.parity_at_least = parity;
            options.targets.share_delta = is_bounded ? 0.5 : 1;
            options.targets.size_at_least = is_bounded ? 25 : 0;
            test::ModelBench<safairkm::Model> bench(options, format, 120);
            bench.ingest(test::mixture(format, 120, 5).view());
            Clustering c(bench.options, bench.state, bench.workspace, bench.window);
            c.keep_index();
            ASSERT_EQ(c.cells.count(), 18U);
            expect_same(c);
        }
}

}  // namespace
}  // namespace fairstream
