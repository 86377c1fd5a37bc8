/// The front of the normalised cut and balance: properties of its points and of every search.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <vector>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/fair_spectral/cluster_graph.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/front.hpp>

#include "problems.hpp"
#include "support/refusal.hpp"
#include "support/streams.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace fairstream::test;

/// Clusters formed by groups and joined at random, so that balance has a price.
struct Nodes {
    explicit Nodes(std::uint32_t n = 160, std::uint32_t blocks = 4, std::uint64_t seed = 1,
                   std::vector<std::uint32_t> group_counts = {2}) {
        Random random(seed, 9);
        std::vector<ClusterId> block(n);
        for (ClusterId& own : block) own = static_cast<ClusterId>(random.below(blocks));
        for (std::size_t a = 0; a < group_counts.size(); ++a) {
            attributes.push_back({"attribute" + std::to_string(a), {}});
            for (std::uint32_t j = 0; j < group_counts[a]; ++j) attributes[a].groups.push_back(std::to_string(j));
        }
        for (std::uint32_t i = 0; i < n; ++i)
            for (const std::uint32_t count : group_counts)
                groups.push_back(static_cast<GroupId>(random.unit() < 0.6 ? static_cast<std::uint32_t>(block[i]) % count
                                                                          : random.below(count)));
        graph.nodes = n;
        for (std::uint32_t v = 1; v < n; ++v)
            for (std::uint32_t u = 0; u < v; ++u)
                if (random.unit() < (block[u] == block[v] ? 0.3 : 0.03))
                    graph.edges.push_back({u, v, static_cast<float>(0.5 + random.unit())});
    }
    [[nodiscard]] Front front(const FrontOptions& options, int threads = 0,
                              const std::function<bool(const FrontProgress&)>& on_progress = {},
                              const OnProgress& on_work = {}) const {
        return find_front(options, graph, attributes, groups, threads, on_progress, on_work);
    }

    Graph graph;
    std::vector<Attribute> attributes;
    std::vector<GroupId> groups;
};

/// A short search.
FrontOptions quick(int clusters = 4) {
    FrontOptions options;
    options.model.clusters = clusters;
    options.model.starts = 3;
    options.stages = 8;
    options.rounds = 1;
    return options;
}

std::vector<ClusterId> labels_of(const Front& front, std::size_t i) {
    std::vector<ClusterId> labels(front.labels[i].size());
    front.labels[i].copy_to(labels);
    return labels;
}

FairnessTally tally_of(std::span<const ClusterId> labels, std::span<const GroupId> groups,
                       const std::vector<Attribute>& attributes, int k) {
    FairnessTally tally = empty_tally(k, {1, attributes, false});
    tally.add(labels, groups.data());
    return tally;
}

/// Returns the cut, counted edge by edge.
double cut_of(const Graph& graph, std::span<const ClusterId> labels, std::size_t k) {
    std::vector<double> leaving(k), all(k);
    for (const Edge& edge : graph.edges)
        for (const auto& [here, there] : {std::pair(edge.u, edge.v), std::pair(edge.v, edge.u)}) {
            all[static_cast<std::size_t>(labels[here])] += static_cast<double>(edge.weight);
            if (labels[here] != labels[there])
                leaving[static_cast<std::size_t>(labels[here])] += static_cast<double>(edge.weight);
        }
    double cut = 0;
    for (std::size_t l = 0; l < k; ++l) cut += all[l] > 0 ? leaving[l] / all[l] : 0;
    return cut;
}

void expect_front(const Front& front, int k) {
    ASSERT_FALSE(front.points.empty());
    ASSERT_EQ(front.labels.size(), front.points.size());
    ASSERT_EQ(front.by_attribute.size(), front.points.size());
    for (std::size_t i = 0; i < front.points.size(); ++i) {
        for (const ClusterId label : labels_of(front, i)) ASSERT_TRUE(label >= 0 && label < k) << label;
        if (i == 0) continue;
        EXPECT_GT(front.points[i].cost, front.points[i - 1].cost);
        EXPECT_GT(front.points[i].balance, front.points[i - 1].balance);
    }
    EXPECT_EQ(front.reference_cost, k);
    EXPECT_EQ(front.hypervolume, hypervolume(front.points, front.reference_cost));
}

/// Cut and balance of every point are those of its labels, and no point dominates another.
void expect_sound(const FrontOptions& options, const Nodes& nodes, const Front& front) {
    const auto k = static_cast<std::size_t>(options.model.clusters);
    expect_front(front, options.model.clusters);
    for (std::size_t i = 0; i < front.points.size(); ++i) {
        const std::vector<ClusterId> labels = labels_of(front, i);
        ASSERT_EQ(labels.size(), nodes.graph.nodes);
        EXPECT_NEAR(front.points[i].cost, cut_of(nodes.graph, labels, k), 1e-6);
        const FairnessTally tally = tally_of(labels, nodes.groups, nodes.attributes, options.model.clusters);
        if (nodes.attributes.size() > 1) continue;
        EXPECT_EQ(front.points[i].balance, minimum_balance(tally, 0));
        EXPECT_EQ(front.by_attribute[i], std::vector<double>{front.points[i].balance});
    }
}

void expect_same(const Front& a, const Front& b) {
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_EQ(a.by_attribute, b.by_attribute);
    EXPECT_EQ(a.hypervolume, b.hypervolume);
    EXPECT_EQ(a.rounds, b.rounds);
    EXPECT_EQ(a.outcome, b.outcome);
}

TEST(CutFront, PointsAreTrueAndNondominated) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Nodes nodes(160, 4, seed);
        for (const int stages : {0, 1, 7, 16}) {
            FrontOptions options = quick();
            options.stages = stages;
            options.model.seed = seed;
            expect_sound(options, nodes, nodes.front(options));
        }
    }
}

// No clustering found by a fit dominates a point of the front.
TEST(CutFront, AFitDoesNotLieBelowIt) {
    const Nodes nodes(240, 5);
    FrontOptions options = quick(5);
    options.model.starts = 10;
    options.stages = 64;
    options.rounds = 2;
    const Front front = nodes.front(options);
    expect_sound(options, nodes, front);
    for (const double target : {0.0, 0.2, 0.4, 0.6, 0.8}) {
        Options fit = options.model;
        fit.targets.balance_at_least = target;
        if (target == 0) fit.targets.parity_at_least = 0;
        const GraphClustering found = cluster_graph(fit, nodes.graph, nodes.attributes, nodes.groups);
        const double balance = minimum_balance(found.tally, 0);
        ASSERT_GE(balance, target);
        const std::optional<std::size_t> there = cheapest(front.points, balance);
        ASSERT_TRUE(there) << target;
        EXPECT_LE(front.points[*there].cost, 1.005 * cut_of(nodes.graph, found.labels, 5)) << target;
    }
}

TEST(CutFront, SpansLeastCutToBestBalance) {
    const Nodes nodes;
    const FrontOptions options = quick();
    const Front front = nodes.front(options);
    ASSERT_GT(front.points.size(), 3U);
    Options plain = options.model;
    plain.targets.parity_at_least = 0;
    const GraphClustering least = cluster_graph(plain, nodes.graph, nodes.attributes, nodes.groups);
    EXPECT_LE(front.points.front().cost, 1.005 * cut_of(nodes.graph, least.labels, 4));
    const std::vector<std::int64_t> counts{std::ranges::count(nodes.groups, 0), std::ranges::count(nodes.groups, 1)};
    EXPECT_GE(front.points.back().balance, 0.9 * weighted_balance({}, counts));
}

TEST(CutFront, PointsHaveFrontsToo) {
    const StreamFormat format = two_attributes();
    const PointColumns points = mixture(format, 300, 3, 0, 5);
    Window window(format, {.capacity = 300});
    window.apply(points.view());
    const FrontOptions options = quick();
    const Front front = find_front(options, window);
    expect_front(front, 4);
    for (std::size_t i = 0; i < front.points.size(); ++i)
        EXPECT_EQ(front.points[i].balance,
                  minimum_balance(tally_of(labels_of(front, i), window.points().groups, format.attributes, 4), 0));
    expect_same(find_front(options, window, 1), front);
}

TEST(CutFront, SeveralAttributesAndParity) {
    const Nodes nodes(200, 3, 4, {2, 3});
    FrontOptions options = quick(3);
    options.model.targets.attribute = {0, 1};
    for (const FrontMeasure measure : {FrontMeasure::balance, FrontMeasure::parity}) {
        options.measure = measure;
        const Front front = nodes.front(options);
        expect_sound(options, nodes, front);
        EXPECT_GT(front.points.back().balance, 0.8);
        for (std::size_t i = 0; i < front.points.size(); ++i) {
            const FairnessTally tally = tally_of(labels_of(front, i), nodes.groups, nodes.attributes, 3);
            double least = 1;
            for (const int a : {0, 1}) {
                std::vector<std::int64_t> all(static_cast<std::size_t>(tally.groups(a)));
                for (ClusterId l = 0; l < 3; ++l)
                    for (std::size_t j = 0; j < all.size(); ++j) all[j] += tally.counts(l, a)[j];
                Demand demand;
                if (measure == FrontMeasure::parity)
                    for (const std::int64_t count : all) demand.weights.push_back(1 / static_cast<double>(count));
                double own = 1;
                for (ClusterId l = 0; l < 3; ++l) own = std::min(own, weighted_balance(demand, tally.counts(l, a)));
                EXPECT_EQ(front.by_attribute[i][static_cast<std::size_t>(a)], own);
                least = std::min(least, measure == FrontMeasure::parity ? own : own / weighted_balance(demand, all));
            }
            EXPECT_DOUBLE_EQ(front.points[i].balance, least);
        }
    }
}

TEST(CutFront, IsReproducibleAtAnyThreadCount) {
    const Nodes nodes;
    FrontOptions options = quick();
    options.rounds = 2;
    const Front once = nodes.front(options, 1);
    for (const int threads : {1, 2, 4, 0}) expect_same(nodes.front(options, threads), once);
    options.model.seed = 2;
    EXPECT_NE(nodes.front(options).labels, once.labels);
}

TEST(CutFront, EveryStageAndRoundAddsToTheHypervolume) {
    const Nodes nodes(200, 5);
    FrontOptions options = quick(5);
    options.stages = 16;
    options.rounds = 3;
    std::vector<FrontProgress> seen;
    std::vector<std::vector<TradeOff>> fronts;
    const Front front = nodes.front(options, 2, [&](const FrontProgress& progress) {
        seen.push_back(progress);
        fronts.emplace_back(progress.points.begin(), progress.points.end());
        return true;
    });
    ASSERT_GE(seen.size(), 3U);
    for (std::size_t i = 1; i < seen.size(); ++i) {
        EXPECT_GE(seen[i].hypervolume, seen[i - 1].hypervolume);
        for (const TradeOff& point : fronts[i - 1]) EXPECT_TRUE(covers(fronts[i], point)) << "a point was lost";
        EXPECT_GT(seen[i].stages + seen[i].round, seen[i - 1].stages + seen[i - 1].round);
    }
    EXPECT_EQ(seen.back().stages, 16);
    EXPECT_EQ(seen.back().round, front.rounds);
    EXPECT_EQ(fronts.back(), front.points);
}

TEST(CutFront, WhoStopsTheSearchKeepsWhatItHas) {
    const Nodes nodes;
    FrontOptions options = quick();
    options.rounds = 3;
    int calls = 0;
    const Front first = nodes.front(options, 2, [&](const FrontProgress&) { return ++calls < 1; });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(first.rounds, 0);
    EXPECT_EQ(first.outcome, Outcome::iteration_limit);
    expect_sound(options, nodes, first);
    const auto stopped_after = [&](int checks, int threads = 1) {
        return nodes.front(options, threads, {}, [&checks](const WorkProgress&) { return --checks > 0; });
    };
    const Front at_once = stopped_after(1, 2);
    EXPECT_EQ(at_once.rounds, 0);
    expect_sound(options, nodes, at_once);
    for (const int checks : {2, 10, 50, 250}) expect_sound(options, nodes, stopped_after(checks));
    std::vector<double> shares;
    expect_same(
        nodes.front(options, 1, {}, [&](const WorkProgress& work) { return shares.push_back(work.share), true; }),
        nodes.front(options));
    EXPECT_GT(shares.size(), 100U);
    EXPECT_TRUE(std::ranges::is_sorted(shares));
}

TEST(CutFront, GapAndPointLimitApply) {
    const Nodes nodes(240, 5);
    FrontOptions options = quick(5);
    options.stages = 32;
    const Front all = nodes.front(options);
    options.gap = 0.2;
    const Front thin = nodes.front(options);
    EXPECT_LT(thin.points.size(), all.points.size());
    EXPECT_EQ(thinned(thin.points, 0.2).size(), thin.points.size());
    options.gap = 0;
    options.point_limit = 1;
    EXPECT_EQ(nodes.front(options).rounds, 0);
}

TEST(CutFront, OneClusterHasOneClustering) {
    const Nodes nodes(40);
    const Front front = nodes.front(quick(1));
    expect_sound(quick(1), nodes, front);
    ASSERT_EQ(front.points.size(), 1U);
    EXPECT_NEAR(front.points[0].cost, 0, 1e-6);
    EXPECT_EQ(front.outcome, Outcome::converged);
}

TEST(CutFront, PairsStayTogetherInEveryLabelling) {
    const Nodes nodes;
    FrontOptions options = quick();
    options.model.must_link = {{{0, 1}, {2, 3}}};
    const Front front = nodes.front(options);
    expect_sound(options, nodes, front);
    for (std::size_t i = 0; i < front.points.size(); ++i) {
        EXPECT_EQ(front.labels[i][0], front.labels[i][1]);
        EXPECT_EQ(front.labels[i][2], front.labels[i][3]);
    }
}

// More clusters than the parts can form, targets that most starts miss, and no moves for the cut.
TEST(CutFront, IsSoundWhereThereIsLittleChoice) {
    const Nodes nodes(150, 3, 5);
    expect_sound(quick(70), nodes, nodes.front(quick(70)));
    FrontOptions still = quick();
    still.model.sweeps = 0;
    expect_sound(still, nodes, nodes.front(still));
    Graph bare{24, {}};
    Nodes apart(24);
    apart.graph = bare;
    expect_sound(quick(3), apart, apart.front(quick(3)));
}

TEST(CutFront, TargetsOfTheModelAreNotLookedAt) {
    const Nodes nodes;
    FrontOptions options = quick();
    const Front plain = nodes.front(options);
    options.model.targets.balance_at_least = 0.3;
    options.model.targets.size_at_least = 20;
    expect_same(nodes.front(options), plain);
}

TEST(CutFront, OptionsOutOfRangeAreRefused) {
    const Nodes nodes(40);
    const auto expect_bad = [&](std::initializer_list<std::string_view> parts, const auto& spoil) {
        FrontOptions options = quick();
        spoil(options);
        expect_refused(Reason::bad_option, parts, [&] { (void)nodes.front(options); });
        expect_refused(Reason::bad_option, parts, [&] { check(options, {1, nodes.attributes, false}); });
    };
    expect_bad({"rounds = -1", "0 to 1e+06"}, [](FrontOptions& o) { o.rounds = -1; });
    expect_bad({"stages = 1000001", "0 to 1e+06"}, [](FrontOptions& o) { o.stages = 1'000'001; });
    expect_bad({"stages = -1", "0 to 1e+06"}, [](FrontOptions& o) { o.stages = -1; });
    expect_bad({"point_limit = 0", "1 to 1e+06"}, [](FrontOptions& o) { o.point_limit = 0; });
    expect_bad({"gap = 1", "below 1"}, [](FrontOptions& o) { o.gap = 1; });
    expect_bad({"gap = nan"}, [](FrontOptions& o) { o.gap = std::numeric_limits<double>::quiet_NaN(); });
    expect_bad({"clusters = 0"}, [](FrontOptions& o) { o.model.clusters = 0; });
    expect_bad({"starts = 0"}, [](FrontOptions& o) { o.model.starts = 0; });
    expect_bad({"attribute"}, [](FrontOptions& o) { o.model.targets.attribute = 3; });
    expect_refused(Reason::bad_option, {"threads = -1"}, [&] { (void)nodes.front(quick(), -1); });
}

TEST(CutFront, PointsThatCannotBeBalancedAreRefused) {
    const Nodes nodes(40);
    expect_refused(Reason::not_ready, {"clusters = 41", "points, 40"}, [&] { (void)nodes.front(quick(41)); });
    expect_refused(Reason::bad_option, {"40 nodes", "40 clusters under 1 constraints"},
                   [&] { (void)nodes.front(quick(40)); });
    expect_refused(Reason::bad_option, {"attribute"}, [&] { (void)find_front(quick(), nodes.graph, {}, {}); });
    const std::vector<Attribute> lone{{"lone", {"a"}}}, missing{{"missing", {"a", "b"}}};
    const std::vector<GroupId> zeros(40);
    expect_refused(Reason::not_ready, {"'lone'", "one group"},
                   [&] { (void)find_front(quick(), nodes.graph, lone, zeros); });
    FrontOptions named = quick();
    named.model.targets.rare_below = 0;
    expect_refused(Reason::not_ready, {"'b' of 'missing'"},
                   [&] { (void)find_front(named, nodes.graph, missing, zeros); });
    expect_refused(Reason::wrong_shape, {"39 groups for 40 nodes"}, [&] {
        (void)find_front(quick(), nodes.graph, nodes.attributes, std::span(nodes.groups).first(39));
    });
    Graph loop = nodes.graph;
    loop.edges.push_back({3, 3, 1});
    EXPECT_THROW((void)find_front(quick(), loop, nodes.attributes, nodes.groups), InvalidInput);
}

}  // namespace
}  // namespace fairstream::fair_spectral
