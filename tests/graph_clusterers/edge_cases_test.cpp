/// Windows that are as small, as uniform or as new as possible.

#include "clusterers.hpp"

namespace fairstream::test {
namespace {

const StreamFormat ungrouped{4, {}, false};

template <class Clusterer> class GraphEdgeCases : public ::testing::Test {
public:
    using Bench = ModelBench<typename Clusterer::Model>;
};
TYPED_TEST_SUITE(GraphEdgeCases, GraphClusterers);

TYPED_TEST(GraphEdgeCases, StartsWithFewestPoints) {
    for (const bool tight : {false, true})
        for (const int k : {1, 2, 4})
            for (auto options : TypeParam::all_forms(k)) {
                if (tight) options.tolerance = 1e-9, options.iterations = 40;
                options.targets.attribute = {0, 1};
                const std::size_t needed = TypeParam::fewest_points(k);
                typename TestFixture::Bench bench(options);
                for (std::size_t n = 1; n < needed + 6; ++n) {
                    bench.ingest(mixture(two_attributes(), 1, n, n).view());
                    if (n < needed)
                        ASSERT_FALSE(bench.state.started);
                    else
                        expect_labelled(bench);
                }
            }
}

TYPED_TEST(GraphEdgeCases, OnePointAloneIsACluster) {
    for (const auto& options : TypeParam::all_forms(1)) {
        typename TestFixture::Bench bench(options, ungrouped, 1);
        for (PointId id = 0; id < 3; ++id) {
            bench.ingest(mixture(ungrouped, 1, id, id).view());
            expect_labelled(bench);
            EXPECT_EQ(bench.state.labels, std::vector<ClusterId>{0});
        }
        bench.improve();
        expect_labelled(bench);
    }
}

TYPED_TEST(GraphEdgeCases, AsManyClustersAsPoints) {
    for (const auto& options : TypeParam::all_forms(12)) {
        typename TestFixture::Bench bench(options, ungrouped, 12);
        for (const PointColumns& batch : batches(ungrouped, 3, 12, 1)) {
            bench.ingest(batch.view());
            expect_labelled(bench);
        }
        bench.improve(30);
        expect_labelled(bench);
    }
}

TYPED_TEST(GraphEdgeCases, OnePointRepeated) {
    for (const auto& options : TypeParam::all_forms(3)) {
        typename TestFixture::Bench bench(options);
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

TYPED_TEST(GraphEdgeCases, FewerPlacesThanClusters) {
    for (const auto& options : TypeParam::all_forms(5)) {
        typename TestFixture::Bench bench(options);
        PointColumns points = mixture(two_attributes(), 90, 1);
        for (std::size_t at = 0; at < points.features.size(); ++at)
            points.features[at] = static_cast<float>(at / 4 % 2);
        bench.ingest(points.view());
        expect_labelled(bench);
    }
}

// Places of several points each, more and fewer than there are clusters; some appear after others are labelled. With
// fewer places, lord gives each cluster the share of its prior, which splits places.
TYPED_TEST(GraphEdgeCases, WithoutATargetEqualPointsHaveEqualLabels) {
    for (const int k : {3, 20, 50})
        for (const std::uint64_t seed : {1, 2})
            for (auto options : TypeParam::few_forms(k)) {
                if constexpr (requires { options.fair; }) {
                    if (k == 50) continue;
                    options.fair = lord::Fair::off;
                }
                options.seed = seed;
                typename TestFixture::Bench bench(options);
                PointColumns points = mixture(two_attributes(), 240, seed);
                constexpr std::size_t places = 40, d = 4;
                for (std::size_t at = places * d; at < points.features.size(); ++at)
                    points.features[at] = points.features[at % (places * d)];
                bench.ingest(points.view().slice(0, 150));
                bench.ingest(points.view().slice(150, 90));
                const auto expect_equal = [&] {
                    for (std::size_t i = places; i < 240; ++i)
                        ASSERT_EQ(bench.state.labels[i], bench.state.labels[i % places]) << k << " seed " << seed;
                };
                expect_equal();
                bench.improve(30);
                expect_equal();
            }
}

TYPED_TEST(GraphEdgeCases, FeaturesAtTheirLimits) {
    for (const float scale : {1e15F, 1e-15F, 1e-30F})
        for (const auto& options : TypeParam::all_forms(3)) {
            typename TestFixture::Bench bench(options);
            PointColumns points = mixture(two_attributes(), 120, 1);
            for (float& feature : points.features) feature = std::clamp(feature / 30, -1.0F, 1.0F) * scale;
            bench.ingest(points.view().slice(0, 80));
            expect_labelled(bench);
            bench.ingest(points.view().slice(80, 40));
            expect_labelled(bench);
        }
}

// One point so far away that it has no affinity to any other, and one cluster so narrow that its edges are all 1.
TYPED_TEST(GraphEdgeCases, PointsFarAwayFromAllOthers) {
    for (const auto& options : TypeParam::all_forms(3)) {
        typename TestFixture::Bench bench(options);
        PointColumns points = mixture(two_attributes(), 90, 1);
        for (std::size_t j = 0; j < 8; ++j) points.features[j] = j < 4 ? 1e14F : -1e14F;
        bench.ingest(points.view());
        expect_labelled(bench);
        bench.ingest(mixture(two_attributes(), 20, 3, 500).view());
        expect_labelled(bench);
    }
}

// Nothing of the last solution applies any more.
TYPED_TEST(GraphEdgeCases, TheWholeWindowReplacedAtOnce) {
    for (const auto& options : TypeParam::all_forms(4)) {
        typename TestFixture::Bench bench(options, two_attributes(), 150), fresh(options, two_attributes(), 150);
        bench.ingest(mixture(two_attributes(), 150, 1).view());
        PointColumns other = mixture(two_attributes(), 150, 2, 1'000);
        for (float& feature : other.features) feature += 100;
        bench.ingest(other.view());
        fresh.ingest(other.view());
        expect_labelled(bench);
        EXPECT_NEAR(bench.report.solve.objective, fresh.report.solve.objective, 0.08);
    }
}

TYPED_TEST(GraphEdgeCases, AGroupThatLeavesAndComesBack) {
    for (const auto& options : TypeParam::all_forms(3)) {
        typename TestFixture::Bench bench(options, two_attributes(), 100);
        for (std::uint64_t b = 0; b < 9; ++b) {
            PointColumns points = mixture(two_attributes(), 50, b, 50 * b);
            for (std::size_t i = 0; i < 50; ++i)
                if (b >= 2 && b < 6) points.groups[2 * i] = 1;
            bench.ingest(points.view());
            expect_labelled(bench);
        }
    }
}

TYPED_TEST(GraphEdgeCases, WithoutAttributesNothingIsTied) {
    for (const auto& options : TypeParam::all_forms(3)) {
        const StreamFormat one_group{4, {{"all", {"everyone"}}}, false};
        typename TestFixture::Bench bare(options, ungrouped), uniform(options, one_group);
        for (std::uint64_t b = 0; b < 3; ++b) {
            PointColumns points = mixture(ungrouped, 60, b, 60 * b);
            bare.ingest(points.view());
            points.groups.assign(60, 0);
            uniform.ingest(points.view());
            expect_labelled(bare);
            EXPECT_EQ(bare.state.labels, uniform.state.labels);
            EXPECT_EQ(bare.report.solve.objective, uniform.report.solve.objective);
        }
    }
}

TYPED_TEST(GraphEdgeCases, WeightsThatAreFarApart) {
    StreamFormat format = two_attributes();
    format.has_weights = true;
    for (const auto& options : TypeParam::few_forms(3)) {
        PointColumns points = mixture(two_attributes(), 150, 7);
        for (std::size_t i = 0; i < 150; ++i) points.weights.push_back(i % 3 == 0 ? 1e-15 : i % 3 == 1 ? 1e15 : 1);
        typename TestFixture::Bench bench(options, format);
        bench.ingest(points.view());
        expect_labelled(bench);
    }
}

TYPED_TEST(GraphEdgeCases, UnknownGroupsAreLabelledToo) {
    StreamFormat format = two_attributes();
    format.attributes[0].groups.push_back("unknown");
    format.attributes[0].has_unknown = true;
    for (const auto& options : TypeParam::all_forms(3)) {
        PointColumns points = mixture(two_attributes(), 200, 9);
        for (std::size_t i = 0; i < 200; i += 4) points.groups[2 * i] = 2;
        typename TestFixture::Bench bench(options, format);
        bench.ingest(points.view());
        expect_labelled(bench);
    }
}

// A parity that no clusters can have is not requested: labels equal those without a target.
TYPED_TEST(GraphEdgeCases, AGroupOfFewerPointsThanClusters) {
    const SeparatedStream three{{3, {{"g", {"a", "z"}}}, false}, 3};
    for (auto options : TypeParam::few_forms(3)) {
        options.targets.parity_at_least = 0.8;
        options.starts = 10;
        PointColumns points = three.points(0, 240);
        for (std::size_t i = 0; i < 240; ++i) points.groups[i] = i == 7 ? 1 : 0;
        typename TestFixture::Bench bench(options, three.format);
        bench.ingest(points.view());
        expect_labelled(bench);
        EXPECT_EQ(labels_of_blobs(bench, three).size(), 3U);
        EXPECT_EQ(bench.report.solve.outcome, Outcome::unattainable);
    }
}

}  // namespace
}  // namespace fairstream::test
