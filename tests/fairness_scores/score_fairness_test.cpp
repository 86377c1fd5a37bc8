/// Fairness of scores against its definitions, counted out, and properties of all scores.

#include <gtest/gtest.h>

#include "fairness_scores/score_oracle.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

// Shares are quotients of sums of at most 100 weights. Figures are made of fewer than 1000 operations on them, one of
// which divides by a length of at least 1/10.
constexpr double tolerance = tenths * gamma(10'000, double_unit);

void expect_near(const ScoreFairness& a, const ScoreFairness& b) {
    EXPECT_EQ(a.points, b.points);
    EXPECT_NEAR(a.accuracy, b.accuracy, tolerance);
    EXPECT_NEAR(a.auc, b.auc, tolerance);
    EXPECT_NEAR(a.sp, b.sp, tolerance);
    EXPECT_NEAR(a.dp, b.dp, tolerance);
    EXPECT_NEAR(a.gauc, b.gauc, tolerance);
    EXPECT_NEAR(a.eop, b.eop, tolerance);
    EXPECT_NEAR(a.eod, b.eod, tolerance);
    EXPECT_NEAR(a.tail_gap, b.tail_gap, tolerance);
    EXPECT_NEAR(a.overall_gap, b.overall_gap, tolerance);
}

// Runs the test `run` on many samples, until one fails.
template <class Run> void for_samples(std::uint64_t seed, int count, Run&& run) {
    Random random(seed);
    for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE("sample " + std::to_string(i));
        Sample x = random_sample(random);
        check(x.rank_intervals(), static_cast<std::size_t>(x.groups));
        run(x, random);
    }
}

TEST(ScoreFairness, IsWhatTheDefinitionsCount) {
    for_samples(1, 400, [](const Sample& x, Random&) {
        for (const RankAmong among : {RankAmong::group, RankAmong::group_and_class})
            expect_near(x.fairness(among), counted::fairness(x, among));
    });
}

TEST(ScoreFairness, IsTheLargestOverPairsOfGroups) {
    for_samples(2, 300, [](const Sample& x, Random&) {
        ScoreFairness largest;
        for (int a = 0; a < x.groups; ++a)
            for (int b = 0; b < a; ++b) {
                Sample pair = x;
                std::erase_if(pair.points, [&](const ScoredPoint& p) { return p.group != a && p.group != b; });
                const ScoreFairness f = pair.fairness();
                for (const auto figure :
                     {&ScoreFairness::sp, &ScoreFairness::dp, &ScoreFairness::gauc, &ScoreFairness::eop,
                      &ScoreFairness::eod, &ScoreFairness::tail_gap, &ScoreFairness::overall_gap})
                    largest.*figure = std::max(largest.*figure, f.*figure);
            }
        const ScoreFairness all = x.fairness();
        largest.points = all.points;
        largest.accuracy = all.accuracy;
        largest.auc = all.auc;
        EXPECT_EQ(all, largest);
    });
}

TEST(ScoreFairness, MatchesFreshTallyAfterWalk) {
    Random random(3);
    ScoreTally walked(3);
    Sample in{3, {}, {{{1, 4}, {6, 10}}}, 0.5, 0.1};
    for (int round = 0; round < 200; ++round) {
        for (std::uint32_t step = random.below(10); step > 0; --step) {
            if (in.points.empty() || random.below(100) < 55) {
                const ScoredPoint p{static_cast<double>(random.below(12)) / 8, static_cast<GroupId>(random.below(3)),
                                    random.below(2) == 0, static_cast<int>(1 + random.below(3))};
                in.points.push_back(p);
                walked.add(p.score, p.group, p.positive, p.weight * in.unit);
            } else {
                const auto at = in.points.begin() + random.below(static_cast<std::uint32_t>(in.points.size()));
                walked.remove(at->score, at->group, at->positive, at->weight * in.unit);
                in.points.erase(at);
            }
        }
        walked.settle();
        ASSERT_EQ(walked, in.tally());
        for (const RankAmong among : {RankAmong::group, RankAmong::group_and_class})
            ASSERT_EQ(score_fairness(walked, in.rank_intervals(), in.threshold, among), in.fairness(among));
    }
}

TEST(ScoreFairness, OfAllRanksIsTheOrdinary) {
    for_samples(4, 200, [](Sample& x, Random&) {
        x.unit = 1;
        x.ranks = {{{0, 10}}};
        const ScoreFairness f = x.fairness();
        EXPECT_EQ(f.sp, counted::tail_gap(x, false)) << "to the last bit";
        EXPECT_EQ(f.overall_gap, f.sp);
        EXPECT_EQ(f.tail_gap, f.sp);
        std::vector<double> shares, recalls;
        const auto high = [&](const ScoredPoint& p) { return p.score > x.threshold; };
        for (int k = 0; k < x.groups; ++k) {
            using counted::Class;
            shares.push_back(double(counted::weight(x, k, Class::any, high)) / counted::weight(x, k));
            recalls.push_back(double(counted::weight(x, k, Class::positive, high)) /
                              counted::weight(x, k, Class::positive));
        }
        EXPECT_EQ(f.dp, counted::largest_gap(shares));
        EXPECT_EQ(f.eop, counted::largest_gap(recalls));
        EXPECT_EQ(f.eop, x.fairness(RankAmong::group_and_class).eop);
        EXPECT_EQ(f.eod, x.fairness(RankAmong::group_and_class).eod);
        EXPECT_EQ(f.gauc, counted::gauc(x));
    });
}

// Definition (6) for points counted as a whole, in or out of I by their own rank. The point cut by the start of I is
// out, the one cut by its end is in. With the miscounted shares a, e < 1/n, a tail r is short of a(1 - r) + r e.
TEST(ScoreFairness, DiffersByOnePointFromWholeCounting) {
    Random random(5);
    for (int i = 0; i < 200; ++i) {
        Sample x{2, {}, {{random_tenths(random).front()}}, random.unit()};
        std::vector<std::vector<Score>> scores(2);
        for (int k = 0; k < 2; ++k) {
            for (std::uint32_t n = 10 + random.below(30); n > 0; --n) {
                scores[k].push_back(random.unit() + 0.2 * k);
                x.points.push_back({scores[k].back(), static_cast<GroupId>(k), false, 1});
            }
            std::ranges::sort(scores[k], std::greater{});
        }
        const auto [from, to] = x.ranks[0][0];
        double share = 0;
        const auto whole = [&](double theta) {
            double tails[2];
            for (int k = 0; k < 2; ++k) {
                const int n = static_cast<int>(scores[k].size());
                double inside = 0, above = 0;
                for (int j = 0; j < n; ++j)
                    if (from * n <= j * tenths && j * tenths < to * n) {
                        ++inside;
                        above += scores[k][j] > theta;
                    }
                tails[k] = above / inside;
                share = std::max(share, tenths / double(n * (to - from)));
            }
            return std::abs(tails[0] - tails[1]);
        };
        double sp = 0;
        for (const ScoredPoint& p : x.points) sp = std::max(sp, whole(p.score));
        EXPECT_NEAR(x.fairness().dp, whole(x.threshold), share + tolerance);
        EXPECT_NEAR(x.fairness().sp, sp, share + tolerance);
    }
}

TEST(ScoreFairness, GroupsOfTheSameScoresAreTreatedAlike) {
    for_samples(6, 200, [](Sample& x, Random&) {
        x.groups = 3;
        x.ranks.resize(1);
        std::vector<ScoredPoint> tripled;
        for (const GroupId group : {0, 1, 2})
            for (const ScoredPoint& p : x.points) tripled.push_back({p.score, group, p.positive, p.weight});
        x.points = tripled;
        const ScoreFairness f = x.fairness();
        for (const double figure : {f.sp, f.dp, f.eop, f.eod, f.tail_gap, f.overall_gap}) EXPECT_EQ(figure, 0);
    });
}

TEST(ScoreFairness, OnlyTheOrderOfTheScoresMatters) {
    for_samples(7, 200, [](Sample& x, Random&) {
        const auto map = [](double s) { return std::expm1(3 * s) - 5; };
        Sample mapped = x;
        for (ScoredPoint& p : mapped.points) p.score = map(p.score);
        const ScoreFairness before = x.fairness(), there = mapped.fairness();
        EXPECT_EQ(there.sp, before.sp);
        EXPECT_EQ(there.gauc, before.gauc);
        EXPECT_EQ(there.auc, before.auc);
        EXPECT_EQ(there.tail_gap, before.tail_gap);
        EXPECT_EQ(there.overall_gap, before.overall_gap);
        mapped.threshold = map(x.threshold);
        EXPECT_EQ(mapped.fairness(), before) << "with the threshold mapped too";
    });
}

TEST(ScoreFairness, AWeightIsThatManyPoints) {
    for_samples(8, 200, [](Sample& x, Random&) {
        Sample copies = x;
        copies.points.clear();
        for (const ScoredPoint& p : x.points)
            copies.points.insert(copies.points.end(), static_cast<std::size_t>(p.weight),
                                 {p.score, p.group, p.positive, 1});
        for (const RankAmong among : {RankAmong::group, RankAmong::group_and_class}) {
            ScoreFairness f = copies.fairness(among);
            f.points = static_cast<std::int64_t>(x.points.size());
            expect_near(x.fairness(among), f);
        }
    });
}

TEST(ScoreFairness, TheNumbersOfTheGroupsDoNotMatter) {
    for_samples(9, 200, [](Sample& x, Random&) {
        Sample turned = x;
        for (ScoredPoint& p : turned.points) p.group = static_cast<GroupId>(x.groups - 1 - p.group);
        std::ranges::reverse(turned.ranks);
        expect_near(turned.fairness(), x.fairness());
    });
}

TEST(ScoreFairness, OnlyFiguresAmongRanksDependOnThem) {
    for_samples(11, 200, [](Sample& x, Random& random) {
        const ScoreFairness before = x.fairness();
        x.ranks = {random_tenths(random)};
        const ScoreFairness after = x.fairness();
        EXPECT_EQ(after.overall_gap, before.overall_gap);
        EXPECT_EQ(after.auc, before.auc);
        EXPECT_EQ(after.accuracy, before.accuracy);
    });
}

TEST(ScoreFairness, AnIntervalCutInTwoIsTheSame) {
    for_samples(10, 200, [](Sample& x, Random&) {
        Sample cut = x;
        for (Tenths& list : cut.ranks)
            if (const auto [from, to] = list.back(); to - from > 1) {
                list.back().second = from + 1;
                list.emplace_back(from + 1, to);
            }
        EXPECT_EQ(cut.fairness(), x.fairness());
    });
}

}  // namespace
}  // namespace fairstream::test
