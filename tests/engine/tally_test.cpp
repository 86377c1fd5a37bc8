/// Counts by cluster, attribute and group: adding, removing, comparing, saving.

#include <gtest/gtest.h>

#include <numeric>

#include <fairstream/base/archive.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {
namespace {

const std::vector<int> groups{2, 1, 5};

struct Booking {
    ClusterId cluster;
    std::vector<GroupId> row;
};

std::vector<Booking> random_bookings(std::uint64_t seed, std::size_t n, int clusters) {
    Random random(seed);
    std::vector<Booking> all;
    for (std::size_t i = 0; i < n; ++i) {
        Booking booking{static_cast<ClusterId>(random.below(static_cast<std::uint32_t>(clusters))), {}};
        for (const int count : groups)
            booking.row.push_back(static_cast<GroupId>(random.below(static_cast<std::uint32_t>(count))));
        all.push_back(booking);
    }
    return all;
}

FairnessTally counted(const std::vector<Booking>& bookings, int clusters) {
    FairnessTally tally(clusters, groups);
    for (const Booking& booking : bookings) tally.add(booking.cluster, booking.row.data());
    return tally;
}

TEST(FairnessTally, CountsWhatWasAdded) {
    for (const int k : {1, 2, 7}) {
        const std::vector<Booking> bookings = random_bookings(1, 300, k);
        const FairnessTally tally = counted(bookings, k);
        EXPECT_EQ(tally.clusters(), k);
        EXPECT_EQ(tally.attributes(), 3);
        EXPECT_EQ(tally.total(), 300);
        for (ClusterId l = 0; l < k; ++l) {
            EXPECT_EQ(tally.size(l), std::ranges::count(bookings, l, &Booking::cluster));
            for (int a = 0; a < 3; ++a) {
                ASSERT_EQ(tally.groups(a), groups[static_cast<std::size_t>(a)]);
                const auto counts = tally.counts(l, a);
                EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), tally.size(l))
                    << "each attribute counts every point";
                for (int j = 0; j < tally.groups(a); ++j)
                    EXPECT_EQ(tally.count(l, a, static_cast<GroupId>(j)),
                              std::ranges::count_if(bookings, [&](const Booking& b) {
                                  return b.cluster == l && b.row[static_cast<std::size_t>(a)] == j;
                              }));
            }
        }
    }
}

TEST(FairnessTally, RemovingInvertsAdding) {
    const std::vector<Booking> bookings = random_bookings(2, 200, 4);
    const FairnessTally all = counted(bookings, 4);
    FairnessTally tally = all;
    Random random(3);
    std::vector<Booking> left = bookings;
    while (!left.empty()) {
        const auto at = left.begin() + random.below(static_cast<std::uint32_t>(left.size()));
        tally.remove(at->cluster, at->row.data());
        left.erase(at);
        ASSERT_EQ(tally, counted(left, 4));
    }
    EXPECT_EQ(tally, FairnessTally(4, groups));
    for (const Booking& booking : bookings) tally.add(booking.cluster, booking.row.data());
    EXPECT_EQ(tally, all);
}

TEST(FairnessTally, BulkCountMatchesSingle) {
    const std::vector<Booking> bookings = random_bookings(5, 300, 4);
    std::vector<ClusterId> clusters;
    std::vector<GroupId> rows;
    FairnessTally one_by_one(4, groups);
    for (const Booking& booking : bookings) {
        const bool passed_over = clusters.size() % 7 == 3;
        clusters.push_back(passed_over ? no_cluster : booking.cluster);
        rows.insert(rows.end(), booking.row.begin(), booking.row.end());
        if (!passed_over) one_by_one.add(booking.cluster, booking.row.data());
    }
    FairnessTally tally(4, groups);
    tally.add(clusters, rows.data());
    EXPECT_EQ(tally, one_by_one);
    tally.remove(clusters, rows.data());
    EXPECT_EQ(tally, FairnessTally(4, groups));
}

TEST(FairnessTally, KeepsLightWeightsWhenHeavyOnesLeave) {
    const std::vector<int> two_groups{2};
    FairnessTally tally(2, two_groups, true), light = tally;
    const std::vector<GroupId> of{0, 1, 0, 1};
    const std::vector<ClusterId> labels{0, 0, 1, 1};
    const std::vector<double> weights{1.1, 0.3, 2.7, 1e-3};
    tally.add(labels, of.data(), weights);
    light.add(labels, of.data(), weights);
    const std::vector<double> heavy{5.5e14, 7.7e14, 1.1e13, 9.9e14};
    for (int i = 0; i < 10; ++i) {
        tally.add(labels, of.data(), heavy);
        tally.remove(labels, of.data(), heavy);
    }
    for (ClusterId l = 0; l < 2; ++l) {
        EXPECT_DOUBLE_EQ(tally.weight(l), light.weight(l));
        for (std::size_t j = 0; j < 2; ++j) EXPECT_DOUBLE_EQ(tally.weights(l, 0)[j], light.weights(l, 0)[j]);
    }
    EXPECT_DOUBLE_EQ(tally.total_weight(), light.total_weight());
    EXPECT_TRUE(tally.counts_same_points(light));
}

// Many points at once are summed by cell; few are added one by one.
TEST(FairnessTally, BulkWeightMatchesSingleAfterHeavyPoints) {
    const std::vector<Booking> bookings = random_bookings(6, 300, 4);
    Random random(7);
    std::vector<ClusterId> clusters;
    std::vector<GroupId> rows;
    std::vector<double> weights, heavy;
    FairnessTally one_by_one(4, groups, true);
    for (const Booking& booking : bookings) {
        clusters.push_back(clusters.size() % 7 == 3 ? no_cluster : booking.cluster);
        rows.insert(rows.end(), booking.row.begin(), booking.row.end());
        weights.push_back(1e-3 * (1 + random.below(5000)));
        heavy.push_back(1e11 * weights.back() / 3);
        if (clusters.back() != no_cluster) one_by_one.add(booking.cluster, booking.row.data(), weights.back());
    }
    FairnessTally tally(4, groups, true);
    tally.add(clusters, rows.data(), heavy);
    tally.add(clusters, rows.data(), weights);
    tally.remove(clusters, rows.data(), heavy);
    EXPECT_TRUE(tally.counts_same_points(one_by_one));
    EXPECT_NEAR(tally.total_weight(), one_by_one.total_weight(), 1e-9);
    for (ClusterId l = 0; l < 4; ++l) {
        EXPECT_EQ(tally.size(l), one_by_one.size(l));
        EXPECT_NEAR(tally.weight(l), one_by_one.weight(l), 1e-9);
        for (int a = 0; a < tally.attributes(); ++a)
            for (std::size_t j = 0; j < tally.weights(l, a).size(); ++j)
                EXPECT_NEAR(tally.weights(l, a)[j], one_by_one.weights(l, a)[j], 1e-9);
    }
    tally.remove(clusters, rows.data(), weights);
    EXPECT_EQ(tally, FairnessTally(4, groups, true));
}

TEST(FairnessTally, WithoutEmptyClustersKeepsOrder) {
    std::vector<Booking> some = random_bookings(4, 200, 3), moved = some;
    for (Booking& booking : moved) booking.cluster = booking.cluster == 0 ? 1 : booking.cluster == 1 ? 2 : 5;
    EXPECT_EQ(counted(moved, 7).without_empty_clusters(), counted(some, 3));
    EXPECT_EQ(counted(some, 3).without_empty_clusters(), counted(some, 3));
    EXPECT_EQ(counted({}, 3).without_empty_clusters().clusters(), 0);
    FairnessTally weighted(4, groups, true), kept(2, groups, true);
    for (const Booking& booking : random_bookings(5, 100, 2)) {
        weighted.add(booking.cluster == 0 ? 1 : 3, booking.row.data(), 0.5);
        kept.add(booking.cluster, booking.row.data(), 0.5);
    }
    FairnessTally without = weighted.without_empty_clusters();
    EXPECT_EQ(without, kept);
    const Booking last = random_bookings(6, 1, 2)[0];
    without.add(last.cluster, last.row.data(), 2), kept.add(last.cluster, last.row.data(), 2);
    EXPECT_EQ(without, kept) << "it goes on";
}

TEST(FairnessTally, IsAValue) {
    const FairnessTally tally = counted(random_bookings(4, 50, 3), 3);
    FairnessTally copy = tally;
    EXPECT_EQ(copy, tally);
    copy.add(0, std::vector<GroupId>{0, 0, 0}.data());
    EXPECT_FALSE(copy == tally);
    EXPECT_EQ(tally.total(), 50);
    EXPECT_FALSE(FairnessTally(3, groups) == FairnessTally(4, groups));
    EXPECT_FALSE(FairnessTally(1, std::vector<int>{2, 3}) == FairnessTally(1, std::vector<int>{3, 2}));
}

TEST(FairnessTally, WithoutAttributesCountsSizes) {
    FairnessTally tally(2, {});
    tally.add(1, nullptr);
    tally.add(1, nullptr);
    tally.remove(1, nullptr);
    EXPECT_EQ(tally.attributes(), 0);
    EXPECT_EQ(tally.size(1), 1);
    EXPECT_EQ(tally.total(), 1);
}

TEST(FairnessTally, SavedAndLoadedIsEqual) {
    for (const FairnessTally& tally : {FairnessTally(), FairnessTally(3, {}), counted(random_bookings(5, 80, 3), 3)}) {
        StateWriter writer;
        writer(1, tally);
        FairnessTally loaded(9, groups);
        const std::vector<std::byte> bytes = writer.take();
        StateReader reader(bytes);
        reader(1, loaded);
        EXPECT_EQ(loaded, tally);
    }
}

}  // namespace
}  // namespace fairstream::test
