/// The scorer's defaults: it chooses a loss, keeps kappa, and tries solves from nothing.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include <fairstream/models/partial_fair_scorer/detail/solve.hpp>

#include "model_bench.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;

/// Points mostly of one class: few negatives.
PointColumns of_one_class(std::size_t n) {
    PointColumns points = stream_part(0, n);
    for (std::size_t i = 0; i < n; ++i)
        if (i % 40 != 0) points.targets[i] = 1;
    return points;
}

Sample sample_in(const Window& window) {
    return {window.points(), window.dimensions(), window.attributes(), 0, 2};
}

TEST(ChoiceOfLoss, PicksBetterOnHeldBackQuarter) {
    for (const PointColumns& points : {stream_part(0, 2000), of_one_class(2000)}) {
        ScorerBench bench(among(0.1, 0.5, 0.1));
        bench.ingest(points.view());
        const LossChoice& choice = bench.state.choice;
        EXPECT_NEAR(static_cast<double>(choice.held_back), 500, 5 * std::sqrt(2000 * 0.25 * 0.75));
        const double lead = choice.sigmoid_accuracy - choice.logistic_accuracy;
        if (lead > 2 * choice.standard_error) {
            EXPECT_EQ(choice.loss, Loss::sigmoid);
        } else if (lead < -2 * choice.standard_error || choice.sigmoid_auc < choice.logistic_auc - 0.02) {
            EXPECT_EQ(choice.loss, Loss::logistic);
        } else {
            EXPECT_EQ(choice.loss, Loss::sigmoid);
        }
    }
}

TEST(ChoiceOfLoss, MatchesNamedLoss) {
    ScorerBench chosen(among(0.1, 0.5, 0.1));
    chosen.ingest(stream_part(0, 1000).view());
    Options options = chosen.options;
    options.loss = chosen.state.choice.loss;
    ScorerBench named(options);
    named.ingest(stream_part(0, 1000).view());
    EXPECT_EQ(named.state.scores, chosen.state.scores);
    EXPECT_EQ(named.state.choice, LossChoice()) << "nothing was chosen";
}

TEST(ChoiceOfLoss, RepeatsAfterWindowTurnover) {
    ScorerBench bench(among(0.1, 0.5, 0.1), 400);
    bench.ingest(stream_part(0, 400).view());
    LossChoice expected = bench.state.choice;
    for (std::size_t begin = 400; begin < 700; begin += 100) {
        bench.ingest(stream_part(begin, 100).view());
        expected.points_left = 700 - begin;
        EXPECT_EQ(bench.state.choice, expected) << begin;
    }
    bench.ingest(stream_part(700, 100).view());
    expected.points_left = 400;
    EXPECT_EQ(bench.state.choice.points_left, 400U);
    EXPECT_NE(bench.state.choice, expected) << "of other points";
}

TEST(ChoiceOfLoss, DefaultsToSigmoidForFewPoints) {
    ScorerBench bench(among(0.0, 1.0, 0.2), 10);
    PointColumns two = stream_part(0, 2);
    two.targets = {1.0F, -1.0F};
    bench.ingest(two.view());
    EXPECT_EQ(bench.state.choice.loss, Loss::sigmoid);
    EXPECT_EQ(bench.state.choice.held_back, 0U);
}

TEST(ChoiceOfLoss, OverPairsIsByTheAuc) {
    Options options = among(0.1, 0.5, 0.1);
    options.over = Over::auc;
    ScorerBench bench(options);
    bench.ingest(stream_part(0, 600).view());
    const LossChoice& choice = bench.state.choice;
    EXPECT_EQ(choice.loss == Loss::sigmoid, choice.sigmoid_auc >= choice.logistic_auc);
}

TEST(Kappa, IsKeptOrReported) {
    for (const Metric metric :
         {Metric::psp, Metric::pdp, Metric::eop, Metric::eod, Metric::gauc, Metric::eop_in_class, Metric::eod_in_class})
        for (const double kappa : {0.0, 0.02, 0.1}) {
            Options options = among(0.05, 0.5, kappa);
            options.metric = metric;
            options.loss = Loss::logistic;
            ScorerBench bench(options, 1000);
            for (std::size_t first = 0; first < 3000; first += 500) {
                bench.ingest(stream_part(first, 500).view());
                const bool kept = bench.state.quality.measured <= kappa;
                if (!kept) {
                    EXPECT_NE(bench.report.solve.outcome, Outcome::converged);
                }
                // Ranks within the group are hard to constrain for one class.
                if (kappa == 0.1 && metric != Metric::eop && metric != Metric::eod) {
                    EXPECT_TRUE(kept) << static_cast<int>(metric) << " at " << first;
                }
            }
        }
}

TEST(Kappa, BoundsReportedFigure) {
    const std::array<std::pair<Metric, double ScoreFairness::*>, 5> figures{{{Metric::psp, &ScoreFairness::sp},
                                                                             {Metric::pdp, &ScoreFairness::dp},
                                                                             {Metric::eop, &ScoreFairness::eop},
                                                                             {Metric::eod, &ScoreFairness::eod},
                                                                             {Metric::gauc, &ScoreFairness::gauc}}};
    for (const auto& [metric, figure] : figures)
        for (const auto& [from, to] : {std::pair(0.05, 0.3), std::pair(0.2, 0.7), std::pair(0.0, 1.0)}) {
            Options options = among(from, to, 0.05);
            options.metric = metric;
            ScorerBench bench(options);
            bench.ingest(stream_part(0, 2000).view());
            EXPECT_EQ(bench.state.quality.measured, bench.fairness().*figure)
                << static_cast<int>(metric) << ' ' << from;
            if (bench.report.solve.outcome == Outcome::converged) {
                EXPECT_LE(bench.fairness().*figure, options.kappa) << static_cast<int>(metric) << ' ' << from;
            }
        }
}

TEST(Kappa, TakesMoreLevelsIfNeeded) {
    Options options = among(0.1, 0.5, 0.02);
    options.rank_levels = 3;
    options.loss = Loss::logistic;
    ScorerBench bench(options);
    bench.ingest(stream_part(0, 3000).view());
    EXPECT_GT(bench.state.quality.levels, 3);
    EXPECT_LE(bench.state.quality.levels, 12);
    EXPECT_LE(bench.state.quality.measured, 0.02);
    EXPECT_EQ(bench.fairness().sp, bench.state.quality.measured);
    EXPECT_LE(bench.fairness().sp, fairness_bound(options, bench.state).total());
}

TEST(Kappa, ConfidenceBoundsUpperLimit) {
    Options options = among(0.1, 0.5, 0.2);
    options.loss = Loss::logistic;
    ScorerBench of_points(options);
    of_points.ingest(stream_part(0, 3000).view());
    EXPECT_EQ(of_points.state.quality.limit, 0);
    options.confidence = 0.95;
    ScorerBench of_limit(options);
    of_limit.ingest(stream_part(0, 3000).view());
    const Quality& quality = of_limit.state.quality;
    EXPECT_LE(quality.measured, quality.limit);
    EXPECT_LE(quality.limit, 0.2);
    EXPECT_LT(quality.measured, of_points.state.quality.measured);
    EXPECT_GT(quality.loss, of_points.state.quality.loss);
}

TEST(Kappa, IsSearchedInBothDirections) {
    Options options = among(0.1, 0.5, 0.1);
    options.loss = Loss::logistic;
    ScorerBench bench(options);
    bench.ingest(stream_part(0, 3000).view());
    EXPECT_LE(bench.state.quality.measured, 0.1);
    EXPECT_GE(bench.state.quality.measured, 0.9 * 0.1) << "what may be used of kappa is used";
}

TEST(FreshSolves, AreTakenWhereTheyAreBetter) {
    Options options = among(0.1, 0.5, 0.1);
    options.loss = Loss::logistic;
    options.iterations = 0;
    options.fresh_every = 2;
    ScorerBench bench(options, 1000);
    bench.ingest(stream_part(0, 1000).view());
    bool taken = false;
    for (std::size_t first = 1000; first < 3000; first += 250) {
        const bool looks = bench.state.steps % 2 == 0;
        bench.ingest(stream_part(first, 250).view());
        taken = taken || bench.state.quality.restarted;
        if (!looks) {
            EXPECT_FALSE(bench.state.quality.restarted);
            continue;
        }
        const Solved cold = solve(options, sample_in(bench.window), options.solve_iterations, {});
        EXPECT_FALSE(is_better(options, cold.solution, bench.state, 5e-4)) << first;
    }
    EXPECT_TRUE(taken) << "weights that do not follow the stream are left for others";
}

TEST(BetterSolution, KappaPrecedesLoss) {
    Options options = among(0.1, 0.5, 0.1);
    Solution a, b;
    a.quality.loss = 0.5, a.quality.measured = 0.09;
    b.quality.loss = 0.4, b.quality.measured = 0.11;
    EXPECT_TRUE(is_better(options, a, b)) << "only the first keeps to kappa";
    EXPECT_FALSE(is_better(options, b, a));
    b.quality.measured = 0.1;
    EXPECT_TRUE(is_better(options, b, a));
    EXPECT_FALSE(is_better(options, b, a, 0.3)) << "not by so much";
    a.quality.measured = 0.2, b.quality.measured = 0.3;
    a.quality.loss = b.quality.loss;
    EXPECT_TRUE(is_better(options, a, b)) << "closer to kappa";
    options.enforce = Enforce::surrogate;
    a.quality.infeasibility = 0.1;
    EXPECT_TRUE(is_better(options, b, a)) << "the surrogate keeps to kappa";
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
