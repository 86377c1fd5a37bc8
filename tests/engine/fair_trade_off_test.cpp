/// The trade-off between cost and balance that SA2GD finds with smoothed fair k-means.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/optimisation/sa2gd.hpp>
#include <fairstream/optimisation/smooth_fair_kmeans.hpp>

#include "grouped_points.hpp"

namespace fairstream::test {
namespace {

using Variables = std::vector<double>;

// Two clusters in the plane, four fifths of each of one group.
GroupedPoints separated_groups() {
    Draws draws(1);
    GroupedPoints points;
    for (int p = 0; p < 40; ++p) {
        const int side = p % 2;
        points.rows.push_back(static_cast<float>(side - 0.5 + draws.unit() - 0.5));
        points.rows.push_back(static_cast<float>(draws.unit() - 0.5));
        points.groups.push_back(static_cast<GroupId>(p % 10 < 2 ? 1 - side : side));
    }
    return points;
}

double hard_balance(const GroupedPoints& points, const std::vector<ClusterId>& labels) {
    double least = 1;
    for (ClusterId l = 0; l < 2; ++l) {
        double counts[2] = {0, 0};
        for (std::size_t p = 0; p < points.size(); ++p) counts[points.groups[p]] += labels[p] == l;
        least = std::min(least, std::min(counts[0], counts[1]) / std::max(counts[0], counts[1]));
    }
    return least;
}

double hard_cost(const GroupedPoints& points, const std::vector<ClusterId>& labels) {
    double sum = 0;
    for (ClusterId l = 0; l < 2; ++l)
        for (std::size_t i = 0; i < 2; ++i) {
            double count = 0, total = 0, squares = 0;
            for (std::size_t p = 0; p < points.size(); ++p)
                if (labels[p] == l) {
                    const double value = points.rows[2 * p + i];
                    count += 1, total += value, squares += value * value;
                }
            sum += squares - total * total / count;
        }
    return sum / static_cast<double>(points.size());
}

// The weight w for which w grad f^a + (1 - w) grad f^b is shortest: at a stationary point of a weighted sum, its
// weight.
double weight_at(SmoothFairKmeans& objectives, const Variables& x) {
    Variables a(x.size()), b(x.size());
    objectives.cost_gradient(x, a);
    objectives.imbalance_gradient(x, b);
    double across = 0, difference = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        across += b[i] * (b[i] - a[i]);
        difference += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return across / difference;
}

struct Found {
    Variables x;
    double cost, soft_balance, hard_cost, hard_balance, weight;
};

// From the natural clusters, which are the points' sides.
Found found(const GroupedPoints& points, int steps_a, int steps_b, bool sampled) {
    SmoothFairKmeans objectives({.dimensions = 2, .clusters = 2, .batch = 8}, points.rows, points.groups);
    std::vector<ClusterId> labels;
    for (std::size_t p = 0; p < points.size(); ++p) labels.push_back(static_cast<ClusterId>(p % 2));
    const sa2gd::Options options{
        .steps_a = steps_a, .steps_b = steps_b, .iterations = 2000, .step = [=](std::int64_t t) {
            return 1 / ((1 + static_cast<double>(t) / 100) * (steps_a + steps_b));
        }};
    const sa2gd::Gradient by_all = [&](auto x, Draws&, auto out) { objectives.cost_gradient(x, out); };
    const sa2gd::Gradient by_some = [&](auto x, Draws& draws, auto out) {
        objectives.sampled_cost_gradient(x, draws, out);
    };
    const sa2gd::Gradient of_imbalance = [&](auto x, Draws&, auto out) { objectives.imbalance_gradient(x, out); };
    Found f;
    f.x = sa2gd::minimise(options, objectives.start(labels), sampled ? by_some : by_all, of_imbalance).x;
    objectives.round(f.x, labels);
    f.cost = objectives.cost(f.x), f.soft_balance = -objectives.imbalance(f.x);
    f.hard_cost = hard_cost(points, labels), f.hard_balance = hard_balance(points, labels);
    f.weight = weight_at(objectives, f.x);
    FairnessTally tally(2, std::vector<int>{2});
    tally.add(labels, points.groups.data());
    EXPECT_DOUBLE_EQ(minimum_balance(tally, 0), f.hard_balance);
    return f;
}

TEST(SmoothFairKmeans, MoreBalanceStepsCostMore) {
    const GroupedPoints points = separated_groups();
    for (const bool sampled : {false, true}) {
        std::vector<Found> all;
        for (const auto& [steps_a, steps_b] : {std::pair{8, 1}, {4, 1}, {1, 1}})
            all.push_back(found(points, steps_a, steps_b, sampled));
        for (std::size_t i = 1; i < all.size(); ++i) {
            EXPECT_GT(all[i].soft_balance, all[i - 1].soft_balance);
            EXPECT_GT(all[i].cost, all[i - 1].cost);
            EXPECT_GE(all[i].hard_balance, all[i - 1].hard_balance);
            EXPECT_GE(all[i].hard_cost, all[i - 1].hard_cost);
        }
        EXPECT_GT(all.back().hard_balance, 2 * all.front().hard_balance);
        EXPECT_GT(all.back().hard_cost, all.front().hard_cost);
    }
}

// Not convex, so the theorem does not say it, but with exact gradients the limit is stationary for its weighted sum.
TEST(SmoothFairKmeans, LimitIsStationaryForEffortWeight) {
    const GroupedPoints points = separated_groups();
    const std::vector<std::pair<int, int>> efforts{{4, 1}, {2, 1}, {1, 1}, {1, 2}, {1, 4}};
    for (const auto& [steps_a, steps_b] : efforts) {
        const double weight = found(points, steps_a, steps_b, false).weight;
        for (const auto& [other_a, other_b] : efforts) {
            const double own = steps_a / static_cast<double>(steps_a + steps_b);
            const double other = other_a / static_cast<double>(other_a + other_b);
            EXPECT_TRUE(own == other || 4 * std::abs(weight - own) < std::abs(own - other))
                << "the weight is " << weight << " instead of " << own;
        }
    }
}

}  // namespace
}  // namespace fairstream::test
