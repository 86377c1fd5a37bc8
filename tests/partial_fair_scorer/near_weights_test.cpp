/// The points keep kappa if weights near those of a solve do so.

#include <gtest/gtest.h>

#include <algorithm>

#include <fairstream/models/partial_fair_scorer/detail/near_weights.hpp>
#include <fairstream/models/partial_fair_scorer/detail/score_problem.hpp>
#include <fairstream/models/partial_fair_scorer/detail/solve.hpp>

#include "model_bench.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;

/// Returns whether the points keep kappa after a fit of `points` points.
bool is_kept(double kappa, std::size_t points) {
    ScorerBench bench(among(0.05, 0.3, kappa));
    bench.ingest(stream_part(0, points).view());
    EXPECT_EQ(bench.fairness().sp, bench.state.quality.measured);
    return bench.state.quality.measured <= kappa;
}

// With few points among the ranks, gaps change in steps of a point's share.
TEST(Kappa, LargerKappaIsKept) {
    for (const std::size_t points : {500U, 800U}) {
        double least = 1;
        for (const double kappa : {0.04, 0.05, 0.07, 0.1}) {
            const bool kept = is_kept(kappa, points);
            if (kept) least = std::min(least, kappa);
            EXPECT_EQ(kept, kappa >= least) << kappa << " of " << points << " points, where " << least << " is kept";
        }
    }
}

TEST(NearWeights, ImproveWithTrueFigures) {
    const Options options = [] {
        Options some = among(0.05, 0.3, 0.03);
        some.loss = Loss::logistic;
        return some;
    }();
    const Sample sample = sample_of(stream_part(0, 400), dimensions, 2);
    Options loose = options;
    loose.enforce = Enforce::surrogate;
    const Solution before = solve(loose, sample, 60, {}).solution;
    ASSERT_GT(before.quality.measured, options.kappa);
    constexpr double trials = 300;
    Solution after = before;
    ASSERT_TRUE(search_near(options, sample, trials, after));
    EXPECT_TRUE(is_better(options, after, before));
    EXPECT_LT(after.quality.measured, before.quality.measured);
    EXPECT_LE(after.quality.inner_iterations, trials + before.quality.inner_iterations);
    ScoreProblem problem(options, sample);
    Vector v = after.weights;
    from_raw(options, sample, v);
    v.insert(v.end(), after.thresholds.begin(), after.thresholds.end());
    dc::Values values;
    problem.evaluate(v, values);
    EXPECT_NEAR(values.objective(), after.quality.loss, 1e-12);
    EXPECT_NEAR(std::max(0.0, values.worst()), after.quality.infeasibility, 1e-12);
    Solution again = before;
    (void)search_near(options, sample, trials, again);
    EXPECT_EQ(again, after) << "trials are the same every time";
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
