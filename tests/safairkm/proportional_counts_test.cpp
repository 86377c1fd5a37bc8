/// Counts near given ones that keep demands which moves of single points do not lead to.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fairstream/fair_assignment/detail/proportional_counts.hpp>
#include <fairstream/fairness/attainable.hpp>

namespace fairstream::safairkm {
namespace {

// One attribute with so many points in each group.
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

// Clusters of rising size, each with the composition of all points but for rounding.
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

double shortfall_of(const CountProblem& problem, const CellCounts& counts) {
    double total = 0;
    for (std::size_t l = 0; l < problem.clusters; ++l) total += problem.shortfall(problem.row_of(counts, l));
    return total;
}

// Keeps the demand and the totals, and moves few points.
void expect_near(const CellCounts& totals, std::size_t clusters, Demand demand, std::int64_t most_moved) {
    const CountProblem problem = problem_of(totals, clusters, std::move(demand));
    const CellCounts before = rising(totals, clusters);
    ASSERT_GT(shortfall_of(problem, before), 0);
    const auto found = proportional_counts(problem, before);
    ASSERT_TRUE(found);
    EXPECT_EQ(problem.totals_of(*found), totals);
    EXPECT_EQ(shortfall_of(problem, *found), 0);
    std::int64_t moved = 0;
    for (std::size_t i = 0; i < before.size(); ++i) moved += std::abs((*found)[i] - before[i]);
    EXPECT_LE(moved / 2, most_moved);
}

TEST(ProportionalCounts, TheBestBalanceOfTwoGroupsIsKeptNearTheCountsBefore) {
    const CellCounts totals{492, 508};
    expect_near(totals, 5, balance_of(attainable_balance(totals, 5)), 200);
}

TEST(ProportionalCounts, AParityCloseToOneIsKept) {
    const CellCounts totals{300, 700};
    expect_near(totals, 8, parity_of(1, totals), 80);
}

TEST(ProportionalCounts, AParityOfFourGroupsIsKept) {
    const CellCounts totals{327, 400, 455, 618};
    expect_near(totals, 9, parity_of(0.99, totals), 80);
}

TEST(ProportionalCounts, GroupsBetweenTheSmallestAndTheLargestFindRoomBeside) {
    const CellCounts totals{400, 455, 327, 618};
    expect_near(totals, 9, balance_of(attainable_balance(totals, 9)), 800);
}

TEST(ProportionalCounts, SharesNearThoseOfAllPointsAreKept) {
    const CellCounts totals{400, 600};
    Demand demand;
    demand.lower = {0.399, 0.598};
    demand.upper = {0.402, 0.601};
    expect_near(totals, 6, demand, 80);
}

TEST(ProportionalCounts, MoreCellsThanAreSearchedAreLeftAlone) {
    const CellCounts totals{101, 103, 107, 109, 113};
    const CountProblem problem = problem_of(totals, 3, parity_of(0.999, totals));
    EXPECT_FALSE(proportional_counts(problem, rising(totals, 3)));
}

TEST(ProportionalCounts, ARatioBeyondTheBestOneHasNone) {
    const CellCounts totals{40, 60};
    const CountProblem problem = problem_of(totals, 4, balance_of(0.7));
    EXPECT_FALSE(proportional_counts(problem, rising(totals, 4)));
}

}  // namespace
}  // namespace fairstream::safairkm
