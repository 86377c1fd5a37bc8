/// Counts near given ones that keep demands: against all counts, and in cases where moves of single points find none.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <fairstream/fair_assignment/detail/feasible_counts.hpp>
#include <fairstream/fair_assignment/detail/ratio_counts.hpp>
#include <fairstream/fairness/attainable.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {
namespace {

// One attribute with these numbers of points in each group.
CountProblem problem_of(const CellCounts& totals, std::size_t clusters, Demand demand) {
    CountProblem problem{clusters, {}, {0}, {totals.size()}, {{std::move(demand)}, {}}};
    for (std::size_t j = 0; j < totals.size(); ++j) problem.cells.push_back({static_cast<GroupId>(j)});
    return problem;
}

Demand balance_of(double ratio) {
    Demand demand;
    demand.ratio = ratio;
    return demand;
}

Demand parity_of(double ratio, const CellCounts& totals) {
    Demand demand = balance_of(ratio);
    for (const std::int64_t points : totals) demand.weights.push_back(1.0 / static_cast<double>(points));
    return demand;
}

double shortfall_of(const CountProblem& problem, const CellCounts& counts) {
    double total = 0;
    for (std::size_t l = 0; l < problem.clusters; ++l) total += problem.shortfall(problem.row_of(counts, l));
    return total;
}

std::int64_t moved_between(const CellCounts& a, const CellCounts& b) {
    std::int64_t moved = 0;
    for (std::size_t i = 0; i < a.size(); ++i) moved += std::abs(a[i] - b[i]);
    return moved / 2;
}

// Visits all counts of two groups in three clusters.
void for_all_counts(const CellCounts& totals, const std::function<void(const CellCounts&)>& visit) {
    for (std::int64_t a = 0; a <= totals[0]; ++a)
        for (std::int64_t b = 0; a + b <= totals[0]; ++b)
            for (std::int64_t c = 0; c <= totals[1]; ++c)
                for (std::int64_t d = 0; c + d <= totals[1]; ++d)
                    visit({a, c, b, d, totals[0] - a - b, totals[1] - c - d});
}

CellCounts drawn(Random& random, const CellCounts& totals, std::size_t clusters) {
    CellCounts counts(clusters * totals.size());
    for (std::size_t j = 0; j < totals.size(); ++j)
        for (std::int64_t i = 0; i < totals[j]; ++i)
            ++counts[random.below(static_cast<std::uint32_t>(clusters)) * totals.size() + j];
    return counts;
}

TEST(FeasibleCounts, TwoGroupsKeepAttainableRatio) {
    Random random(5);
    int kept = 0, missed = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const CellCounts totals{3 + random.below(7), 3 + random.below(9)};
        const double ratio = 0.3 + 0.7 * random.unit();
        const CountProblem problem =
            problem_of(totals, 3, trial % 2 == 0 ? balance_of(ratio) : parity_of(ratio, totals));
        bool some = false;
        for_all_counts(totals, [&](const CellCounts& counts) { some = some || shortfall_of(problem, counts) == 0; });
        CountLimits limits;
        const std::vector<CellCounts> found = feasible_counts(problem, drawn(random, totals, 3), limits);
        ASSERT_EQ(!found.empty(), some) << trial;
        ++(some ? kept : missed);
        if (found.empty()) continue;
        EXPECT_EQ(shortfall_of(problem, found[0]), 0);
        EXPECT_EQ(problem.totals_of(found[0]), totals);
    }
    EXPECT_GT(kept, 100);
    EXPECT_GT(missed, 100);
}

TEST(FeasibleCounts, BalanceMovesFewPoints) {
    Random random(1, 21);
    int found_some = 0;
    for (int trial = 0; trial < 100; ++trial) {
        CellCounts counts;
        for (int l = 0; l < 3; ++l) {
            counts.push_back(2 + random.below(3));
            counts.push_back(counts.back() + random.below(4));
        }
        const CellCounts totals{counts[0] + counts[2] + counts[4], counts[1] + counts[3] + counts[5]};
        const double best = static_cast<double>(totals[0]) / static_cast<double>(totals[1]);
        const CountProblem problem = problem_of(totals, 3, balance_of(best * (0.8 + 0.2 * random.unit())));
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for_all_counts(totals, [&](const CellCounts& other) {
            if (shortfall_of(problem, other) == 0) fewest = std::min(fewest, moved_between(other, counts));
        });
        const auto found = ratio_counts(problem, counts);
        ASSERT_EQ(found.has_value(), fewest < std::numeric_limits<std::int64_t>::max()) << trial;
        if (!found) continue;
        ++found_some;
        EXPECT_EQ(shortfall_of(problem, *found), 0) << trial;
        EXPECT_EQ(problem.totals_of(*found), totals) << trial;
        EXPECT_LE(moved_between(*found, counts), fewest + 1) << trial;
    }
    EXPECT_GT(found_some, 50);
}

// Room for 1241 points of the larger group needs clusters whose parts waste a third of a point together: in practice
// all multiples of 13.
TEST(FeasibleCounts, TightRoomIsFoundNearby) {
    const CellCounts counts{162, 249, 101, 155, 144, 222, 130, 200, 147, 226, 123, 189};
    const CountProblem problem = problem_of({807, 1241}, 6, balance_of(0.65));
    const auto found = ratio_counts(problem, counts);
    ASSERT_TRUE(found);
    EXPECT_EQ(shortfall_of(problem, *found), 0);
    EXPECT_EQ(problem.totals_of(*found), problem.totals_of(counts));
    for (std::size_t i = 0; i < counts.size(); i += 2) EXPECT_LE(std::abs((*found)[i] - counts[i]), 16) << i;
}

// Clusters of rising size, each with the composition of all points except for rounding.
CellCounts rising(const CellCounts& totals, std::size_t clusters) {
    const std::size_t groups = totals.size();
    CellCounts counts(clusters * groups);
    for (std::size_t j = 0; j < groups; ++j) {
        const auto end = [&](std::size_t l) {
            const auto part = static_cast<double>(l * (l + 3)) / static_cast<double>(clusters * (clusters + 3));
            return std::llround(part * static_cast<double>(totals[j]));
        };
        for (std::size_t l = 0; l < clusters; ++l) counts[l * groups + j] = end(l + 1) - end(l);
    }
    return counts;
}

// Expects the demand and the totals to be kept, and few points to move.
void expect_near(const CellCounts& totals, std::size_t clusters, Demand demand, std::int64_t most_moved) {
    const CountProblem problem = problem_of(totals, clusters, std::move(demand));
    const CellCounts before = rising(totals, clusters);
    ASSERT_GT(shortfall_of(problem, before), 0);
    CountLimits limits;
    const std::vector<CellCounts> found = feasible_counts(problem, before, limits);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(problem.totals_of(found[0]), totals);
    EXPECT_EQ(shortfall_of(problem, found[0]), 0);
    EXPECT_LE(moved_between(found[0], before), most_moved);
}

TEST(FeasibleCounts, BestTwoGroupBalanceIsNearby) {
    const CellCounts totals{492, 508};
    expect_near(totals, 5, balance_of(attainable_balance(totals, 5)), 200);
}

TEST(FeasibleCounts, AParityCloseToOneIsKept) {
    const CellCounts totals{300, 700};
    expect_near(totals, 8, parity_of(1, totals), 80);
}

TEST(FeasibleCounts, AParityOfFourGroupsIsKept) {
    const CellCounts totals{327, 400, 455, 618};
    expect_near(totals, 9, parity_of(0.99, totals), 80);
}

TEST(FeasibleCounts, MiddleGroupsFindRoom) {
    const CellCounts totals{400, 455, 327, 618};
    expect_near(totals, 9, balance_of(attainable_balance(totals, 9)), 800);
}

TEST(FeasibleCounts, SharesNearThoseOfAllPointsAreKept) {
    const CellCounts totals{400, 600};
    Demand demand;
    demand.lower = {0.399, 0.598};
    demand.upper = {0.402, 0.601};
    expect_near(totals, 6, demand, 80);
}

TEST(FeasibleCounts, RatioBeyondBestIsNotFound) {
    const CellCounts totals{40, 60};
    CountLimits limits;
    EXPECT_TRUE(feasible_counts(problem_of(totals, 4, balance_of(0.7)), rising(totals, 4), limits).empty());
}

}  // namespace
}  // namespace fairstream::safairkm
