/// The fairness of probabilities and of labels.

#include <gtest/gtest.h>

#include <fairstream/models/lord/detail/setting.hpp>

#include "model_bench.hpp"

namespace fairstream::lord {
namespace {

using namespace fairstream::test;

TEST(ProportionalProbabilities, AreThoseOfTheClusterInEveryGroup) {
    for (const Method method : methods)
        for (const int attribute : {0, 1})
            for (const bool alike : {true, false}) {
                Options options = plain(3, method);
                options.targets.attribute = attribute;
                if (!alike) options.priors = {1, 2, 5};
                LordBench bench(options);
                for (const PointColumns& batch : batches(two_attributes(), 6, 80, 3, 0.1F)) {
                    bench.ingest(batch.view());
                    expect_sound(bench);
                    EXPECT_LE(set_of(bench).violation(bench.state.v), 1e-6);
                    const double gap = share_gap_of(bench, static_cast<std::uint32_t>(attribute));
                    EXPECT_LE(gap, 1e-6);
                    EXPECT_NEAR(bench.state.quality.share_gap, gap, 1e-9);
                }
            }
}

TEST(ProportionalProbabilities, HoldInEveryGroupCombination) {
    Options options = plain(3);
    options.targets.attribute = {0, 1};
    LordBench bench(options, two_attributes(), 600);
    bench.ingest(mixture(two_attributes(), 600, 1).view());
    const Matrix p = lord::Model::memberships(options, bench.state);
    for (GroupId sex = 0; sex < 2; ++sex)
        for (GroupId age = 0; age < 3; ++age) {
            std::vector<double> sums(3);
            double count = 0;
            for (Slot slot = 0; slot < 600; ++slot) {
                if (bench.window.group(slot, 0) != sex || bench.window.group(slot, 1) != age) continue;
                count += 1;
                for (std::size_t j = 0; j < 3; ++j) sums[j] += p.at(slot, j);
            }
            ASSERT_GE(count, options.small_below);
            for (const double sum : sums) EXPECT_NEAR(sum / count, 1.0 / 3, 1e-6);
        }
    EXPECT_LE(share_gap_of(bench, 0), 1e-6);
    EXPECT_LE(share_gap_of(bench, 1), 1e-6);
}

TEST(ProportionalProbabilities, AreByWeight) {
    StreamFormat format = two_attributes();
    format.has_weights = true;
    PointColumns points = mixture(two_attributes(), 250, 4);
    Random random(3);
    for (std::size_t i = 0; i < 250; ++i) points.weights.push_back(0.5 * (1 + random.below(8)));
    for (const Method method : methods) {
        LordBench bench(plain(3, method), format);
        bench.ingest(points.view());
        expect_sound(bench);
        EXPECT_LE(share_gap_of(bench, 0), 1e-6);
    }
}

// For points whose groups lie in separate clusters, where the difference is largest.
TEST(ProportionalProbabilities, ArePaidForByTheObjective) {
    const SeparatedStream two{two_attributes(3), 2};
    PointColumns points = two.points(0, 200);
    for (std::size_t i = 0; i < 200; ++i)
        if (i % 5 != 0) points.groups[2 * i] = static_cast<GroupId>(two.blob(points.ids[i]));
    for (const Method method : methods) {
        Options options = plain(2, method);
        LordBench fair(options, two.format);
        options.fair = Fair::off;
        LordBench free(options, two.format);
        fair.ingest(points.view());
        free.ingest(points.view());
        EXPECT_GT(share_gap_of(free, 0), 0.2);
        EXPECT_LE(share_gap_of(fair, 0), 1e-6);
        EXPECT_GT(fair.state.quality.objective, free.state.quality.objective);
    }
}

struct Table {
    StreamFormat format;
    std::vector<GroupId> groups;
    // Points of each group of the only attribute, in turn.
    explicit Table(const std::vector<std::size_t>& counts, bool has_unknown = false) {
        Attribute attribute{"g", {}};
        for (std::size_t g = 0; g < counts.size(); ++g) {
            attribute.groups.push_back("g" + std::to_string(g));
            groups.insert(groups.end(), counts[g], static_cast<GroupId>(g));
        }
        attribute.has_unknown = has_unknown;
        format = {2, {attribute}, false};
    }
    [[nodiscard]] std::vector<std::uint32_t> blocks(double small_below) const {
        Options options;
        options.small_below = small_below;
        return fair_blocks(options, format, groups, groups.size());
    }
    // Returns the block of each group; all points of a group are in one block.
    [[nodiscard]] std::vector<std::uint32_t> by_group(double small_below) const {
        const std::vector<std::uint32_t> all = blocks(small_below);
        std::vector<std::uint32_t> found(format.attributes[0].groups.size(), 99);
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_TRUE(found[groups[i]] == 99 || found[groups[i]] == all[i]);
            found[groups[i]] = all[i];
        }
        return found;
    }
};

using BlockNumbers = std::vector<std::uint32_t>;

TEST(FairBlocks, AreTheGroupsWhereAllAreLarge) {
    EXPECT_EQ(Table({30, 50, 40}).by_group(20), (BlockNumbers{0, 1, 2}));
    EXPECT_EQ(Table({1, 1, 1}).by_group(0), (BlockNumbers{0, 1, 2}));
    EXPECT_EQ(Table({20, 20}).by_group(20), (BlockNumbers{0, 1})) << "a group of as many is not below";
}

TEST(FairBlocks, JoinSmallGroupsInOneOfTheirOwn) {
    EXPECT_EQ(Table({30, 12, 50, 8}).by_group(20), (BlockNumbers{0, 2, 1, 2}));
}

TEST(FairBlocks, JoinSmallGroupsToLargest) {
    EXPECT_EQ(Table({30, 11, 50, 8}).by_group(20), (BlockNumbers{0, 1, 1, 1}));
    EXPECT_EQ(Table({60, 11, 50, 8}).by_group(20), (BlockNumbers{0, 0, 1, 0}));
}

TEST(FairBlocks, OneLargeGroupGivesOneBlock) {
    EXPECT_TRUE(Table({80}).blocks(20).empty());
    EXPECT_TRUE(Table({19, 18, 17}).blocks(20).empty()) << "all are small";
    const BlockNumbers joined = Table({80, 3}).blocks(20);
    EXPECT_TRUE(std::ranges::all_of(joined, [](std::uint32_t b) { return b == 0; }));
    EXPECT_EQ(Table({80, 12, 12}).by_group(20), (BlockNumbers{0, 1, 1}));
}

TEST(FairBlocks, UnknownGroupsCountAsSmall) {
    EXPECT_EQ(Table({50, 40, 90}, true).by_group(20), (BlockNumbers{0, 1, 2}));
    EXPECT_EQ(Table({50, 40, 5}, true).by_group(20), (BlockNumbers{0, 1, 0}));
}

TEST(FairBlocks, AreNoneWithoutAttributesOrWhereOff) {
    Options options;
    EXPECT_TRUE(fair_blocks(options, {2, {}, false}, {}, 50).empty());
    options.fair = Fair::off;
    const Table table({30, 30});
    EXPECT_TRUE(fair_blocks(options, table.format, table.groups, 60).empty());
}

TEST(FairBlocks, AreNumberedWithoutGaps) {
    Random random(4);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<std::size_t> counts;
        for (std::uint32_t g = 0; g < 1 + random.below(6); ++g) counts.push_back(1 + random.below(60));
        const BlockNumbers blocks = Table(counts, random.below(2) == 0).blocks(20);
        if (blocks.empty()) continue;
        std::vector<std::size_t> sizes(std::size_t{std::ranges::max(blocks)} + 1, 0);
        for (const std::uint32_t b : blocks) ++sizes[b];
        for (const std::size_t size : sizes) EXPECT_GT(size, 0U);
    }
}

// A block's points together have the overall shares, and the largest group's own shares are then close to them.
TEST(SmallGroups, HaveTheSharesOfThoseTheyAreAmong) {
    StreamFormat format{4, {{"g", {"a", "b", "c", "d"}}}, false};
    PointColumns points = mixture(format, 260, 5);
    for (std::size_t i = 0; i < 260; ++i)
        points.groups[i] = static_cast<GroupId>(i < 6 ? 2 : i < 12 ? 3 : i % 3 == 0 ? 1 : 0);
    LordBench bench(plain(3), format);
    bench.ingest(points.view());
    expect_sound(bench);
    MarginalSet set = set_of(bench);
    for (std::uint32_t& block : set.blocks) block = block == 1 ? 1 : 0;
    EXPECT_LE(set.violation(bench.state.v), 1e-6);
    EXPECT_NEAR(bench.state.quality.share_gap, share_gap_of(bench, 0), 1e-9);
}

TEST(Labels, MostProbableWithoutTarget) {
    for (const Method method : methods)
        for (const bool alike : {true, false}) {
            Options options = plain(4, method);
            if (!alike) options.priors = {1, 2, 3, 4};
            LordBench bench(options);
            for (const PointColumns& batch : batches(two_attributes(), 5, 80, 7, 0.1F)) {
                bench.ingest(batch.view());
                expect_sound(bench);
                expect_most_probable(bench);
            }
        }
}

// Smallest over largest count of a group of the attribute, and number of points, by cluster.
struct Counted {
    explicit Counted(const LordBench& bench, std::uint32_t attribute) {
        const auto k = static_cast<std::size_t>(bench.options.clusters);
        const std::size_t groups = bench.window.format().attributes[attribute].groups.size();
        Matrix counts(k, groups);
        sizes.assign(k, 0);
        for (Slot slot = 0; slot < bench.window.size(); ++slot) {
            const auto l = static_cast<std::size_t>(bench.state.labels[slot]);
            counts.at(l, bench.window.group(slot, attribute)) += 1;
            sizes[l] += 1;
        }
        for (std::size_t l = 0; l < k; ++l) {
            const auto [low, high] = std::minmax_element(counts.row(l), counts.row(l) + groups);
            balance = std::min(balance, *high > 0 ? *low / *high : 0);
            for (std::size_t g = 0; g < groups; ++g)
                share_at_least = std::min(share_at_least, counts.at(l, g) / sizes[l]);
        }
    }
    double balance = 1, share_at_least = 1;
    std::vector<double> sizes;
};

TEST(Labels, KeepABalanceThatIsAskedFor) {
    for (const Method method : methods)
        for (const double asked : {0.3, 0.6, 0.75}) {
            // Over all points the smaller group is at least .79 of the larger.
            Options options = plain(4, method);
            options.targets.rare_below = 0;
            options.targets.balance_at_least = asked;
            LordBench bench(options);
            for (const PointColumns& batch : batches(two_attributes(), 6, 80, 11, 0.1F)) {
                bench.ingest(batch.view());
                expect_sound(bench);
                EXPECT_GE(Counted(bench, 0).balance, asked);
            }
            bench.improve();
            EXPECT_GE(Counted(bench, 0).balance, asked);
        }
}

TEST(Labels, KeepSizesThatAreAskedFor) {
    Options options = plain(4);
    options.priors = {1, 1, 1, 9};
    options.targets.size_at_least = 60;
    options.targets.size_at_most = 95;
    LordBench bench(options);
    bench.ingest(mixture(two_attributes(), 300, 2).view());
    expect_sound(bench);
    const Counted counted(bench, 0);
    EXPECT_GE(std::ranges::min(counted.sizes), 60);
    EXPECT_LE(std::ranges::max(counted.sizes), 95);
}

TEST(Labels, KeepSharesThatAreAskedFor) {
    Options options = plain(3);
    options.targets.attribute = 1;
    options.targets.rare_below = 0;
    options.targets.share_at_least = 0.22;
    LordBench bench(options);
    bench.ingest(mixture(two_attributes(), 300, 2).view());
    expect_sound(bench);
    EXPECT_GE(Counted(bench, 1).share_at_least, 0.22);
}

// The probability lost to targets is small compared with other labels of equally fair clusters.
TEST(Labels, TargetCostsLittleProbability) {
    Options options = plain(4);
    LordBench free(options);
    options.targets.balance_at_least = 0.6;
    LordBench bound(options);
    const PointColumns points = mixture(two_attributes(), 300, 3);
    free.ingest(points.view());
    bound.ingest(points.view());
    EXPECT_EQ(free.state.v, bound.state.v);
    EXPECT_LE(bound.state.quality.confidence, free.state.quality.confidence + 1e-9);
    EXPECT_GE(bound.state.quality.confidence, 0.9 * free.state.quality.confidence);
}

TEST(Labels, MetTargetKeepsMostProbable) {
    Options options = plain(4);
    options.targets.size_at_most = 299;
    options.targets.size_at_least = 1;
    LordBench bench(options);
    bench.ingest(mixture(two_attributes(), 300, 3).view());
    expect_most_probable(bench);
}

}  // namespace
}  // namespace fairstream::lord
