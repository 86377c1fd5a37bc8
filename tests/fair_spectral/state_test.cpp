/// The contents of a state, the effect of a refinement, and refused states.

#include <gtest/gtest.h>

#include <limits>

#include <fairstream/engine.hpp>

#include "model_bench.hpp"
#include "support/refusal.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace fairstream::test;

// The weights of all cut pairs over the volume of each cluster, for the radial affinity, in double.
double direct_cut(const SpectralBench& bench) {
    const auto k = static_cast<std::size_t>(bench.options.clusters);
    std::vector<double> cut(k), volume(k);
    const double sigma = bench.state.bandwidth;
    for (Slot i = 0; i < bench.window.size(); ++i)
        for (Slot j = 0; j < bench.window.size(); ++j) {
            double distance = 0;
            for (std::size_t c = 0; c < bench.window.dimensions(); ++c)
                distance += std::pow(double{bench.window.features(i)[c]} - double{bench.window.features(j)[c]}, 2);
            const double weight = std::exp(-distance / (2 * sigma * sigma));
            const auto l = static_cast<std::size_t>(bench.state.labels[i]);
            volume[l] += weight;
            if (bench.state.labels[i] != bench.state.labels[j]) cut[l] += weight;
        }
    double sum = 0;
    for (std::size_t l = 0; l < k; ++l) sum += volume[l] > 0 ? cut[l] / volume[l] : 0;
    return sum;
}

TEST(Refine, NeverRaisesCost) {
    for (const AffinityKind affinity : {AffinityKind::rbf, AffinityKind::dense}) {
        Options options = spectral(4, affinity);
        options.iterations = 1;
        options.tolerance = 1e-5;
        options.sweeps = 0;
        SpectralBench bench(options);
        for (const PointColumns& batch : batches(two_attributes(), 6, 70, 1, 0.1F)) {
            bench.ingest(batch.view());
            EXPECT_EQ(bench.state.quality.normalised_cut, -1) << "only a refinement works it out";
            EXPECT_TRUE(std::isnan(bench.figure("normalised_cut")));
            const double before = bench.state.quality.cost;
            bench.improve(3);
            EXPECT_LE(bench.report.solve.iterations, 3);
            expect_sound(bench);
            const double between = bench.state.quality.cost;
            EXPECT_LE(between, before + 1e-6);
            EXPECT_NEAR(bench.figure("normalised_cut"), direct_cut(bench), 1e-5 * options.clusters);
            bench.improve();
            EXPECT_EQ(bench.report.solve.outcome, Outcome::converged);
            EXPECT_LE(bench.state.quality.cost, between + 1e-6);
        }
    }
}

TEST(Refine, OfASettledStateChangesNoLabel) {
    Options options = spectral(4);
    options.sweeps = 0;  // other starts may lead to a lower cut
    SpectralBench bench(options);
    bench.ingest(mixture(two_attributes(), 300, 1).view());
    bench.improve();
    const std::vector<ClusterId> labels = bench.state.labels;
    bench.improve();
    EXPECT_EQ(bench.state.labels, labels);
    EXPECT_TRUE(bench.report.changes.empty());
}

TEST(Figures, AreThoseOfTheState) {
    SpectralBench bench(spectral(4));
    bench.ingest(mixture(two_attributes(), 300, 1).view());
    const Quality& q = bench.state.quality;
    EXPECT_EQ(bench.figure("fairness_residual"), q.fairness_residual);
    EXPECT_EQ(bench.figure("operator_applications"), q.operator_applications);
    EXPECT_EQ(bench.figure("residual"), q.residual);
    EXPECT_EQ(fair_spectral::Model::objective(bench.state), q.cost);
}

using Damage = void (*)(State&);

TEST(Verify, RefusesDamage) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Damage> damages{
        [](State& s) { s.embedding.values[5] = nan; },
        [](State& s) { s.embedding.values[5] = 1e300; },
        [](State& s) { s.embedding.rows -= 1; },
        [](State& s) { s.embedding.values.pop_back(); },
        [](State& s) { s.embedding.cols = 3; },
        [](State& s) { s.inverse = {}; },
        [](State& s) { s.inverse.values[0] = nan; },
        [](State& s) { s.multipliers.values.push_back(1); },
        [](State& s) { s.multipliers.rows += 1; },
        [](State& s) { s.multipliers = Matrix(2, 4), s.multipliers.values[1] = nan; },
        [](State& s) { s.penalty = -1; },
        [](State& s) { s.penalty = nan; },
        [](State& s) { s.centres.pop_back(); },
        [](State& s) { s.centres[0] = std::numeric_limits<float>::infinity(); },
        [](State& s) { s.means.push_back(0); },
        [](State& s) { s.means[0] = 1e30F; },
        [](State& s) { s.labels[3] = 4; },
        [](State& s) { s.labels[3] = no_cluster; },
        [](State& s) { s.labels.pop_back(); },
        [](State& s) { s.labels[3] = (s.labels[3] + 1) % 4; },
        [](State& s) {
            s.tally = FairnessTally(4, std::vector<int>{2, 2});
        },
        [](State& s) { s.anchors.count += 1; },
        [](State& s) {
            s.anchors = {}, s.graph = {};
            s.anchors.values.cols = 5;
        },
        [](State& s) { s.graph.places = 1, s.graph.parts = 1; },
        [](State& s) { s.graph.parts = s.graph.places + 1; },
        [](State& s) { s.anchors.packed[0] = std::numeric_limits<float>::quiet_NaN(); },
        [](State& s) { s.anchors.packed.pop_back(); },
        [](State& s) { s.anchors.values.values[0] = nan; },
        [](State& s) { s.anchors.values = Matrix(s.anchors.count, 2); },
        [](State& s) { s.anchors.scales.resize(s.anchors.scales.empty() ? 3 : 0); },
        [](State& s) { s.bandwidth = nan; },
        [](State& s) { s.quality.cost = nan; },
        [](State& s) { s.started = false; },
    };
    for (const AffinityKind affinity : affinity_kinds) {
        SpectralBench bench(spectral(4, affinity));
        bench.ingest(mixture(two_attributes(), 200, 1).view());
        bench.ingest(mixture(two_attributes(), 30, 2, 500).view());
        fair_spectral::Model::verify(bench.options, bench.state, bench.window);
        for (std::size_t d = 0; d < damages.size(); ++d) {
            State damaged = bench.state;
            damages[d](damaged);
            SCOPED_TRACE(::testing::Message() << "damage " << d << " affinity " << static_cast<int>(affinity));
            expect_refused(Reason::bad_state, {"fair_spectral"},
                           [&] { fair_spectral::Model::verify(bench.options, damaged, bench.window); });
        }
    }
}

TEST(Verify, AcceptsChangedSolver) {
    SpectralBench bench(spectral(4));
    for (const PointColumns& batch : batches(two_attributes(), 8, 60, 1)) {
        bench.options.solver = bench.options.solver == Solver::admm ? Solver::krylov : Solver::admm;
        bench.ingest(batch.view());
        expect_sound(bench);
    }
}

// A scheduled step sees the window as of its due time, and the slots written since the step before: the same as a live
// model whose batches are the points between. With batches of `every` points both step alike; the scheduled model shows
// its step when the next one is due.
TEST(Scheduled, MatchesLiveModelOnSnapshots) {
    Options options = spectral(4);
    const StreamFormat format = two_attributes();
    const WindowOptions window{200, WindowPolicy::sliding, 1};
    Engine live({format, window, {{"live", options, {}}}}, 1);
    Engine scheduled({format, window, {{"late", options, {40, WhenBusy::wait}}}}, 1);
    double shown = 0;  // of the live step before
    int compared = 0;
    for (const PointColumns& batch : batches(format, 12, 40, 3, 0.1F)) {
        scheduled.ingest(batch.view());
        const ModelReport late = scheduled.report("late");
        if (shown > 0) {
            EXPECT_EQ(late.cost, shown);
            ++compared;
        }
        live.ingest(batch.view());
        shown = live.report("live").cost;
    }
    EXPECT_EQ(compared, 11);
}

}  // namespace
}  // namespace fairstream::fair_spectral
