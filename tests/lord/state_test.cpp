/// The contents of a state, the effect of a refinement, its waiting, and refused states.

#include <gtest/gtest.h>

#include <limits>

#include "model_bench.hpp"
#include "support/refusal.hpp"

namespace fairstream::lord {
namespace {

using namespace fairstream::test;

TEST(LordRefine, LowersTheObjectiveOrKeepsIt) {
    for (const Method method : {Method::b_lord, Method::lord}) {
        Options options = plain(4, method);
        options.tau = 0.3;  // tau2 may find other values of tau, whose objectives are not comparable
        options.iterations = 2;
        options.tolerance = 1e-6;
        LordBench bench(options);
        for (const PointColumns& batch : batches(two_attributes(), 5, 70, 1, 0.1F)) {
            bench.ingest(batch.view());
            const double before = bench.state.quality.objective;
            bench.improve(3);
            EXPECT_LE(bench.report.solve.iterations, 3);
            expect_sound(bench);
            const double between = bench.state.quality.objective;
            EXPECT_LE(between, before + 1e-8);
            bench.options.iterations = 4'000;
            bench.improve();
            EXPECT_LE(bench.state.quality.objective, between + 1e-8);
            expect_sound(bench);
            bench.options.iterations = 2;
        }
    }
}

TEST(LordRefine, OfASettledStateChangesFewLabels) {
    Options options = plain(4);
    options.tolerance = 1e-6;
    LordBench bench(options);
    bench.ingest(mixture(two_attributes(), 300, 1).view());
    for (int round = 0; round < 3; ++round) bench.improve();
    const Matrix v = bench.state.v;
    bench.improve(50);
    EXPECT_LE(bench.report.churn, 0.01);
    EXPECT_LE(largest_difference(v, bench.state.v), 0.02 * largest(v));
}

TEST(LordFigures, AreThoseOfTheState) {
    LordBench bench(plain(4));
    bench.ingest(mixture(two_attributes(), 300, 1).view());
    const Quality& q = bench.state.quality;
    EXPECT_EQ(bench.figure("normalised_cut"), q.normalised_cut);
    EXPECT_EQ(bench.figure("block_diagonality"), q.block_diagonality);
    EXPECT_EQ(bench.figure("confidence"), q.confidence);
    EXPECT_EQ(bench.figure("share_gap"), q.share_gap);
    EXPECT_EQ(bench.figure("tau"), q.tau);
    EXPECT_EQ(bench.figure("projection_rounds"), q.projection_rounds);
}

// Without an edge between clusters nothing is cut.
TEST(LordFigures, CutIsThatOfTheLabels) {
    LordBench bench(plain(4));
    bench.ingest(mixture(two_attributes(), 250, 3).view());
    Cloud cloud{4, {}};
    cloud.rows.assign(bench.window.features(0), bench.window.features(0) + 4 * 250);
    const Matrix k = entries_of(CloudGraph(cloud).affinity());
    double sum = 0;
    for (ClusterId l = 0; l < 4; ++l) {
        double cut = 0, volume = 0;
        for (std::size_t i = 0; i < 250; ++i)
            for (std::size_t j = 0; j < 250; ++j) {
                if (bench.state.labels[i] != l) continue;
                volume += k.at(i, j);
                if (bench.state.labels[j] != l) cut += k.at(i, j);
            }
        sum += volume > 0 ? cut / volume : 0;
    }
    EXPECT_NEAR(bench.state.quality.normalised_cut, sum, 1e-5);
}

TEST(LordWarming, WaitsForAsManyPointsAsClusters) {
    LordBench bench(plain(5));
    for (std::size_t n = 1; n < 9; ++n) {
        bench.ingest(mixture(two_attributes(), 1, n, n).view());
        expect_sound(bench);
        EXPECT_EQ(bench.state.started, n >= 5);
        EXPECT_EQ(bench.report.solve.outcome == Outcome::warming, n < 5);
        EXPECT_TRUE(n >= 5 || bench.report.changes.empty());
        EXPECT_TRUE(n != 5 || bench.report.changes.ids.size() == 5);
    }
}

TEST(LordCheck, RefusesPriorsOfAnotherNumberThanClusters) {
    Options options = plain(3);
    for (const std::vector<double>& priors : {std::vector<double>{1, 2}, {1, 2, 3, 4}}) {
        options.priors = OneOrMore<double>(priors);
        expect_refused(Reason::bad_option, {"priors", "3"}, [&] { lord::Model::check(options, two_attributes()); });
    }
    options.priors = {1, 2, 0};
    expect_refused(Reason::bad_option, {"priors"}, [&] { lord::Model::check(options, two_attributes()); });
    options.priors = {1, 2, 3};
    lord::Model::check(options, two_attributes());
    options.targets.attribute = 2;
    expect_refused(Reason::bad_option, {"attribute"}, [&] { lord::Model::check(options, two_attributes()); });
}

using Damage = void (*)(State&);

TEST(LordVerify, RefusesDamage) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Damage> damages{
        [](State& s) { s.v.values[5] = nan; },
        [](State& s) { s.v.values[5] = -1e-3; },
        [](State& s) { s.v.values[5] = 1e299; },
        [](State& s) { s.v.values[5] += 1e-3; },
        [](State& s) { s.v.rows -= 1; },
        [](State& s) { s.v.values.pop_back(); },
        [](State& s) { s.v.cols = 3; },
        [](State& s) { s.v = {}; },
        [](State& s) { s.mass = 0; },
        [](State& s) { s.mass = -1; },
        [](State& s) { s.mass = nan; },
        [](State& s) { s.mass *= 2; },
        [](State& s) { s.means.push_back(0); },
        [](State& s) { s.means[0] = 1e30F; },
        [](State& s) { s.means[0] = std::numeric_limits<float>::quiet_NaN(); },
        [](State& s) { s.labels[3] = 4; },
        [](State& s) { s.labels[3] = no_cluster; },
        [](State& s) { s.labels.pop_back(); },
        [](State& s) { s.labels[3] = (s.labels[3] + 1) % 4; },
        [](State& s) {
            s.tally = FairnessTally(4, std::vector<int>{2, 2});
        },
        [](State& s) { s.anchors.count += 1; },
        [](State& s) { s.anchors = {}; },
        [](State& s) { s.anchors.packed[0] = std::numeric_limits<float>::quiet_NaN(); },
        [](State& s) { s.anchors.packed.pop_back(); },
        [](State& s) { s.anchors.values.values[0] = nan; },
        [](State& s) { s.anchors.values = Matrix(s.anchors.count, 2); },
        [](State& s) { s.anchors.scales.pop_back(); },
        [](State& s) { s.anchors.scales[0] = 0; },
        [](State& s) { s.quality.objective = nan; },
        [](State& s) { s.started = false; },
    };
    LordBench bench(plain(4));
    bench.ingest(mixture(two_attributes(), 200, 1).view());
    bench.ingest(mixture(two_attributes(), 30, 2, 500).view());
    lord::Model::verify(bench.options, bench.state, bench.window);
    for (std::size_t d = 0; d < damages.size(); ++d) {
        State damaged = bench.state;
        damages[d](damaged);
        SCOPED_TRACE(::testing::Message() << "damage " << d);
        expect_refused(Reason::bad_state, {"lord"}, [&] { lord::Model::verify(bench.options, damaged, bench.window); });
    }
}

}  // namespace
}  // namespace fairstream::lord
