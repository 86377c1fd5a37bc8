#include <gtest/gtest.h>

#include <random>

#include <fairstream/zmq/point_map.hpp>

#include "clients/point_feed.hpp"

namespace fairstream::zmq {
namespace {

using test::contents;
using test::Labels;

TEST(LabelMap, MatchesOrderedMapUnderRandomOperations) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        std::mt19937_64 random(seed);
        LabelMap map(seed);
        Labels oracle;
        const std::uint64_t ids = 1 + random() % 300;
        for (int i = 0; i < 3000; ++i) {
            const PointId id = random() % ids;
            if (random() % 2 == 0) {
                const auto label = static_cast<ClusterId>(random() % 100);
                map.set(id, label);
                oracle[id] = label;
            } else {
                ASSERT_EQ(map.erase(id), oracle.erase(id) == 1);
            }
            const PointId probe = random() % ids;
            const auto found = oracle.find(probe);
            ASSERT_EQ(map.find(probe), found == oracle.end() ? std::nullopt : std::optional(found->second));
        }
        ASSERT_EQ(map.size(), oracle.size());
        ASSERT_EQ(contents(map), oracle);
    }
}

TEST(LabelMap, TakesExtremeIdsButNotReservedOne) {
    LabelMap map(1);
    EXPECT_FALSE(map.find(no_point));
    EXPECT_FALSE(map.erase(no_point));
    map.set(0, 1);
    map.set(no_point - 1, 2);
    EXPECT_EQ(contents(map), (Labels{{0, 1}, {no_point - 1, 2}}));
    EXPECT_FALSE(map.contains(no_point));
}

TEST(LabelMap, EqualityIgnoresTableLayout) {
    LabelMap a(1), b(2);
    b.reserve(1000);
    EXPECT_EQ(a, b);
    for (PointId id = 0; id < 100; ++id) a.set(id, 1), b.set(99 - id, 1);
    EXPECT_EQ(a, b);
    b.set(7, 2);
    EXPECT_NE(a, b);
    b.erase(7);
    EXPECT_NE(a, b);
    a.erase(7);
    b.set(200, 1);
    EXPECT_NE(a, b);
}

TEST(LabelMap, IsEmptyAfterClearAndKeepsWorking) {
    LabelMap map;
    for (PointId id = 0; id < 1000; ++id) map.set(id, 3);
    map.clear();
    EXPECT_TRUE(map.empty());
    EXPECT_EQ(map.begin(), map.end());
    map.set(5, 1);
    EXPECT_EQ(contents(map), (Labels{{5, 1}}));
}

}  // namespace
}  // namespace fairstream::zmq
