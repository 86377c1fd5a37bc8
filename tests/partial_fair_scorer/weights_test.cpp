/// Points with weights: one of weight 2 equals two equal points, in every part of the problem and in the result.

#include <gtest/gtest.h>

#include <fairstream/models/partial_fair_scorer/detail/score_problem.hpp>

#include "model_bench.hpp"
#include "support/repeated_points.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace fairstream::partial_fair_scorer::test;

using fairstream::test::WeightedPair;

WeightedPair weighted_points(std::size_t n, std::size_t d, std::uint32_t groups, std::uint64_t seed) {
    return fairstream::test::weigh_and_repeat(random_points(n, d, groups, seed), seed);
}

StreamFormat weighted_format(std::size_t groups = 2) {
    StreamFormat format = labelled(groups);
    format.has_weights = true;
    return format;
}

void expect_equal_problems(const Options& options, const WeightedPair& pair, std::size_t d, std::size_t groups) {
    const Sample one = sample_of(pair.weighted, d, groups), many = sample_of(pair.repeated, d, groups);
    ScoreProblem weighted(options, one), repeated(options, many);
    ASSERT_EQ(weighted.variables(), repeated.variables());
    ASSERT_EQ(weighted.constraints(), repeated.constraints());
    const Vector v = random_vector(weighted.variables(), 3, 0.6);
    dc::Values a, b;
    weighted.evaluate(v, a);
    repeated.evaluate(v, b);
    ASSERT_LE(largest_difference(a.plus, b.plus), 1e-9);
    ASSERT_LE(largest_difference(a.minus, b.minus), 1e-9);
    ASSERT_NEAR(weighted.surrogate_gap(), repeated.surrogate_gap(), 1e-9);
    for (std::size_t i = 0; i < a.plus.size(); ++i) {
        Vector of_weighted(v.size()), of_repeated(v.size());
        weighted.add_plus_gradient(i, 1, of_weighted), repeated.add_plus_gradient(i, 1, of_repeated);
        weighted.add_minus_gradient(i, -2, of_weighted), repeated.add_minus_gradient(i, -2, of_repeated);
        ASSERT_LE(largest_difference(of_weighted, of_repeated), 1e-9) << "function " << i;
    }
    Matrix plus, minus, other_plus, other_minus;
    weighted.constraint_gradients(plus, minus);
    repeated.constraint_gradients(other_plus, other_minus);
    ASSERT_LE(largest_difference(plus.values, other_plus.values), 1e-9);
    ASSERT_LE(largest_difference(minus.values, other_minus.values), 1e-9);
    const Vector multipliers(weighted.constraints(), 0.3);
    ASSERT_LE(largest_difference(whole_of(weighted.curvature(multipliers)).values,
                                 whole_of(repeated.curvature(multipliers)).values),
              1e-8);
}

TEST(WeightedScores, EveryConstraintIsThatOfRepeatedPoints) {
    const WeightedPair pair = weighted_points(60, 2, 3, 1);
    for (const Metric metric : {Metric::psp, Metric::pdp, Metric::eop, Metric::eod, Metric::gauc, Metric::none})
        for (const Surrogate surrogate : {Surrogate::clipped, Surrogate::logistic}) {
            Options options = among(0.07, 0.43, 0.05);
            options.metric = metric;
            options.surrogate = surrogate;
            options.loss = Loss::logistic;
            SCOPED_TRACE(static_cast<int>(metric));
            expect_equal_problems(options, pair, 2, 3);
        }
}

TEST(WeightedScores, EveryLossIsThatOfRepeatedPoints) {
    const WeightedPair pair = weighted_points(90, 2, 2, 2);
    for (const Loss loss : {Loss::logistic, Loss::hinge, Loss::squared, Loss::sigmoid})
        for (const Over over : {Over::points, Over::auc, Over::partial_auc}) {
            Options options = among(0, 1, 0.1);
            options.loss = loss;
            options.over = over;
            options.false_positives = {0.1, 0.37};
            SCOPED_TRACE(static_cast<int>(loss) * 10 + static_cast<int>(over));
            expect_equal_problems(options, pair, 2, 2);
        }
}

TEST(WeightedScores, AreAsGoodAsThoseOfRepeatedPoints) {
    const WeightedPair pair = weighted_points(400, dimensions, 2, 3);
    for (const Metric metric : {Metric::psp, Metric::eop, Metric::gauc}) {
        Options options = among(0.05, 0.5, 0.1);
        options.metric = metric;
        options.loss = Loss::logistic;
        ScorerBench weighted(options), repeated(options);
        weighted.window = Window(weighted_format(), {3000});
        weighted.state = Model::start(options, weighted.window);
        weighted.ingest(pair.weighted.view());
        repeated.ingest(pair.repeated.view());
        EXPECT_NEAR(weighted.state.quality.loss, repeated.state.quality.loss, 2e-3);
        EXPECT_LE(weighted.state.quality.measured, 0.1 + 1e-9);
        EXPECT_LE(repeated.state.quality.measured, 0.1 + 1e-9);
    }
}

TEST(WeightedScores, HoldWhereWeightsAreFarApart) {
    WeightedPair pair = weighted_points(200, dimensions, 2, 4);
    // The second group, and the positives of the first, have negligible weight.
    for (std::size_t i = 0; i < pair.weighted.ids.size(); ++i)
        pair.weighted.weights[i] = pair.weighted.groups[i] == 1 || pair.weighted.targets[i] > 0 ? 1e-15 : 1e15;
    for (const Metric metric : {Metric::psp, Metric::eod, Metric::gauc}) {
        Options options = among(0.05, 0.5, 0.1);
        options.metric = metric;
        ScorerBench bench(options);
        bench.window = Window(weighted_format(), {3000});
        bench.state = Model::start(options, bench.window);
        bench.ingest(pair.weighted.view());
        bench.improve(2);
        EXPECT_TRUE(std::isfinite(bench.state.quality.loss));
    }
}

TEST(WeightedScores, FollowDecayAndAWindowThatShrinks) {
    Options options = among(0.05, 0.5, 0.1);
    ScorerBench bench(options);
    bench.window = Window(labelled(), {.capacity = 300, .max_age = 10, .half_life = {.points = 50}});
    bench.state = Model::start(options, bench.window);
    for (std::size_t step = 0; step < 6; ++step) {
        PointColumns points = stream_part(100 * step, step == 4 ? 3 : 80);
        points.event_time = static_cast<std::int64_t>(step < 4 ? 6 * step : 100 * step);
        bench.ingest(points.view());
        EXPECT_EQ(bench.state.scores.size(), bench.window.size());
    }
}

TEST(WeightedScores, StayAsTheyAreInAnotherMeasure) {
    for (const Form form : {Form::linear, Form::mlp})
        for (const GroupTerms terms : {GroupTerms::none, GroupTerms::intercept, GroupTerms::all}) {
            Options options = among(0.05, 0.5, 0.1);
            options.form = form;
            options.hidden = 3;
            options.group_terms = terms;
            options.solve_iterations = 5;
            ScorerBench bench(options, 3000, 3);
            const PointColumns points = stream_part(0, 200, 3);
            bench.ingest(points.view());
            const MeasureChange change{{2, 0.5, 3, 0.125}, {1, -2, 0.5, 0}, 0.5};
            PointColumns others = points;
            change.apply(others.features);
            State state = bench.state;
            Model::re_express(options, state, change);
            Vector before(200), after(200);
            Model::predict(options, bench.state, points.features, points.groups, before);
            Model::predict(options, state, others.features, others.groups, after);
            EXPECT_LE(largest_difference(before, after), 1e-5);
        }
}

TEST(WeightedScores, OfAnUnknownGroupAreInNoGap) {
    const PointColumns points = stream_part(0, 400, 3);
    Options options = among(0.05, 0.5, 0.05);
    options.interval_for = IntervalFor::group;
    options.interval = {0.05, 0.5, 0.1, 0.6};
    options.loss = Loss::logistic;
    StreamFormat format = labelled(3);
    format.attributes[0].has_unknown = true;
    for (const Metric metric : {Metric::psp, Metric::eop, Metric::gauc}) {
        options.metric = metric;
        Model::check(options, format);
        Window window(format, {3000});
        State state = Model::start(options, window);
        Workspace workspace;
        StepReport<Score> report;
        Model::step(options, state, workspace, window, window.apply(points.view()), report);
        Model::verify(options, state, window);
        ScoreTally tally(3, 2), known(2);
        for (Slot slot = 0; slot < window.size(); ++slot) {
            tally.add(state.scores[slot], window.group(slot, 0), window.target(slot) > 0);
            if (window.group(slot, 0) < 2)
                known.add(state.scores[slot], window.group(slot, 0), window.target(slot) > 0);
        }
        tally.settle(), known.settle();
        const ScoreFairness all = Model::measure(options, tally), without = Model::measure(options, known);
        EXPECT_EQ(all.sp, without.sp);
        EXPECT_EQ(all.eop, without.eop);
        EXPECT_EQ(all.gauc, without.gauc);
        EXPECT_EQ(all.points, 400);
        EXPECT_NE(all.auc, without.auc);
        // The constrained gap is that of the known groups.
        if (metric == Metric::psp) {
            EXPECT_NEAR(state.quality.measured, without.sp, 1e-9);
        }
        if (metric == Metric::gauc) {
            EXPECT_NEAR(state.quality.measured, without.gauc, 1e-9);
        }
        EXPECT_TRUE(state.quality.measured <= 0.05 || report.solve.outcome == Outcome::stalled);
    }
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
