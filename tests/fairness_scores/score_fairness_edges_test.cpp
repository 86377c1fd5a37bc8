/// Fairness of scores computed by hand for few points, and refused ranks.

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "support/refusal.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

const RanksByGroup all_ranks{{{0, 1}}};

struct Scored {
    Score score;
    bool positive;
    double weight = 1;
};

// One list per group.
ScoreTally tally_of(std::initializer_list<std::vector<Scored>> groups) {
    ScoreTally tally(groups.size());
    GroupId group = 0;
    for (const std::vector<Scored>& points : groups) {
        for (const Scored& p : points) tally.add(p.score, group, p.positive, p.weight);
        ++group;
    }
    tally.settle();
    return tally;
}

// Four points against five: ranks 1/4 to 3/4 contain the second and third point of the first group; of the second group
// the third, and three quarters each of the second and fourth.
TEST(ScoreFairnessByHand, PointsCutByAnIntervalCountInPart) {
    const ScoreTally tally = tally_of(
        {{{9, true}, {7, true}, {5, false}, {1, false}}, {{8, true}, {6, true}, {4, false}, {3, true}, {2, false}}});
    const ScoreFairness f = score_fairness(tally, {{{0.25, 0.75}}}, 4.5);
    EXPECT_EQ(f.points, 9);
    EXPECT_DOUBLE_EQ(f.accuracy, 7.0 / 9);
    EXPECT_DOUBLE_EQ(f.auc, 18.0 / 20);
    EXPECT_DOUBLE_EQ(f.dp, 1 - 0.15 / 0.5);
    EXPECT_DOUBLE_EQ(f.sp, 1 - 0.15 / 0.5);
    EXPECT_DOUBLE_EQ(f.eop, 0.5) << "7 of 7 against 6 of 6 and 3, three quarters of each";
    EXPECT_DOUBLE_EQ(f.eod, 1) << "5 against 4";
    EXPECT_DOUBLE_EQ(f.gauc, (1 + 0.7) / 2 - 0.5) << "7 is above all, 5 above 4 and 3";
    EXPECT_DOUBLE_EQ(f.tail_gap, 3.0 / 4 - 2.0 / 5) << "just below 5, where 6 is the last of the other group";
    EXPECT_DOUBLE_EQ(f.overall_gap, 3.0 / 4 - 2.0 / 5) << "there too";
}

TEST(ScoreFairnessByHand, EachGroupHasItsOwnRanks) {
    const ScoreTally tally = tally_of({{{4, true}, {3, true}, {2, true}, {1, true}}, {{4, true}, {3, true}}});
    const ScoreFairness f = score_fairness(tally, {{{0, 0.25}, {0.5, 0.75}}, {{0.5, 1}}}, 2.5);
    EXPECT_EQ(f.dp, 0.5) << "4 of 4 and 2 against 3";
    EXPECT_EQ(f.sp, 0.5);
    EXPECT_EQ(f.eop, 0.5);
    EXPECT_EQ(score_fairness(tally, {{{0, 0.25}}, {{0.5, 1}}}, 3.5).dp, 1);
}

TEST(ScoreFairnessByHand, RankMayBeWithinClass) {
    const ScoreTally tally = tally_of({{{4, false}, {3, false}, {2, true}, {1, true}}, {{4, true}, {1, true}}});
    const RanksByGroup upper_half{{{0, 0.5}}};
    EXPECT_EQ(score_fairness(tally, upper_half, 3, RankAmong::group).eop, 0) << "no positive of the first is inside";
    EXPECT_EQ(score_fairness(tally, upper_half, 3, RankAmong::group_and_class).eop, 1) << "2 against 4";
}

TEST(ScoreFairness, AllTiedIsFairUpToTie) {
    const ScoreTally tally = tally_of({{{1, true}, {1, false}, {1, false}}, {{1, true}, {1, true}}});
    for (const RanksByGroup& ranks : {all_ranks, RanksByGroup{{{0.05, 0.3}}}})
        for (const double threshold : {0.0, 1.0, 2.0}) {
            const ScoreFairness f = score_fairness(tally, ranks, threshold);
            for (const double gap : {f.sp, f.dp, f.eop, f.eod, f.tail_gap, f.overall_gap}) EXPECT_EQ(gap, 0);
            EXPECT_EQ(f.gauc, 0.5) << "(37) counts h >= h', always so";
            EXPECT_EQ(f.auc, 0.5);
            EXPECT_EQ(f.accuracy, threshold < 1 ? 0.6 : 0.4);
        }
}

TEST(ScoreFairness, BothZerosAreOneScore) {
    const ScoreTally tally = tally_of({{{0.0, true}, {-0.0, false}}, {{-0.0, true}}});
    for (const double zero : {0.0, -0.0}) EXPECT_EQ(score_fairness(tally, all_ranks, zero).accuracy, 1.0 / 3);
    EXPECT_EQ(score_fairness(tally, all_ranks, 0).auc, 0.5);
    EXPECT_EQ(score_fairness(tally, all_ranks, 0).sp, 0);
}

TEST(ScoreFairness, OfNothing) {
    for (const std::size_t groups : {0, 1, 3}) {
        ScoreFairness nothing;
        nothing.auc = 0.5;
        EXPECT_EQ(score_fairness(ScoreTally(groups), all_ranks, 0), nothing);
        EXPECT_EQ(score_fairness(ScoreTally(groups), all_ranks, 0, RankAmong::group_and_class), nothing);
    }
}

TEST(ScoreFairness, SinglePointOrGroupHasNoGaps) {
    ScoreFairness right;
    right.points = 1;
    right.accuracy = 1;
    right.auc = 0.5;
    EXPECT_EQ(score_fairness(tally_of({{}, {{1, true}}}), {{{0.1, 0.2}}}, 0), right);
    right.points = 2;
    right.auc = 1;
    EXPECT_EQ(score_fairness(tally_of({{{1, true}, {-1, false}}}), {{{0.1, 0.2}}}, 0), right);
    EXPECT_EQ(score_fairness(tally_of({{}, {{1, true}, {-1, false}}, {}}), {{{0.1, 0.2}}}, 0), right);
}

TEST(ScoreFairness, OfOnePointEach) {
    const ScoreFairness f = score_fairness(tally_of({{{1, true}}, {{0, true}}}), {{{0.3, 0.4}}}, 0.5);
    for (const double gap : {f.sp, f.dp, f.eop, f.eod, f.overall_gap}) EXPECT_EQ(gap, 1);
    EXPECT_EQ(f.gauc, 0.5);
    EXPECT_EQ(f.tail_gap, 0) << "the rank of a threshold is 0 or 1 in either group";
}

TEST(ScoreFairness, GroupWithoutRankedPositivesIsLeftOut) {
    const std::vector<Scored> mixed{{4, true}, {3, false}, {2, true}, {1, false}};
    const std::vector<Scored> negative{{4, false}, {3, false}};
    EXPECT_EQ(score_fairness(tally_of({mixed, negative}), all_ranks, 2.5).eop, 0);
    EXPECT_EQ(score_fairness(tally_of({mixed, negative}), all_ranks, 2.5).eod, 0.5);
    const std::vector<Scored> low{{4, false}, {3, false}, {2, true}, {1, true}};
    const std::vector<Scored> high{{9, true}, {8, true}, {7, false}, {6, false}};
    EXPECT_EQ(score_fairness(tally_of({low, high}), {{{0, 0.5}}}, 2.5).eop, 0) << "the positives of the one are below";
    EXPECT_EQ(score_fairness(tally_of({low, high}), {{{0, 0.75}}}, 2.5).eop, 1) << "one of them is not";
}

// Three times 0.1 exceeds 0.3, and ten times is less than 1: the positive of the first group would enter the ranks by a
// rounding.
TEST(ScoreFairness, WeightRoundingAddsNoMass) {
    std::vector<Scored> first, second;
    for (int i = 0; i < 10; ++i) {
        first.push_back({-static_cast<double>(i), i == 2, 0.1});
        second.push_back({-static_cast<double>(i), i == 3, 0.1});
    }
    const ScoreTally tally = tally_of({first, second});
    EXPECT_EQ(score_fairness(tally, {{{0.3, 0.7}}}, -2.5).eop, 0);
    EXPECT_EQ(score_fairness(tally, {{{0.25, 0.7}}}, -2.5).eop, 1) << "half of it is inside";
}

TEST(ScoreFairness, StaysInItsRangesHoweverUnevenTheWeights) {
    const double light = 1e-100, heavy = 1e100;
    const ScoreTally tally = tally_of({{{3, true, light}, {2, false, heavy}, {1, true, light}},
                                       {{3, false, light}, {2, true, light}},
                                       {{3, true, heavy}, {0, false, heavy}}});
    const double least = std::numeric_limits<double>::denorm_min();
    for (const RanksByGroup& ranks : {all_ranks, RanksByGroup{{{0, least}}}, RanksByGroup{{{1 - 0x1p-53, 1}}},
                                      RanksByGroup{{{0, 1e-30}, {0.5, 0.5 + 0x1p-53}, {0.9, 1}}}})
        for (const RankAmong among : {RankAmong::group, RankAmong::group_and_class}) {
            const ScoreFairness f = score_fairness(tally, ranks, 2.5, among);
            for (const double gap : {f.accuracy, f.auc, f.sp, f.dp, f.eop, f.eod, f.tail_gap, f.overall_gap})
                EXPECT_TRUE(gap >= 0 && gap <= 1) << gap;
            EXPECT_TRUE(f.gauc >= 0 && f.gauc <= 0.5) << f.gauc;
            EXPECT_LE(f.eop, f.eod);
            EXPECT_LE(f.dp, f.sp);
            EXPECT_LE(f.tail_gap, f.overall_gap);
        }
}

TEST(ScoreFairness, APointMayWeighNextToNothing) {
    const ScoreTally tally =
        tally_of({{{4, false}, {3, true, 1e-100}, {2, false}, {1, false}}, {{3, false}, {2, true}}});
    EXPECT_EQ(score_fairness(tally, all_ranks, 2.5).eop, 1);
    EXPECT_EQ(score_fairness(tally, {{{0.5, 1}}}, 2.5).eop, 0) << "its rank is 1/3";
}

TEST(ScoreFairness, RanksMayBeNextToNone) {
    const ScoreTally tally = tally_of({{{2, true, 0.1}}, {{3, true}, {1, true}}});
    for (const double few : {std::numeric_limits<double>::denorm_min(), 1e-300, 1e-30}) {
        const ScoreFairness f = score_fairness(tally, {{{0, few}}, {{0, 1}}}, 2.5);
        for (const double gap : {f.sp, f.dp, f.eop}) EXPECT_EQ(gap, 0.5);
        EXPECT_EQ(f.gauc, 0) << "2 is above one of two";
    }
}

TEST(ScoreFairness, SeparatedScoresReachBounds) {
    // Twice 20 weights are added, and so are the products of 20 with a sum.
    constexpr double tolerance = gamma(100, double_unit);
    Random random(1);
    for (int i = 0; i < 100; ++i) {
        std::vector<Scored> high, low;
        for (int j = 0; j < 20; ++j) {
            high.push_back({1 + random.unit(), true, 0.1 + random.unit()});
            low.push_back({-random.unit(), false, 0.1 + random.unit()});
        }
        for (const ScoreTally& tally : {tally_of({high, low}), tally_of({low, high})}) {
            const ScoreFairness f = score_fairness(tally, {{{0.1, 0.8}}}, 0.5);
            EXPECT_LE(f.auc, 1);
            EXPECT_GE(f.auc, 1 - tolerance);
            EXPECT_LE(f.gauc, 0.5);
            EXPECT_GE(f.gauc, 0.5 - tolerance);
            for (const double figure : {f.accuracy, f.sp, f.dp, f.overall_gap}) EXPECT_EQ(figure, 1);
        }
    }
}

TEST(ScoreFairness, TakesAnyNumberOfGroups) {
    ScoreTally tally(1000);
    for (int k = 0; k < 1000; ++k) tally.add(k, static_cast<GroupId>(k), k % 2 == 0);
    tally.settle();
    const ScoreFairness f = score_fairness(tally, all_ranks, 499.5);
    EXPECT_EQ(f.points, 1000);
    EXPECT_EQ(f.sp, 1);
    EXPECT_EQ(f.eod, 1);
}

TEST(RanksByGroup, AreTakenForAllGroupsOrForEach) {
    check(all_ranks, 0);
    check(all_ranks, 1);
    check(all_ranks, 5);
    check({}, 0);
    check({{{0, 0.5}}, {{0.5, 1}}}, 2);
    check({{{0, 0.2}, {0.2, 0.3}, {0.9, 1}}}, 3);
    check({{{0, std::numeric_limits<double>::denorm_min()}}}, 3);
}

TEST(RanksByGroup, AreRefusedInWordsThatNameThem) {
    const auto refused = [](const RanksByGroup& ranks, std::initializer_list<std::string_view> parts) {
        expect_refused(Reason::bad_option, parts, [&] { check(ranks, 3); });
    };
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    refused({}, {"0 lists", "3 groups"});
    refused({{{0, 1}}, {{0, 1}}}, {"2 lists", "3 groups"});
    refused({{}}, {"ranks:", "one interval"});
    refused({{{0, 1}}, {}, {{0, 1}}}, {"group 1:", "one interval"});
    refused({{{0.3, 0.2}}}, {"[0.3, 0.2)", "from < to"});
    refused({{{0.3, 0.3}}}, {"[0.3, 0.3)"});
    refused({{{-0.1, 0.3}}}, {"[-0.1, 0.3)", "0 <= from"});
    refused({{{0.5, 1.5}}}, {"[0.5, 1.5)", "to <= 1"});
    refused({{{nan, 0.3}}}, {"[nan, 0.3)"});
    refused({{{0.3, nan}}}, {"[0.3, nan)"});
    refused({{{0.3, infinity}}}, {"[0.3, inf)"});
    refused({{{0, 1}}, {{0, 1}}, {{0.1, 0.4}, {0.3, 0.5}}}, {"ranks of group 2", "[0.3, 0.5)", "[0.1, 0.4) ends"});
    refused({{{0.5, 0.6}, {0.1, 0.2}}}, {"[0.1, 0.2)", "[0.5, 0.6)"});
}

}  // namespace
}  // namespace fairstream::test
