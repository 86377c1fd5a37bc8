#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fairstream/generate/synthetic.hpp>

#include <support/refusal.hpp>

namespace fairstream::generate {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::Lt;

enum : GroupId { black, purple };

struct Centre {
    double x, y;
    GroupId group;
};

/// The table in the header, repeated.
struct Published {
    Synthetic set;
    double spread;
    std::vector<Centre> centres;
    std::vector<int> counts;  // of the 400 points, by centre
};

std::vector<Published> published() {
    return {{Synthetic::equal_ds1, 0.3, {{1, 1, black}, {2.1, 3.5, purple}}, {200, 200}},
            {Synthetic::unequal_ds1, 0.3, {{1, 1, black}, {2.1, 3.5, purple}}, {300, 100}},
            {Synthetic::equal_ds2,
             0.1,
             {{1, 1, black}, {2.1, 1, black}, {1, 5, purple}, {2.1, 5, purple}},
             {100, 100, 100, 100}},
            {Synthetic::unequal_ds2,
             0.13,
             {{1, 1, black}, {2.1, 1, black}, {1, 3.5, purple}, {2.1, 3.5, purple}},
             {150, 150, 50, 50}}};
}

PointColumns points_of(Synthetic set, std::uint64_t seed, std::uint64_t count = 400) {
    PointColumns points;
    SyntheticPoints(set, seed, count).next(count, points);
    return points;
}

std::vector<std::uint64_t> group_counts(const PointColumns& points) {
    std::vector<std::uint64_t> counts(2);
    for (const GroupId group : points.groups) ++counts[group];
    return counts;
}

/// The centre that is nearest to point i.
std::size_t nearest(const std::vector<Centre>& centres, const PointColumns& points, std::size_t i) {
    std::size_t best = 0;
    const auto distance = [&](const Centre& c) {
        return std::hypot(points.features[2 * i] - c.x, points.features[2 * i + 1] - c.y);
    };
    for (std::size_t c = 1; c < centres.size(); ++c) {
        if (distance(centres[c]) < distance(centres[best])) best = c;
    }
    return best;
}

/// Coordinates in units of 2^-16.
std::vector<int> ticks(const PointColumns& points) {
    std::vector<int> result;
    for (const float feature : points.features) result.push_back(static_cast<int>(65536 * feature));
    return result;
}

/// FNV-1a over coordinates and groups, as 32-bit numbers.
std::uint64_t digest(const PointColumns& points) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&](std::uint32_t value) {
        for (int byte = 0; byte < 4; ++byte, value >>= 8) hash = (hash ^ (value & 0xFF)) * 0x100000001b3;
    };
    for (const int tick : ticks(points)) add(static_cast<std::uint32_t>(tick));
    for (const GroupId group : points.groups) add(group);
    return hash;
}

TEST(SyntheticPoints, CountsAreExactInEverySeed) {
    for (const Published& set : published()) {
        std::vector<std::uint64_t> expected(2);
        for (std::size_t c = 0; c < set.centres.size(); ++c) expected[set.centres[c].group] += set.counts[c];
        for (const std::uint64_t seed : {0, 1, 2, 77}) {
            const PointColumns points = points_of(set.set, seed);
            ASSERT_EQ(points.ids.size(), 400U);
            ASSERT_EQ(points.features.size(), 800U);
            EXPECT_EQ(group_counts(points), expected) << seed;
            for (std::size_t i = 0; i < 400; ++i) ASSERT_EQ(points.ids[i], i);
        }
    }
}

TEST(SyntheticPoints, ClustersLieWhereTheyAreSaidTo) {
    constexpr std::size_t n = 80'000;  // at least 10,000 a cluster: a mean's error is 0.01 spreads, a deviation's 0.7 %
    for (const Published& set : published()) {
        const PointColumns points = points_of(set.set, 3, n);
        std::vector<double> sums(2 * set.centres.size()), squares(2 * set.centres.size());
        std::vector<double> counts(set.centres.size());
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t c = nearest(set.centres, points, i);
            const std::array<double, 2> from = {points.features[2 * i] - set.centres[c].x,
                                                points.features[2 * i + 1] - set.centres[c].y};
            ASSERT_THAT(from, Each(AllOf(Lt(6.001 * set.spread), Gt(-6.001 * set.spread))));
            for (std::size_t f = 0; f < 2; ++f) sums[2 * c + f] += from[f], squares[2 * c + f] += from[f] * from[f];
            ++counts[c];
        }
        for (std::size_t c = 0; c < set.centres.size(); ++c) {
            EXPECT_NEAR(counts[c] / n, set.counts[c] / 400.0, 0.0005);
            for (std::size_t f = 0; f < 2; ++f) {
                EXPECT_NEAR(sums[2 * c + f] / counts[c], 0, 0.04 * set.spread);
                EXPECT_NEAR(std::sqrt(squares[2 * c + f] / counts[c]), set.spread, 0.03 * set.spread);
            }
        }
    }
}

TEST(SyntheticPoints, TheNaturalClustersAreTheGroups) {
    for (const Published& set : published()) {
        int strays = 0;
        for (std::uint64_t seed = 1; seed <= 25; ++seed) {
            const PointColumns points = points_of(set.set, seed);
            for (std::size_t i = 0; i < 400; ++i)
                strays += set.centres[nearest(set.centres, points, i)].group != points.groups[i];
        }
        EXPECT_EQ(strays, 0);
    }
}

TEST(SyntheticPoints, Ds2SidesHoldHalfOfEachGroup) {
    for (const Synthetic set : {Synthetic::equal_ds2, Synthetic::unequal_ds2}) {
        for (std::uint64_t seed = 1; seed <= 25; ++seed) {
            const PointColumns points = points_of(set, seed);
            std::vector<std::uint64_t> left(2);
            for (std::size_t i = 0; i < 400; ++i) left[points.groups[i]] += points.features[2 * i] < 1.55F ? 1 : 0;
            const std::vector<std::uint64_t> all = group_counts(points);
            EXPECT_THAT(left, ElementsAre(all[0] / 2, all[1] / 2)) << seed;
        }
    }
}

TEST(SyntheticPoints, TheOrderIsMixed) {
    for (const Published& set : published()) {
        const PointColumns points = points_of(set.set, 5, 40'000);
        const double share = static_cast<double>(group_counts(points)[purple]) / 40'000;
        for (std::size_t first = 0; first < 40'000; first += 4'000) {
            double purples = 0;
            for (std::size_t i = first; i < first + 4'000; ++i) purples += points.groups[i] == purple;
            EXPECT_NEAR(purples / 4'000, share, 0.04) << first;  // five deviations
        }
    }
}

TEST(SyntheticPoints, OtherCountsKeepRatio) {
    for (std::uint64_t count = 1; count <= 1'000; count += count < 50 ? 1 : 37) {
        for (const Published& set : published()) {
            const PointColumns points = points_of(set.set, 1, count);
            ASSERT_EQ(points.ids.size(), count);
            const double share = set.counts[0] == set.counts.back() ? 0.5 : 0.75;
            EXPECT_NEAR(static_cast<double>(group_counts(points)[black]), share * static_cast<double>(count), 0.5);
            std::vector<double> counts(set.centres.size());
            for (std::size_t i = 0; i < count; ++i) ++counts[nearest(set.centres, points, i)];
            for (std::size_t c = 0; c < counts.size(); ++c)
                EXPECT_NEAR(counts[c], set.counts[c] / 400.0 * static_cast<double>(count), 1) << count;
        }
    }
}

TEST(SyntheticPoints, SetIsIndependentOfFetching) {
    const PointColumns whole = points_of(Synthetic::unequal_ds2, 7);
    SyntheticPoints generator(Synthetic::unequal_ds2, 7);
    PointColumns part, joined;
    for (const std::size_t count : {1, 0, 199, 17, 1000}) {
        generator.next(count, part);
        joined.ids.insert(joined.ids.end(), part.ids.begin(), part.ids.end());
        joined.features.insert(joined.features.end(), part.features.begin(), part.features.end());
        joined.groups.insert(joined.groups.end(), part.groups.begin(), part.groups.end());
    }
    EXPECT_EQ(joined, whole);
    generator.next(1, part);
    EXPECT_EQ(part, PointColumns{});
    EXPECT_NE(points_of(Synthetic::unequal_ds2, 8), whole);
}

TEST(SyntheticPoints, ThePointsOfASeedNeverChange) {
    struct Pinned {
        std::vector<int> first;  // two points
        std::vector<GroupId> groups;
        std::uint64_t all;
    };
    const std::vector<Pinned> pinned = {{{136376, 249287, 49892, 61553}, {purple, black}, 0xa48e86eab9528c2d},
                                        {{136376, 249287, 49892, 61553}, {purple, black}, 0xee784d105ddb8b1c},
                                        {{137210, 334317, 132411, 64209}, {purple, black}, 0x2662bdd568b56c57},
                                        {{64995, 238004, 130847, 63810}, {purple, black}, 0xfab169fcceba508d}};
    for (std::size_t i = 0; i < pinned.size(); ++i) {
        const PointColumns points = points_of(static_cast<Synthetic>(i), 1);
        const std::vector<int> all = ticks(points);
        EXPECT_EQ(std::vector<int>(all.begin(), all.begin() + 4), pinned[i].first) << i;
        EXPECT_EQ(std::vector<GroupId>(points.groups.begin(), points.groups.begin() + 2), pinned[i].groups) << i;
        EXPECT_EQ(digest(points), pinned[i].all) << i;
    }
}

TEST(SyntheticPoints, EveryCoordinateIsAMultipleOfItsUnit) {
    for (const Published& set : published()) {
        for (const float feature : points_of(set.set, 2).features)
            ASSERT_EQ(65536 * feature, std::floor(65536 * feature));
    }
}

TEST(SyntheticPoints, RefusesNoPointsAndTooMany) {
    const auto with = [](std::uint64_t count) { SyntheticPoints(Synthetic::equal_ds1, 1, count); };
    test::expect_refused(Reason::bad_option, {"points = 0 must be 1 to 2^40"}, [&] { with(0); });
    test::expect_refused(Reason::bad_option, {"points = 1099511627777 must"},
                         [&] { with((std::uint64_t{1} << 40) + 1); });
    EXPECT_NO_THROW(with(std::uint64_t{1} << 40));
}

}  // namespace
}  // namespace fairstream::generate
