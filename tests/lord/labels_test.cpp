/// Labels that keep targets, or come close, and are the most probable ones for as many points as possible.

#include <gtest/gtest.h>

#include <algorithm>

#include "model_bench.hpp"

namespace fairstream::lord {
namespace {

using namespace fairstream::test;

const SeparatedStream two_blobs{{3, {{"sex", {"f", "m"}}}, false}, 2};

Options two_clusters() {
    Options options;
    options.clusters = 2;
    options.starts = 5;
    return options;
}

std::size_t points_away_from_their_most_probable(const LordBench& bench) {
    const Matrix p = lord::Model::memberships(bench.options, bench.state);
    std::size_t away = 0;
    for (std::size_t i = 0; i < p.rows; ++i)
        if (p.at(i, static_cast<std::size_t>(bench.state.labels[i])) < *std::max_element(p.row(i), p.row(i) + p.cols))
            ++away;
    return away;
}

TEST(LordLabels, UnattainableSizeIsIgnored) {
    for (const int at_most : {10, 100, 149}) {
        Options options = two_clusters();
        options.targets.size_at_most = at_most;
        LordBench bench(options, two_blobs.format);
        bench.ingest(two_blobs.fair_points(0, 300).view());
        EXPECT_EQ(bench.state.tally.size(0), 150);
        EXPECT_EQ(points_away_from_their_most_probable(bench), 0U) << at_most;
        EXPECT_EQ(bench.report.solve.outcome, Outcome::unattainable);
    }
}

TEST(LordLabels, OfSharesOutOfReachComeNearThem) {
    for (const bool least : {true, false}) {
        Options options = two_clusters();
        options.targets.parity_at_least = 0;
        (least ? options.targets.share_at_least : options.targets.share_at_most) = least ? 0.6 : 0.4;
        LordBench bench(options, two_blobs.format);
        bench.ingest(two_blobs.points(0, 300).view());
        EXPECT_EQ(bench.report.solve.outcome, Outcome::unattainable);
        for (ClusterId l = 0; l < 2; ++l) {
            EXPECT_NEAR(static_cast<double>(bench.state.tally.size(l)), 150, 15);
            const auto counts = bench.state.tally.counts(l, 0);
            EXPECT_NEAR(static_cast<double>(counts[0]), static_cast<double>(counts[1]), 20);
        }
        EXPECT_LE(points_away_from_their_most_probable(bench), 30U);
    }
}

// The priors make one cluster the most probable for every point; targets need some points in the others, and no more.
TEST(LordLabels, DistantPriorsKeepMostProbable) {
    Options options = plain(5);
    options.priors = {1e-6, 1, 1, 1, 1e6};
    options.targets.parity_at_least = 0.8;
    LordBench bench(options);
    bench.ingest(mixture(two_attributes(), 300, 3).view());
    EXPECT_EQ(bench.report.solve.outcome, Outcome::converged);
    EXPECT_LE(points_away_from_their_most_probable(bench), 60U);
    for (ClusterId l = 0; l < 5; ++l) EXPECT_GT(bench.state.tally.size(l), 0);
}

// If probabilities are equal, no label is more probable than another, and the cut decides.
TEST(LordLabels, OfLevelProbabilitiesFollowTheCut) {
    Options options = two_clusters();
    options.tau = 0;
    LordBench bench(options, two_blobs.format);
    bench.ingest(two_blobs.fair_points(0, 300).view());
    EXPECT_NEAR(bench.state.quality.block_diagonality, 0.5, 1e-6);
    EXPECT_LE(bench.state.quality.normalised_cut, 1e-6);
    EXPECT_EQ(bench.state.tally.size(0), 150);
}

// No gradient step leaves equal probabilities: all columns have the same gradient.
TEST(LordModel, LeavesLevelProbabilitiesOnceThereAreClusters) {
    for (const double tau : {tau2, 0.3}) {
        Options options = two_clusters();
        options.targets.parity_at_least = 0;
        options.fresh_every = 0;
        options.tau = tau;
        LordBench bench(options, two_blobs.format, 200);
        PointColumns constant = two_blobs.points(0, 200);
        std::ranges::fill(constant.features, 1.0F);
        bench.ingest(constant.view());
        EXPECT_NEAR(bench.state.quality.block_diagonality, 0.5, 1e-4);
        for (PointId first = 200; first < 600; first += 100) bench.ingest(two_blobs.points(first, 100).view());
        EXPECT_GE(bench.state.quality.block_diagonality, 0.8);
        (void)labels_of_blobs(bench, two_blobs);
    }
}

}  // namespace
}  // namespace fairstream::lord
