/// The shift of scores after a solve: most decisions are right, and ranks do not change.

#include <gtest/gtest.h>

#include <cmath>

#include <fairstream/models/partial_fair_scorer/detail/decision_shift.hpp>

#include "model_bench.hpp"

namespace fairstream::partial_fair_scorer::test {
namespace {

struct Scored {
    std::vector<Score> scores;
    PointColumns points;
    void add(Score score, bool positive, double weight = 1) {
        scores.push_back(score);
        points.ids.push_back(points.ids.size());
        points.targets.push_back(positive ? 1.0F : -1.0F);
        points.weights.push_back(weight);
    }
    [[nodiscard]] double shift(double threshold = 0) const {
        return most_accurate_shift(scores, points.view(), 1, threshold);
    }
};

/// Scores are normal, and a point is positive with probability 1 / (1 + exp(-slope (score - cut))).
Scored population(std::size_t n, double slope, double cut, std::uint64_t seed) {
    Random random(seed, 3);
    Scored scored;
    for (std::size_t i = 0; i < n; ++i) {
        const auto score = static_cast<double>(normal(random));
        scored.add(score, random.unit() < 1 / (1 + std::exp(-slope * (score - cut))));
    }
    return scored;
}

TEST(DecisionShift, MovesTheCutToEvenOdds) {
    for (const double cut : {-1.2, -0.4, 0.9})
        EXPECT_NEAR(population(20'000, 2, cut, 1).shift(), -cut, 0.15) << "the class changes there";
    EXPECT_NEAR(population(20'000, 2, 0.9, 1).shift(0.5), 0.5 - 0.9, 0.15) << "decisions are made at the threshold";
}

// The average over cuts by many small steps, between which the count of right decisions is linear.
TEST(DecisionShift, HasTheBestAverageOfItsNeighbours) {
    constexpr int n = 60, steps = 4000;
    int shifted = 0;
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
        const Scored scored = population(n, 1, 0.2, seed);
        std::vector<std::size_t> rising(n);
        for (std::size_t i = 0; i < n; ++i) rising[i] = i;
        std::ranges::sort(rising, {}, [&](std::size_t i) { return scored.scores[i]; });
        std::vector<double> right{0};  // by number of points below the cut
        for (const std::size_t i : rising)
            right.push_back(right.back() - static_cast<double>(scored.points.targets[i]));
        const double half = std::pow(n, 2.0 / 3) / 2;
        const auto average = [&](int cut) {
            double sum = 0;
            for (int step = 0; step < steps; ++step) {
                const double at = std::clamp(cut + half * (2 * (step + 0.5) / steps - 1), 0.0, double{n} - 1e-9);
                const auto below = static_cast<std::size_t>(at);
                sum += right[below] + (at - static_cast<double>(below)) * (right[below + 1] - right[below]);
            }
            return sum / steps;
        };
        const auto below = [&](double shift) {
            return static_cast<std::size_t>(
                std::ranges::count_if(scored.scores, [&](Score score) { return score + shift <= 0; }));
        };
        int best = 1;
        for (int cut = 2; cut < n; ++cut)
            if (average(cut) > average(best)) best = cut;
        const std::size_t present = below(0), chosen = below(scored.shift());
        if (right[static_cast<std::size_t>(best)] <= right[present]) {
            EXPECT_EQ(chosen, present) << seed << ": no more decisions would be right";
        } else {
            EXPECT_GE(average(static_cast<int>(chosen)), average(best) - 0.01) << seed;
            ++shifted;
        }
    }
    EXPECT_GT(shifted, 0);
}

TEST(DecisionShift, CountsWeightedPointsAsRepeatedOnes) {
    const Scored once = population(500, 1, 0.3, 4);
    Scored weighted, repeated;
    for (std::size_t i = 0; i < once.scores.size(); ++i) {
        const bool positive = once.points.targets[i] > 0;
        const auto times = static_cast<int>(1 + i % 3);
        weighted.add(once.scores[i], positive, times);
        for (int time = 0; time < times; ++time) repeated.add(once.scores[i], positive);
    }
    EXPECT_DOUBLE_EQ(weighted.shift(), repeated.shift());
}

TEST(DecisionShift, EqualScoresStay) {
    Scored scored;
    for (const bool positive : {true, false, true}) scored.add(2, positive);
    EXPECT_EQ(scored.shift(), 0);
}

TEST(DecisionShift, IsOfAllScoresAlike) {
    Options options = among(0.7, 1, 0.05);
    options.loss = Loss::sigmoid;
    int shifted = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        ScorerBench bench(options);
        bench.ingest(random_points(600, dimensions, 2, seed).view());
        shifted += bench.state.shift != 0;
        State unshifted = bench.state;
        unshifted.shift = 0;
        std::vector<Score> scores(bench.window.size());
        const PointBatch points = bench.window.points();
        Model::predict(options, unshifted, points.features, points.groups, scores);
        for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(bench.state.scores[i], scores[i] + bench.state.shift);
    }
    EXPECT_GT(shifted, 0) << "or the test shows nothing";
}

TEST(DecisionShift, IsOnlyOfScoresWithoutAnotherMeaning) {
    Options log_odds = among(0.1, 0.4, 0.05), at_threshold = log_odds, over_pairs = log_odds;
    log_odds.loss = Loss::logistic;
    at_threshold.loss = over_pairs.loss = Loss::sigmoid;
    at_threshold.metric = Metric::pdp;
    over_pairs.over = Over::auc;
    for (const Options& options : {log_odds, at_threshold, over_pairs}) {
        ScorerBench bench(options);
        bench.ingest(random_points(600, dimensions, 2, 8).view());
        EXPECT_EQ(bench.state.shift, 0);
    }
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer::test
