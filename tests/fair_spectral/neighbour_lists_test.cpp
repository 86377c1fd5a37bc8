/// Nearest neighbours while points are exchanged, against a search of all points.

#include <gtest/gtest.h>

#include <limits>

#include <fairstream/numeric/detail/affinity/point_cells.hpp>

#include <fairstream/data/detail/graph_affinity.hpp>
#include <fairstream/numeric/detail/affinity/connected_parts.hpp>

#include "support/affinities.hpp"

namespace fairstream::test {
namespace {

std::vector<Neighbour> brute_force(const Cloud& cloud, std::size_t i, std::size_t wanted) {
    std::vector<Neighbour> all;
    for (std::size_t j = 0; j < cloud.size(); ++j)
        if (j != i) all.push_back({static_cast<float>(squared_distance(cloud, i, j)), static_cast<Slot>(j)});
    std::ranges::sort(all);
    all.resize(std::min(wanted, all.size()));
    return all;
}

void expect_lists(const NeighbourLists& lists, const Cloud& cloud, std::size_t wanted) {
    ASSERT_EQ(lists.size(), cloud.size());
    for (std::size_t i = 0; i < cloud.size(); ++i) {
        const std::vector<Neighbour> expected = brute_force(cloud, i, wanted);
        const auto list = lists.of(i);
        ASSERT_TRUE(std::ranges::equal(list, expected)) << "point " << i << " of " << cloud.size();
    }
}

// Exchanges few points at a time, so that lists are repaired for long before they are made again.
void exchange(Cloud& cloud, CloudKind kind, Random& random) {
    const auto n = static_cast<std::uint32_t>(cloud.size());
    for (std::uint32_t i = random.below(n / 5 + 2); i > 0; --i) {
        Cloud fresh{cloud.d, {}};
        add_point(fresh, kind, random);
        std::ranges::copy(fresh.rows, &cloud.rows[random.below(n) * cloud.d]);
    }
    if (random.below(8) == 0) add_point(cloud, kind, random);
}

TEST(NeighbourLists, AreExactWhilePointsAreExchanged) {
    for (const CloudKind kind :
         {CloudKind::clusters, CloudKind::far_clusters, CloudKind::few_places, CloudKind::one_place, CloudKind::line})
        for (const std::size_t n : {1, 2, 9, 30, 120})
            for (const std::size_t wanted : {1, 7}) {
                Random random(n, wanted);
                Cloud cloud = cloud_of(kind, n, n);
                PackedPoints points;
                NeighbourLists lists;
                for (int round = 0; round < 25; ++round, exchange(cloud, kind, random)) {
                    lists.update(points, points.update(cloud.rows.data(), cloud.size(), 3), wanted);
                    expect_lists(lists, cloud, wanted);
                }
            }
}

// Enough points for many cells, most of which a search leaves out.
TEST(PointCells, AgreeWithAllDistances) {
    for (const CloudKind kind :
         {CloudKind::clusters, CloudKind::far_clusters, CloudKind::few_places, CloudKind::one_place, CloudKind::line}) {
        const std::size_t n = 3'000;
        const Cloud cloud = cloud_of(kind, n, 5);
        PackedPoints points;
        (void)points.update(cloud.rows.data(), n, 3);
        const PointCells cells(points);
        std::vector<float> distances(points.padded());
        std::vector<Neighbour> found, expected;
        for (std::size_t i = 0; i < n; ++i) {
            points.distances(&cloud.rows[i * 3], 0, n, distances.data());
            distances[i] = std::numeric_limits<float>::infinity();
            select_nearest(distances.data(), n, 20, expected);
            cells.nearest(i, 20, found);
            ASSERT_EQ(found, expected) << "point " << i;
        }
    }
}

TEST(NeighbourLists, MayBeAskedForMoreOrFewer) {
    const Cloud cloud = cloud_of(CloudKind::few_places, 50, 1);
    PackedPoints points;
    const std::vector<Slot> all = points.update(cloud.rows.data(), 50, 3);
    NeighbourLists lists;
    lists.update(points, all, 3);
    for (const std::size_t wanted : {10, 100, 1, 49}) {
        lists.update(points, {}, wanted);
        expect_lists(lists, cloud, wanted);
    }
}

// Points leave one list until it has lost all its spare neighbours.
TEST(NeighbourLists, SurviveLossOfAllNeighbours) {
    Cloud cloud{1, {}};
    for (int i = 0; i < 100; ++i) cloud.rows.push_back(static_cast<float>(i));
    PackedPoints points;
    NeighbourLists lists;
    for (std::size_t gone = 1; gone < 60; ++gone) {
        lists.update(points, points.update(cloud.rows.data(), 100, 1), 5);
        expect_lists(lists, cloud, 5);
        cloud.rows[gone] = 1'000 + static_cast<float>(gone);
    }
}

TEST(SelectNearest, TakesFirstTiesAndNoInfinity) {
    Random random(1);
    for (std::size_t n = 0; n < 200; n += 13) {
        std::vector<float> distances(n);
        for (float& distance : distances)
            distance =
                random.below(5) == 0 ? std::numeric_limits<float>::infinity() : static_cast<float>(random.below(20));
        for (const std::size_t count : {1, 5, 300}) {
            std::vector<Neighbour> expected, out{{1, 1}};
            for (Slot i = 0; i < n; ++i)
                if (distances[i] < 100) expected.push_back({distances[i], i});
            std::ranges::sort(expected);
            expected.resize(std::min(count, expected.size()));
            select_nearest(distances.data(), n, count, out);
            EXPECT_EQ(out, expected);
        }
    }
}

TEST(Places, AreThoseOfAComparisonOfAllPairs) {
    for (const CloudKind shape : cloud_kinds)
        for (const std::size_t n : {1, 2, 30, 300}) {
            Cloud cloud = cloud_of(shape, n, n);
            for (std::size_t j = 0; j < cloud.rows.size(); j += 5)
                if (cloud.rows[j] == 0) cloud.rows[j] = -0.0F;
            PackedPoints points;
            points.update(cloud.rows.data(), n, cloud.d);
            Places places;
            places.update(points);
            ASSERT_EQ(places.of().size(), n);
            std::size_t count = 0;
            for (std::size_t i = 0; i < n; ++i) {
                std::size_t first = 0;
                while (!std::equal(&cloud.rows[first * 3], &cloud.rows[first * 3] + 3, &cloud.rows[i * 3])) ++first;
                ASSERT_EQ(places.firsts()[places.of()[i]], first);
                const auto there = places.at(places.of()[i]);
                ASSERT_TRUE(std::ranges::is_sorted(there));
                ASSERT_TRUE(std::ranges::find(there, i) != there.end());
                count += first == i ? there.size() : 0;
            }
            EXPECT_EQ(count, n) << "each point is at one place";
            EXPECT_TRUE(std::ranges::is_sorted(places.firsts()));
            EXPECT_EQ(places.repeat(), places.size() < n);
        }
}

// A place with more points than a point has neighbours is still joined to others.
TEST(NeighbourGraph, IsConnectedHoweverManyPointsAreEqual) {
    Cloud cloud{1, {}};
    for (int i = 0; i < 600; ++i) cloud.rows.push_back(static_cast<float>(i % 12));
    EXPECT_EQ(count_parts(connected_parts(*new_point_affinity(point_affinities()[3], cloud))), 1U);
}

TEST(ConnectedParts, MatchPlacesAndNodes) {
    Cloud cloud{1, {}};
    std::vector<ClusterId> expected;
    for (int i = 0; i < 60; ++i) {
        expected.push_back(i % 3);
        const int place = i / 3;
        cloud.rows.push_back(static_cast<float>(1000 * (i % 3) + place));
    }
    EXPECT_EQ(connected_parts(*new_point_affinity(point_affinities()[5], cloud)), expected);
    cloud.rows.insert(cloud.rows.end(), 30, 1000);
    expected.insert(expected.end(), 30, 1);
    EXPECT_EQ(connected_parts(*new_point_affinity(point_affinities()[5], cloud)), expected);
    EXPECT_EQ(count_parts(expected), 3U);
    EXPECT_EQ(connected_parts(GraphAffinity({7, {{0, 1, 1}, {1, 6, 2}, {4, 5, 1}}})),
              (std::vector<ClusterId>{0, 0, 1, 2, 3, 3, 0}));
    EXPECT_EQ(count_parts(connected_parts(GraphAffinity({1, {}}))), 1U);
    EXPECT_EQ(count_parts({}), 0U);
}

TEST(NeighbourGraph, HasAsManyNeighboursAsThePaperSays) {
    for (const auto& [n, q] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {2, 2}, {3, 2}, {4, 3}, {1'000, 10}, {1'024, 11}})
        EXPECT_EQ(usual_neighbours(n), q);
}

}  // namespace
}  // namespace fairstream::test
