/// Scores by group, sorted: adding, removing, settling, comparing.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <fairstream/fairness/score_tally.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {
namespace {

constexpr std::size_t groups = 3;

struct Point {
    Score score;
    GroupId group;
    bool positive;
    double weight;
};

// Few scores and weights, so that ties and equal entries are frequent.
Point random_point(Random& random) {
    return {static_cast<double>(random.below(7)) / 4 - 1, static_cast<GroupId>(random.below(groups)),
            random.below(2) == 0, 0.1 * (1 + random.below(3))};
}

void add(ScoreTally& tally, const Point& p) {
    tally.add(p.score, p.group, p.positive, p.weight);
}
void remove(ScoreTally& tally, const Point& p) {
    tally.remove(p.score, p.group, p.positive, p.weight);
}

ScoreTally settled(const std::vector<Point>& points) {
    ScoreTally tally(groups);
    for (const Point& point : points) add(tally, point);
    tally.settle();
    return tally;
}

TEST(ScoreTally, WalkMatchesFreshTally) {
    Random random(1);
    ScoreTally walked(groups);
    std::vector<Point> in;
    for (int round = 0; round < 400; ++round) {
        const std::uint32_t steps = random.below(12);
        for (std::uint32_t step = 0; step < steps; ++step) {
            if (in.empty() || random.below(100) < 55) {
                add(walked, in.emplace_back(random_point(random)));
            } else {
                const auto at = in.begin() + random.below(static_cast<std::uint32_t>(in.size()));
                remove(walked, *at);
                in.erase(at);
            }
            ASSERT_EQ(walked.size(), in.size()) << "before settling";
        }
        walked.settle();
        ASSERT_EQ(walked.size(), in.size());
        ASSERT_EQ(walked, settled(in)) << "round " << round;
    }
    EXPECT_GT(in.size(), 100U);
}

TEST(ScoreTally, ColumnsFall) {
    Random random(2);
    std::vector<Point> points(300);
    for (Point& point : points) point = random_point(random);
    const ScoreTally tally = settled(points);
    for (GroupId group = 0; group < groups; ++group) {
        const auto column = tally.sorted(group);
        EXPECT_EQ(column.size(), std::ranges::count(points, group, &Point::group));
        EXPECT_TRUE(std::ranges::is_sorted(column, std::greater{}, &ScoreTally::Entry::score));
    }
}

TEST(ScoreTally, TheOrderOfArrivalLeavesNoTrace) {
    Random random(3);
    std::vector<Point> points(200);
    for (Point& point : points) point = random_point(random);
    const ScoreTally tally = settled(points);
    std::ranges::reverse(points);
    EXPECT_EQ(settled(points), tally);
    ScoreTally piecemeal(groups);
    for (const Point& point : points) {
        add(piecemeal, point);
        piecemeal.settle();
    }
    EXPECT_EQ(piecemeal, tally);
}

TEST(ScoreTally, UnsettledPairsCancel) {
    const ScoreTally before = settled({{1, 0, true, 1}, {0, 2, false, 2}});
    ScoreTally tally = before;
    tally.add(0.5, 1, true, 3);
    tally.remove(0.5, 1, true, 3);
    tally.remove(1, 0, true);  // the way round that a changed score takes when it changes back
    tally.add(1, 0, true);
    EXPECT_EQ(tally.size(), 2U);
    tally.settle();
    EXPECT_EQ(tally, before);
}

TEST(ScoreTally, OnlyOneOfSeveralEqualPointsIsRemoved) {
    ScoreTally tally = settled({{1, 0, true, 1}, {1, 0, true, 1}, {1, 0, false, 1}, {1, 0, true, 2}});
    tally.remove(1, 0, true, 1);
    tally.settle();
    EXPECT_EQ(tally, settled({{1, 0, true, 1}, {1, 0, false, 1}, {1, 0, true, 2}}));
}

TEST(ScoreTally, AbsentPointCannotBeRemoved) {
    const ScoreTally before = settled({{2, 0, true, 1}, {1, 0, true, 1}, {1, 0, false, 1}, {0, 0, true, 1}});
    for (const Point& stranger : {Point{1, 0, true, 2}, Point{3, 0, true, 1}}) {
        ScoreTally tally = before;
        remove(tally, stranger);
        tally.remove(0, 0, true);
        EXPECT_DEBUG_DEATH(tally.settle(), "not in");
#ifdef NDEBUG
        EXPECT_EQ(tally, settled({{2, 0, true, 1}, {1, 0, true, 1}, {1, 0, false, 1}})) << "passed over";
#endif
    }
}

TEST(ScoreTally, ZeroHasOneSign) {
    ScoreTally tally(groups);
    tally.add(-0.0, 0, true);
    tally.settle();
    EXPECT_FALSE(std::signbit(tally.sorted(0)[0].score));
    EXPECT_EQ(tally, settled({{0.0, 0, true, 1}}));
    tally.add(0.0, 0, true);
    tally.remove(-0.0, 0, true);
    tally.remove(-0.0, 0, true);
    tally.settle();
    EXPECT_EQ(tally, ScoreTally(groups));
}

TEST(ScoreTally, APointWithoutAScoreIsPassedOver) {
    ScoreTally tally(groups);
    tally.add(no_score, 0, true);
    tally.remove(no_score, 1, false);
    EXPECT_EQ(tally, ScoreTally(groups));
    tally.add(std::numeric_limits<Score>::infinity(), 0, true);
    tally.add(std::numeric_limits<Score>::max(), 0, true);
    tally.settle();
    EXPECT_EQ(tally.sorted(0)[0].score, std::numeric_limits<Score>::infinity());
}

TEST(ScoreTally, IsAValue) {
    const ScoreTally tally = settled({{1, 0, true, 1}, {0, 1, false, 1}});
    ScoreTally copy = tally;
    EXPECT_EQ(copy, tally);
    copy.add(1, 0, false);
    copy.settle();
    EXPECT_NE(copy, tally);
    EXPECT_EQ(tally.size(), 2U);
    copy.clear();
    EXPECT_EQ(copy, ScoreTally(groups));
    EXPECT_EQ(copy.groups(), groups);
    EXPECT_NE(ScoreTally(2), ScoreTally(3));
    EXPECT_NE(settled({{1, 0, true, 1}}), settled({{1, 0, false, 1}}));
    EXPECT_NE(settled({{1, 0, true, 1}}), settled({{1, 0, true, 2}}));
    EXPECT_NE(settled({{1, 0, true, 1}}), settled({{1, 1, true, 1}}));
}

TEST(ScoreTally, WithoutGroupsIsEmpty) {
    ScoreTally tally;
    tally.settle();
    tally.clear();
    EXPECT_EQ(tally.groups(), 0U);
    EXPECT_EQ(tally.size(), 0U);
    EXPECT_EQ(tally, ScoreTally(0));
}

}  // namespace
}  // namespace fairstream::test
