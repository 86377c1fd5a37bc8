/// Windows that are as small, as uniform or as new as they can be.

#include <gtest/gtest.h>

#include "model_bench.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace fairstream::test;

const StreamFormat ungrouped{4, {}, false};

std::vector<Options> all_forms(int clusters) {
    std::vector<Options> all;
    for (const AffinityKind affinity : affinity_kinds)
        for (const Solver solver : {Solver::krylov, Solver::admm}) {
            all.push_back(spectral(clusters, affinity));
            all.back().solver = solver;
        }
    for (const Solver solver : {Solver::krylov, Solver::admm}) {
        all.push_back(spectral(clusters));
        all.back().solver = solver;
        all.back().weights = Weights::rbf;
        all.back().neighbours = 3;
    }
    all.push_back(spectral(clusters));
    all.back().solver = Solver::admm;
    all.back().inner = Inner::lbfgs;
    all.back().penalty_rule = PenaltyRule::adapt;
    return all;
}

void expect_labelled(const SpectralBench& bench) {
    expect_sound(bench);
    ASSERT_TRUE(bench.state.started);
    for (const ClusterId label : bench.state.labels) ASSERT_TRUE(label >= 0 && label < bench.options.clusters);
    for (const double value : bench.state.embedding.values) ASSERT_TRUE(std::isfinite(value));
    for (const float value : bench.state.centres) ASSERT_TRUE(std::isfinite(value));
    EXPECT_TRUE(std::isfinite(bench.state.quality.cost));
    EXPECT_GE(bench.state.quality.cost, -1e-5);
    const std::vector<ClusterId> predicted = bench.predicted(bench.window.points().features);
    for (const ClusterId label : predicted) ASSERT_TRUE(label >= 0 && label < bench.options.clusters);
}

TEST(EdgeCases, StartsWithTheFewestPointsThatHaveAnAnswer) {
    for (const bool tight : {false, true})
        for (const int k : {1, 2, 4})
            for (Options options : all_forms(k)) {
                if (tight) options.tolerance = 1e-12, options.iterations = 40;
                options.attribute = {0, 1};
                const auto needed = static_cast<std::size_t>(k) + 3;  // sex leaves one free, age two
                SpectralBench bench(options);
                for (std::size_t n = 1; n < needed + 6; ++n) {
                    bench.ingest(mixture(two_attributes(), 1, n, n).view());
                    if (n < needed)
                        ASSERT_FALSE(bench.state.started);
                    else
                        expect_labelled(bench);
                }
            }
}

TEST(EdgeCases, OnePointAloneIsACluster) {
    for (const Options& options : all_forms(1)) {
        SpectralBench bench(options, ungrouped, 1);
        for (PointId id = 0; id < 3; ++id) {
            bench.ingest(mixture(ungrouped, 1, id, id).view());
            expect_labelled(bench);
            EXPECT_EQ(bench.state.labels, std::vector<ClusterId>{0});
        }
        bench.improve();
        expect_labelled(bench);
    }
}

TEST(EdgeCases, AsManyClustersAsPoints) {
    for (const Options& options : all_forms(12)) {
        SpectralBench bench(options, ungrouped, 12);
        for (const PointColumns& batch : batches(ungrouped, 3, 12, 1)) {
            bench.ingest(batch.view());
            expect_labelled(bench);
        }
        bench.improve(30);
        expect_labelled(bench);
    }
}

TEST(EdgeCases, OnePointRepeated) {
    for (const Options& options : all_forms(3)) {
        SpectralBench bench(options);
        PointColumns points = mixture(two_attributes(), 80, 1);
        for (std::size_t at = 4; at < points.features.size(); ++at) points.features[at] = points.features[at % 4];
        bench.ingest(points.view());
        expect_labelled(bench);
        bench.ingest(points.view().slice(0, 30));  // the same again
        expect_labelled(bench);
        bench.improve(30);
        expect_labelled(bench);
    }
}

TEST(EdgeCases, FewerPlacesThanClusters) {
    for (const Options& options : all_forms(5)) {
        SpectralBench bench(options);
        PointColumns points = mixture(two_attributes(), 90, 1);
        for (std::size_t at = 0; at < points.features.size(); ++at)
            points.features[at] = static_cast<float>(at / 4 % 2);
        bench.ingest(points.view());
        expect_labelled(bench);
    }
}

TEST(EdgeCases, FeaturesAtTheirLimits) {
    for (const float scale : {1e15F, 1e-15F, 1e-30F})
        for (const Options& options : all_forms(3)) {
            SpectralBench bench(options);
            PointColumns points = mixture(two_attributes(), 120, 1);
            for (float& feature : points.features) feature = std::clamp(feature / 30, -1.0F, 1.0F) * scale;
            bench.ingest(points.view().slice(0, 80));
            bench.ingest(points.view().slice(80, 40));
            expect_labelled(bench);
        }
}

// One point so far away that it has no affinity to any other, and one cluster so narrow that its edges are all 1.
TEST(EdgeCases, PointsFarAwayFromAllOthers) {
    for (const Options& options : all_forms(3)) {
        SpectralBench bench(options);
        PointColumns points = mixture(two_attributes(), 90, 1);
        for (std::size_t j = 0; j < 8; ++j) points.features[j] = j < 4 ? 1e14F : -1e14F;
        bench.ingest(points.view());
        expect_labelled(bench);
        bench.ingest(mixture(two_attributes(), 20, 3, 500).view());
        expect_labelled(bench);
    }
}

// Nothing is left of what the last solution knew.
TEST(EdgeCases, TheWholeWindowReplacedAtOnce) {
    for (const Options& options : all_forms(4)) {
        SpectralBench bench(options, two_attributes(), 150), fresh(options, two_attributes(), 150);
        bench.ingest(mixture(two_attributes(), 150, 1).view());
        PointColumns other = mixture(two_attributes(), 150, 2, 1'000);
        for (float& feature : other.features) feature += 100;
        bench.ingest(other.view());
        fresh.ingest(other.view());
        expect_labelled(bench);
        EXPECT_NEAR(bench.state.quality.cost, fresh.state.quality.cost, 0.02 * 4);
    }
}

TEST(EdgeCases, AGroupThatLeavesAndComesBack) {
    for (const Options& options : all_forms(3)) {
        SpectralBench bench(options, two_attributes(), 100);
        for (std::uint64_t b = 0; b < 9; ++b) {
            PointColumns points = mixture(two_attributes(), 50, b, 50 * b);
            for (std::size_t i = 0; i < 50; ++i)
                if (b >= 2 && b < 6) points.groups[2 * i] = 1;
            bench.ingest(points.view());
            expect_labelled(bench);
        }
    }
}

TEST(EdgeCases, WithoutAttributesNothingIsTied) {
    for (const Options& options : all_forms(3)) {
        const StreamFormat one_group{4, {{"all", {"everyone"}}}, false};
        SpectralBench bare(options, ungrouped), uniform(options, one_group);
        for (std::uint64_t b = 0; b < 3; ++b) {
            PointColumns points = mixture(ungrouped, 60, b, 60 * b);
            bare.ingest(points.view());
            points.groups.assign(60, 0);
            uniform.ingest(points.view());
            expect_labelled(bare);
            EXPECT_EQ(bare.state.labels, uniform.state.labels);
            EXPECT_EQ(bare.state.embedding, uniform.state.embedding);
            EXPECT_EQ(bare.state.quality.fairness_residual, 0);
        }
    }
}

}  // namespace
}  // namespace fairstream::fair_spectral
