/// Fronts of cost and balance against slow oracles.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fairstream/fairness/pareto.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

using Indices = std::vector<std::size_t>;

bool dominates(const TradeOff& a, const TradeOff& b) {
    return a.cost <= b.cost && a.balance >= b.balance && a != b;
}

// Points on a grid: many of equal cost, of equal balance, and equal ones. Their sums and products are exact.
std::vector<TradeOff> grid_points(std::size_t n, std::uint32_t side, std::uint64_t seed) {
    Random random(seed);
    std::vector<TradeOff> points(n);
    for (TradeOff& point : points)
        point = {static_cast<double>(random.below(side)), static_cast<double>(random.below(33)) / 32};
    return points;
}

std::vector<TradeOff> scattered_points(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    std::vector<TradeOff> points(n);
    for (TradeOff& point : points) point = {10 * random.unit(), random.unit()};
    return points;
}

std::vector<TradeOff> chosen(const std::vector<TradeOff>& points, const Indices& indices) {
    std::vector<TradeOff> front;
    for (const std::size_t i : indices) front.push_back(points[i]);
    return front;
}

std::vector<TradeOff> random_front(std::size_t n, std::uint64_t seed) {
    const std::vector<TradeOff> points = seed % 2 == 0 ? grid_points(n, 40, seed) : scattered_points(n, seed);
    return chosen(points, nondominated(points));
}

// Points (i / steps, curve(i / steps)).
template <class Curve> std::vector<TradeOff> along(int steps, Curve curve) {
    std::vector<TradeOff> front;
    for (int i = 0; i <= steps; ++i) front.push_back({double(i) / steps, curve(double(i) / steps)});
    return front;
}

TEST(Pareto, FrontIsNondominatedAndFirst) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::size_t n = 1 + seed % 60;
        const std::vector<TradeOff> points =
            seed % 3 == 0 ? scattered_points(n, seed) : grid_points(n, seed % 3 == 1 ? 6 : 40, seed);
        Indices expected;
        for (std::size_t i = 0; i < n; ++i) {
            const auto beats = [&](const TradeOff& other) { return dominates(other, points[i]); };
            const bool first = std::ranges::find(points, points[i]) - points.begin() == static_cast<std::ptrdiff_t>(i);
            if (first && std::ranges::none_of(points, beats)) expected.push_back(i);
        }
        std::ranges::sort(expected, {}, [&](std::size_t i) { return points[i].cost; });
        ASSERT_EQ(nondominated(points), expected) << "seed " << seed;
    }
}

TEST(Pareto, AFrontRisesStrictlyInBoth) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const std::vector<TradeOff> front = random_front(200, seed);
        for (std::size_t i = 1; i < front.size(); ++i) {
            EXPECT_LT(front[i - 1].cost, front[i].cost);
            EXPECT_LT(front[i - 1].balance, front[i].balance);
        }
        Indices all(front.size());
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(nondominated(front), all) << "the front of a front is itself";
    }
}

TEST(Pareto, OmittedPointsAreCovered) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const std::vector<TradeOff> front = random_front(60, seed);
        std::vector<TradeOff> asked = seed % 2 == 0 ? grid_points(300, 40, seed + 1) : scattered_points(300, seed + 1);
        asked.insert(asked.end(), front.begin(), front.end());
        asked.insert(asked.end(), {{front.front().cost, 0}, {1e9, 1}, {1e9, front.back().balance}, {-1, 0}});
        for (const TradeOff& point : asked) {
            const bool expected = std::ranges::any_of(
                front, [&](const TradeOff& p) { return p.cost <= point.cost && p.balance >= point.balance; });
            ASSERT_EQ(covers(front, point), expected) << point.cost << " " << point.balance;
        }
    }
}

TEST(Pareto, HypervolumeCountsTheCellsThatTheFrontDominates) {
    for (std::uint64_t seed = 0; seed < 100; seed += 2)
        for (const int reference : {-1, 0, 1, 7, 25, 39, 60}) {
            const std::vector<TradeOff> front = random_front(1 + seed, seed);
            // Unit cells [c, c + 1] x [b, b + 1] / 32, each wholly dominated or not at all.
            int cells = 0;
            for (int c = 0; c < reference; ++c)
                for (int b = 0; b < 32; ++b)
                    cells += std::ranges::any_of(
                        front, [&](const TradeOff& p) { return p.cost <= c && 32 * p.balance >= b + 1; });
            ASSERT_EQ(hypervolume(front, reference), cells / 32.0) << "seed " << seed << " reference " << reference;
        }
}

TEST(Pareto, HypervolumeByHand) {
    const std::vector<TradeOff> front{{1, 0.25}, {2, 0.5}, {4, 1}};
    EXPECT_EQ(hypervolume(front, 5), 0.25 * 4 + 0.25 * 3 + 0.5 * 1);
    EXPECT_EQ(hypervolume(front, 4), 0.25 * 3 + 0.25 * 2) << "a point at the reference adds nothing";
    EXPECT_EQ(hypervolume(front, 1.5), 0.25 * 0.5);
    EXPECT_EQ(hypervolume(front, 1), 0);
    EXPECT_EQ(hypervolume(front, 0), 0);
}

TEST(Pareto, ABetterPointNeverLowersTheHypervolume) {
    for (std::uint64_t seed = 1; seed < 60; seed += 2) {
        std::vector<TradeOff> points = scattered_points(20, seed);
        double before = 0;
        for (std::size_t n = 1; n <= points.size(); ++n) {
            const std::vector<TradeOff> some(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(n));
            const double area = hypervolume(chosen(some, nondominated(some)), 9);
            // Sums of at most n products of two differences, all of one sign.
            EXPECT_GE(area, before * (1 - 2 * gamma(n + 4, double_unit)));
            before = area;
        }
    }
}

bool close(const TradeOff& a, const TradeOff& b, const std::vector<TradeOff>& front, double gap) {
    return std::abs(a.cost - b.cost) < gap * (front.back().cost - front.front().cost) &&
           std::abs(a.balance - b.balance) < gap * (front.back().balance - front.front().balance);
}

TEST(Pareto, ThinnedFrontKeepsEnds) {
    for (std::uint64_t seed = 0; seed < 100; ++seed)
        for (const double gap : {0.01, 0.05, 0.2, 0.5, 0.99}) {
            const std::vector<TradeOff> front = random_front(400, seed);
            const Indices kept = thinned(front, gap);
            ASSERT_EQ(kept.front(), 0U);
            ASSERT_EQ(kept.back(), front.size() - 1);
            for (std::size_t i = 1; i < kept.size(); ++i) {
                ASSERT_LT(kept[i - 1], kept[i]);
                ASSERT_FALSE(close(front[kept[i - 1]], front[kept[i]], front, gap)) << "gap " << gap << " at " << i;
            }
            for (const TradeOff& point : front)
                ASSERT_TRUE(std::ranges::any_of(kept, [&](std::size_t i) {
                    return point == front[i] || close(point, front[i], front, gap);
                })) << "a point that is far from all kept ones was dropped";
        }
}

TEST(Pareto, ThinningByHand) {
    const std::vector<TradeOff> front{{0, 0}, {1, 0.125}, {2, 0.25}, {3, 0.75}, {7, 0.875}, {8, 1}};
    EXPECT_EQ(thinned(front, 0.25), (Indices{0, 2, 3, 5})) << "the last but one is too close to the end, which stays";
    EXPECT_EQ(thinned(front, 0.125), (Indices{0, 1, 2, 3, 4, 5})) << "as far apart as the gap is far enough";
    EXPECT_EQ(thinned(front, 0.99), (Indices{0, 5}));
}

TEST(Pareto, AGapOfNothingKeepsAll) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::vector<TradeOff> front = random_front(100, seed);
        Indices all(front.size());
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(thinned(front, 0), all);
    }
    EXPECT_EQ(thinned(std::vector<TradeOff>{{3, 0.5}}, 0.5), Indices{0});
}

TEST(Pareto, KneeIsWhereCostRises) {
    // sqrt(x) - x is greatest at x = 1/4.
    const auto root = [](double x) { return std::sqrt(x); };
    EXPECT_EQ(knee(along(64, root)), 16U);
    std::vector<TradeOff> elsewhere = along(64, root);
    for (TradeOff& point : elsewhere) point = {1000 + 64 * point.cost, (1 + point.balance) / 4};
    EXPECT_EQ(knee(elsewhere), 16U) << "scale and place of the axes do not matter";
    EXPECT_EQ(knee(std::vector<TradeOff>{{0, 0}, {1, 0.5}, {2, 0.75}, {4, 1}}), 1U) << "of equally far ones the first";
}

TEST(Pareto, AStraightOrHollowFrontHasNoKnee) {
    EXPECT_EQ(knee(along(64, [](double x) { return x; })), std::nullopt);
    EXPECT_EQ(knee(along(64, [](double x) { return x * x; })), std::nullopt);
    EXPECT_EQ(knee(std::vector<TradeOff>{{1, 0.5}}), std::nullopt);
    EXPECT_EQ(knee(std::vector<TradeOff>{{1, 0.5}, {2, 0.75}}), std::nullopt);
    // Lines that rounding bends.
    for (int steps = 3; steps < 200; ++steps) {
        EXPECT_EQ(knee(along(steps, [](double x) { return 0.7 * x + 0.1; })), std::nullopt) << steps;
        EXPECT_EQ(knee(along(steps, [](double x) { return x / 3; })), std::nullopt) << steps;
    }
}

TEST(Pareto, SelectionsMatchLinearSearch) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const std::vector<TradeOff> front = random_front(80, seed);
        std::vector<double> bounds{-1, 0, 0.3, 0.5, 1, 1.5, 3, 9, 1e9};
        for (const TradeOff& point : front)
            for (const double figure : {point.cost, point.balance})
                bounds.insert(bounds.end(), {figure, std::nextafter(figure, -1), std::nextafter(figure, 100)});
        for (const double bound : bounds) {
            std::optional<std::size_t> least, best;
            for (std::size_t i = 0; i < front.size(); ++i) {
                if (front[i].balance >= bound && (!least || front[i].cost < front[*least].cost)) least = i;
                if (front[i].cost <= bound && (!best || front[i].balance > front[*best].balance)) best = i;
            }
            ASSERT_EQ(cheapest(front, bound), least) << bound;
            ASSERT_EQ(fairest(front, bound), best) << bound;
        }
    }
}

TEST(Pareto, OfNothingThereIsNothing) {
    EXPECT_EQ(nondominated({}), Indices{});
    EXPECT_FALSE(covers({}, {0, 0}));
    EXPECT_EQ(hypervolume({}, 1), 0);
    EXPECT_EQ(thinned({}, 0.5), Indices{});
    EXPECT_EQ(knee({}), std::nullopt);
    EXPECT_EQ(cheapest({}, 0), std::nullopt);
    EXPECT_EQ(fairest({}, 1), std::nullopt);
}

}  // namespace
}  // namespace fairstream::test
