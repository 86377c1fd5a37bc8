/// Windows that are as small, as uniform or as new as they can be.

#include <gtest/gtest.h>

#include "model_bench.hpp"

namespace fairstream::lord {
namespace {

using namespace fairstream::test;

const StreamFormat ungrouped{4, {}, false};

std::vector<Options> all_forms(int clusters) {
    std::vector<Options> all;
    for (const Method method : {Method::b_lord, Method::lord})
        for (const Fair fair : {Fair::proportional, Fair::off})
            for (const double tau : {tau2, tau1, 0.0, 1.0}) {
                if (method == Method::lord && tau != tau2) continue;
                all.push_back(plain(clusters, method));
                all.back().fair = fair;
                all.back().tau = tau;
                all.back().small_below = 0;
            }
    return all;
}

void expect_labelled(const LordBench& bench) {
    expect_sound(bench);
    ASSERT_TRUE(bench.state.started);
    for (const ClusterId label : bench.state.labels) ASSERT_TRUE(label >= 0 && label < bench.options.clusters);
    for (const float value : bench.state.means) ASSERT_TRUE(std::isfinite(value));
    for (const double value : bench.state.v.values) ASSERT_TRUE(std::isfinite(value));
    for (const Figure& f : lord::Model::figures(bench.options, bench.state))
        EXPECT_TRUE(std::isfinite(f.value)) << f.name;
    for (const ClusterId label : bench.predicted(bench.window.points().features))
        ASSERT_TRUE(label >= 0 && label < bench.options.clusters);
}

TEST(LordEdgeCases, StartsWithTheFewestPoints) {
    for (const int k : {1, 2, 4})
        for (const Options& options : all_forms(k)) {
            LordBench bench(options);
            for (std::size_t n = 1; n < static_cast<std::size_t>(k) + 6; ++n) {
                bench.ingest(mixture(two_attributes(), 1, n, n).view());
                if (n < static_cast<std::size_t>(k))
                    ASSERT_FALSE(bench.state.started);
                else
                    expect_labelled(bench);
            }
        }
}

TEST(LordEdgeCases, OnePointAloneIsACluster) {
    for (const Options& options : all_forms(1)) {
        LordBench bench(options, ungrouped, 1);
        for (PointId id = 0; id < 3; ++id) {
            bench.ingest(mixture(ungrouped, 1, id, id).view());
            expect_labelled(bench);
            EXPECT_EQ(bench.state.labels, std::vector<ClusterId>{0});
        }
        bench.improve();
        expect_labelled(bench);
    }
}

TEST(LordEdgeCases, AsManyClustersAsPoints) {
    for (const Options& options : all_forms(12)) {
        LordBench bench(options, ungrouped, 12);
        for (const PointColumns& batch : batches(ungrouped, 3, 12, 1)) {
            bench.ingest(batch.view());
            expect_labelled(bench);
        }
        bench.improve(30);
        expect_labelled(bench);
    }
}

TEST(LordEdgeCases, OnePointRepeated) {
    for (const Options& options : all_forms(3)) {
        LordBench bench(options);
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

TEST(LordEdgeCases, FewerPlacesThanClusters) {
    for (const Options& options : all_forms(5)) {
        LordBench bench(options);
        PointColumns points = mixture(two_attributes(), 90, 1);
        for (std::size_t at = 0; at < points.features.size(); ++at)
            points.features[at] = static_cast<float>(at / 4 % 2);
        bench.ingest(points.view());
        expect_labelled(bench);
    }
}

TEST(LordEdgeCases, FeaturesAtTheirLimits) {
    for (const float scale : {1e15F, 1e-15F, 1e-30F})
        for (const Options& options : all_forms(3)) {
            LordBench bench(options);
            PointColumns points = mixture(two_attributes(), 120, 1);
            for (float& feature : points.features) feature = std::clamp(feature / 30, -1.0F, 1.0F) * scale;
            bench.ingest(points.view().slice(0, 80));
            expect_labelled(bench);
            bench.ingest(points.view().slice(80, 40));
            expect_labelled(bench);
        }
}

// Two clouds without an edge between them, and a group that is in one of them alone.
TEST(LordEdgeCases, AGroupThatIsACloudOfItsOwn) {
    for (const Options& options : all_forms(2)) {
        const SeparatedStream two{two_attributes(3), 2};
        PointColumns points = two.points(0, 120);
        for (std::size_t i = 0; i < 120; ++i) points.groups[2 * i] = static_cast<GroupId>(two.blob(points.ids[i]));
        LordBench bench(options, two.format);
        bench.ingest(points.view());
        expect_labelled(bench);
        if (options.fair == Fair::proportional) {
            EXPECT_LE(share_gap_of(bench, 0), 1e-6);
        }
    }
}

TEST(LordEdgeCases, WeightsThatAreFarApart) {
    StreamFormat format = two_attributes();
    format.has_weights = true;
    for (const Options& options : all_forms(3)) {
        PointColumns points = mixture(two_attributes(), 150, 7);
        for (std::size_t i = 0; i < 150; ++i) points.weights.push_back(i % 3 == 0 ? 1e-15 : i % 3 == 1 ? 1e15 : 1);
        LordBench bench(options, format);
        bench.ingest(points.view());
        expect_labelled(bench);
    }
}

TEST(LordEdgeCases, PriorsThatAreFarApart) {
    for (Options options : all_forms(3)) {
        options.priors = {1e-6, 1, 1e6};
        LordBench bench(options);
        for (const PointColumns& batch : batches(two_attributes(), 2, 100, 3)) {
            bench.ingest(batch.view());
            expect_labelled(bench);
        }
    }
}

TEST(LordEdgeCases, UnknownGroupsAreLabelledToo) {
    StreamFormat format = two_attributes();
    format.attributes[0].groups.push_back("unknown");
    format.attributes[0].has_unknown = true;
    for (const Options& options : all_forms(3)) {
        PointColumns points = mixture(two_attributes(), 200, 9);
        for (std::size_t i = 0; i < 200; i += 4) points.groups[2 * i] = 2;
        LordBench bench(options, format);
        bench.ingest(points.view());
        expect_labelled(bench);
        // Known groups have their shares, whatever there is beside them.
        if (options.fair == Fair::proportional) {
            EXPECT_LE(bench.state.quality.share_gap, 1e-6);
        }
    }
}

}  // namespace
}  // namespace fairstream::lord
