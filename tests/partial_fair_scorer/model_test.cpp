/// The scorer's promises for its scores, on a moving window.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model_bench.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;

double kkt_residual(const State& state) {
    const Quality& q = state.quality;
    return std::max({q.stationarity, q.infeasibility, q.complementarity});
}

TEST(Scorer, KeepsBoundInMovingWindow) {
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared, Loss::sigmoid}) {
        Options options = among(0.1, 0.5, 0.1);
        options.loss = loss;
        ScorerBench bench(options, 1500);
        for (std::size_t first = 0; first < 6000; first += 500) {
            bench.ingest(stream_part(first, 500).view());
            const double bound = fairness_bound(options, bench.state).total();
            EXPECT_LE(bench.fairness().sp, bound) << static_cast<int>(loss) << " at " << first;
            EXPECT_EQ(bench.fairness().sp, bench.state.quality.measured);
        }
    }
}

TEST(Scorer, TighterKappaIsFairerAndLessAccurate) {
    double before = -1;
    for (const double kappa : {0.02, 0.1, 0.3, 1.0}) {
        ScorerBench bench(among(0.1, 0.5, kappa));
        bench.ingest(stream_part(0, 3000).view());
        EXPECT_GT(bench.fairness().sp, before);
        before = bench.fairness().sp;
    }
    Options options = among(0.1, 0.5, 0.05);
    options.loss = Loss::logistic;
    ScorerBench fair(options), free((options.metric = Metric::none, options));
    fair.ingest(stream_part(0, 3000).view());
    free.ingest(stream_part(0, 3000).view());
    EXPECT_LT(3 * fair.fairness().sp, free.fairness().sp);
    EXPECT_LT(free.state.quality.loss, fair.state.quality.loss);
}

TEST(Scorer, EnforcesEachMetricOnPoints) {
    for (const Metric metric : {Metric::psp, Metric::pdp, Metric::eop_in_class, Metric::eod_in_class, Metric::gauc}) {
        Options options = among(0.0, 0.6, 0.08);
        options.metric = metric;
        options.enforce = Enforce::empirical;
        options.ridge = 1e-2;
        ScorerBench bench(options);
        bench.ingest(stream_part(0, 3000).view());
        for (int i = 0; i < 6; ++i) bench.improve(20);
        EXPECT_LE(bench.state.quality.measured, options.kappa + 0.01) << static_cast<int>(metric);
        EXPECT_LE(bench.state.quality.kappa, options.kappa);
    }
}

// There are 10 levels, and between two of them no constraint holds the tails together.
TEST(Scorer, MissedKappaIsNotConverged) {
    Options options = among(0.1, 0.5, 0.0);
    options.enforce = Enforce::empirical;
    ScorerBench bench(options);
    bench.ingest(stream_part(0, 3000).view());
    EXPECT_GT(bench.state.quality.measured, 0);
    EXPECT_NE(bench.report.solve.outcome, Outcome::converged);
}

TEST(Scorer, WarmStepEvaluatesLess) {
    Options options = among(0.1, 0.5, 0.1);
    options.fresh_every = 0;
    ScorerBench warm(options, 2000);
    warm.ingest(stream_part(0, 2000).view());
    const double cold = warm.state.quality.inner_iterations;
    double most = 0;
    for (std::size_t first = 2000; first < 4000; first += 100) {
        warm.ingest(stream_part(first, 100).view());
        most = std::max(most, warm.state.quality.inner_iterations);
    }
    EXPECT_LT(most, cold);
}

TEST(Scorer, TheAuthorsInnerSolverEndsFeasibleToo) {
    Options options = among(0.1, 0.5, 0.1);
    options.inner = Inner::ssg;
    options.loss = Loss::logistic;
    options.enforce = Enforce::surrogate;
    options.fresh_every = 0;
    options.ridge = 0;
    options.epsilon = 5e-3;
    for (const Metric metric : {Metric::psp, Metric::pdp, Metric::gauc}) {
        options.metric = metric;
        ScorerBench bench(options, 1500);
        for (std::size_t first = 0; first < 3000; first += 500) {
            bench.ingest(stream_part(first, 500).view());
            EXPECT_LE(bench.state.quality.infeasibility, 2 * options.epsilon) << static_cast<int>(metric);
        }
        EXPECT_LT(bench.state.quality.loss, 0.69) << "less than w = 0";
    }
}

TEST(Scorer, ConvergedMeansAResidualBelowTheTolerance) {
    Options options = among(0.1, 0.5, 0.1);
    options.tolerance = 3e-3;
    options.enforce = Enforce::surrogate;
    ScorerBench bench(options);
    bench.ingest(stream_part(0, 3000).view());
    ASSERT_EQ(bench.report.solve.outcome, Outcome::converged);
    EXPECT_LE(kkt_residual(bench.state), options.tolerance);
    const std::vector<Score> before = bench.state.scores;
    bench.improve();
    EXPECT_EQ(bench.state.scores, before) << "there is nothing to do";
    EXPECT_TRUE(bench.report.changes.empty());
}

TEST(Scorer, PredictsWhatItPublishes) {
    for (const GroupTerms terms : {GroupTerms::none, GroupTerms::intercept, GroupTerms::all})
        for (const Form form : {Form::linear, Form::mlp}) {
            Options options = among(0.1, 0.5, 0.1);
            options.group_terms = terms;
            options.form = form;
            options.hidden = 3;
            ScorerBench bench(options);
            const PointColumns points = stream_part(0, 800);
            bench.ingest(points.view());
            std::vector<Score> scores(800);
            partial_fair_scorer::Model::predict(options, bench.state, points.features, points.groups, scores);
            EXPECT_EQ(scores, bench.state.scores);
            if (partial_fair_scorer::Model::needs_groups(options)) continue;
            partial_fair_scorer::Model::predict(options, bench.state, points.features, {}, scores);
            EXPECT_EQ(scores, bench.state.scores);
        }
}

TEST(Scorer, PairLossGetsIntercept) {
    Options options = among(0.1, 0.5, 0.1);
    options.over = Over::auc;
    options.loss = Loss::hinge;
    ScorerBench bench(options);
    bench.ingest(stream_part(0, 1000).view());
    std::ptrdiff_t above = 0, positive = 0;
    for (Slot slot = 0; slot < bench.window.size(); ++slot) {
        above += bench.state.scores[slot] > 0;
        positive += bench.window.target(slot) > 0;
    }
    EXPECT_NEAR(static_cast<double>(above), static_cast<double>(positive), 1);
    EXPECT_LE(bench.fairness().sp, fairness_bound(options, bench.state).total());
}

TEST(Scorer, TakesThreeGroupsAndRanksOfTheirOwn) {
    Options options;
    options.interval = {0.0, 0.4, 0.1, 0.5, 0.1, 0.3};
    options.interval_for = IntervalFor::group;
    options.kappa = 0.15;
    ScorerBench bench(options, 3000, 3);
    bench.ingest(stream_part(0, 3000, 3).view());
    EXPECT_LE(bench.fairness().sp, fairness_bound(options, bench.state).total());
    Options free = options;
    free.metric = Metric::none;
    ScorerBench unfair(free, 3000, 3);
    unfair.ingest(stream_part(0, 3000, 3).view());
    EXPECT_LT(2 * bench.fairness().sp, unfair.fairness().sp);
}

TEST(Scorer, DepartedGroupHasNoConstraints) {
    ScorerBench bench(among(0.1, 0.5, 0.1), 500);
    bench.ingest(stream_part(0, 500).view());
    PointColumns one = stream_part(1000, 500);
    std::ranges::fill(one.groups, GroupId{1});
    bench.ingest(one.view());
    EXPECT_EQ(bench.fairness().sp, 0);
    bench.ingest(stream_part(2000, 250).view());
    EXPECT_LE(bench.fairness().sp, fairness_bound(bench.options, bench.state).total());
}

TEST(Scorer, WaitsForBothClasses) {
    ScorerBench bench(among(0.1, 0.5, 0.1), 300);
    PointColumns same = stream_part(0, 100);
    std::ranges::fill(same.targets, -1.0F);
    bench.ingest(same.view());
    EXPECT_EQ(bench.report.solve.outcome, Outcome::warming);
    EXPECT_EQ(bench.state.scores, std::vector<Score>(100, no_score));
    bench.ingest(stream_part(100, 100).view());
    EXPECT_NE(bench.report.solve.outcome, Outcome::warming);
    same = stream_part(200, 300);
    std::ranges::fill(same.targets, 1.0F);
    bench.ingest(same.view());
    EXPECT_TRUE(std::ranges::all_of(bench.state.scores, [](Score s) { return std::isfinite(s); }));
}

TEST(Scorer, SeparablePointsGetFiniteScores) {
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared, Loss::sigmoid}) {
        Options options = among(0.0, 1.0, 0.2);
        options.loss = loss;
        ScorerBench bench(options, 10);
        PointColumns points = stream_part(0, 6);
        for (std::size_t i = 0; i < 6; ++i) {
            points.targets[i] = i % 2 == 0 ? 1.0F : -1.0F;
            points.groups[i] = i < 3 ? 0 : 1;
            points.features[i * dimensions] = 10 * points.targets[i];
        }
        bench.ingest(points.view());
        EXPECT_TRUE(std::ranges::all_of(bench.state.scores, [](Score s) { return std::abs(s) < 1e6; }));
    }
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
