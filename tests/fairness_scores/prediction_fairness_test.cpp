#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/numeric/draws.hpp>

namespace fairstream {
namespace {

struct Predicted {
    double prediction;
    GroupId group;
    float target;
    double weight;
};
using Points = std::vector<Predicted>;

// Predictions are of few values, so that many tie.
Points random_points(std::uint64_t seed, std::size_t n, std::uint32_t groups) {
    Draws draws(seed);
    Points points;
    for (std::size_t i = 0; i < n; ++i) {
        const auto group = static_cast<GroupId>(draws.below(groups));
        points.push_back({std::floor(8 * draws.unit()) / 4 + (group == 1 ? 0.5 : 0), group,
                          static_cast<float>(draws.unit()), 0.25 + draws.unit()});
    }
    return points;
}

ScoreTally tally_of(const Points& points, std::size_t groups, std::size_t known) {
    ScoreTally tally(groups, known);
    for (const Predicted& p : points) tally.add(p.prediction, p.group, p.target, p.weight);
    tally.settle();
    return tally;
}

double share_at_or_below(const Points& points, GroupId group, double value) {
    double below = 0, all = 0;
    for (const Predicted& p : points)
        if (p.group == group) all += p.weight, below += p.prediction <= value ? p.weight : 0;
    return below / all;
}

double mean_of(const Points& points, GroupId group) {
    double sum = 0, all = 0;
    for (const Predicted& p : points)
        if (p.group == group) sum += p.weight * p.prediction, all += p.weight;
    return sum / all;
}

TEST(PredictionFairness, IsByItsDefinitions) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Points points = random_points(seed, 60, 3);
        double error = 0, mass = 0, ks = 0, wasserstein = 0, gap = 0;
        for (const Predicted& p : points) {
            error += p.weight * std::pow(p.prediction - double{p.target}, 2);
            mass += p.weight;
        }
        for (GroupId a = 0; a < 3; ++a)
            for (GroupId b = 0; b < a; ++b) {
                double area = 0;
                for (double x = 0; x < 3; x += 0.25) {  // all predictions are multiples of a quarter
                    const double distance = std::abs(share_at_or_below(points, a, x) - share_at_or_below(points, b, x));
                    ks = std::max(ks, distance);
                    area += 0.25 * distance;
                }
                wasserstein = std::max(wasserstein, area);
                gap = std::max(gap, std::abs(mean_of(points, a) - mean_of(points, b)));
            }
        const PredictionFairness found = prediction_fairness(tally_of(points, 3, 3), true);
        EXPECT_EQ(found.points, 60);
        EXPECT_NEAR(found.mse.value(), error / mass, 1e-12);
        EXPECT_NEAR(found.ks, ks, 1e-12);
        EXPECT_NEAR(found.wasserstein, wasserstein, 1e-12);
        EXPECT_NEAR(found.mean_gap, gap, 1e-12);
    }
}

TEST(PredictionFairness, FollowsPointsThatComeAndGo) {
    ScoreTally walked(2);
    Draws draws(9);
    Points in;
    for (const Predicted& p : random_points(4, 500, 2)) {
        in.push_back(p);
        walked.add(p.prediction, p.group, p.target, p.weight);
        if (draws.unit() < 0.4) {
            const std::size_t at = draws.below(static_cast<std::uint32_t>(in.size()));
            walked.remove(in[at].prediction, in[at].group, in[at].target, in[at].weight);
            in.erase(in.begin() + static_cast<std::ptrdiff_t>(at));
        }
        walked.settle();
        ASSERT_EQ(prediction_fairness(walked, true), prediction_fairness(tally_of(in, 2, 2), true));
    }
}

TEST(PredictionFairness, CountsUnknownGroupsInTheErrorAlone) {
    Points points = random_points(5, 80, 2);
    const PredictionFairness known = prediction_fairness(tally_of(points, 3, 2), true);
    points.push_back({100, 2, 0, 1});
    const PredictionFairness found = prediction_fairness(tally_of(points, 3, 2), true);
    EXPECT_EQ(found.ks, known.ks);
    EXPECT_EQ(found.wasserstein, known.wasserstein);
    EXPECT_EQ(found.mean_gap, known.mean_gap);
    EXPECT_GT(found.mse.value(), 10 * known.mse.value());
}

TEST(PredictionFairness, OfNothingOneGroupOrNoTargets) {
    EXPECT_EQ(prediction_fairness(tally_of({}, 2, 2), true), PredictionFairness{});
    const Points one{{0.5, 0, 1, 1}, {2, 0, 1, 1}};
    const PredictionFairness found = prediction_fairness(tally_of(one, 2, 2), true);
    EXPECT_EQ(found.ks, 0);
    EXPECT_EQ(found.ks_by_chance, 0);
    EXPECT_DOUBLE_EQ(found.mse.value(), 0.625);
    EXPECT_FALSE(prediction_fairness(tally_of(one, 2, 2), false).mse.has_value());
}

TEST(PredictionFairness, StatesTheDistanceOfEqualGroups) {
    Draws draws(6);
    double sum = 0, stated = 0;
    for (int trial = 0; trial < 300; ++trial) {
        Points points;
        for (int i = 0; i < 300; ++i) points.push_back({draws.unit(), static_cast<GroupId>(i % 3 == 0 ? 0 : 1), 0, 1});
        const PredictionFairness found = prediction_fairness(tally_of(points, 2, 2), true);
        sum += found.ks / 300;
        stated = found.ks_by_chance;
    }
    EXPECT_NEAR(sum, stated, 0.08 * sum);
}

TEST(PredictionFairness, SharesItsDistanceWithThatOfScores) {
    const ScoreTally tally = tally_of(random_points(7, 200, 3), 3, 3);
    EXPECT_EQ(prediction_fairness(tally, true).ks, score_fairness(tally, {{{0, 1}}}, 0).overall_gap);
}

}  // namespace
}  // namespace fairstream
