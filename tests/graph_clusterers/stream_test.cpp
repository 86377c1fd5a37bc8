/// Promises for a stream: lasting names, predictions that agree with steps, and a state that continues anywhere.

#include <fairstream/base/archive.hpp>

#include <map>
#include <set>

#include "clusterers.hpp"
#include "support/refusal.hpp"

namespace fairstream::test {
namespace {

const SeparatedStream separated{two_attributes(3), 4};

template <class Clusterer> class GraphStream : public ::testing::Test {
public:
    using Bench = ModelBench<typename Clusterer::Model>;
};
TYPED_TEST_SUITE(GraphStream, GraphClusterers);

// While all points are exchanged, no staying point changes its label, and each blob keeps its first label.
TYPED_TEST(GraphStream, ClustersThatLieApartKeepTheirNames) {
    for (auto options : TypeParam::all_forms(4)) {
        if constexpr (requires { options.tau; })
            if (options.tau == 0.0 || options.tau == 1.0) continue;  // level probabilities; sharp ones of any start
        options.starts = 10;
        typename TestFixture::Bench bench(options, separated.format);
        bench.ingest(separated.fair_points(0, 300).view());
        const auto names = labels_of_blobs(bench, separated);
        for (PointId next = 300; next < 1'000; next += 20) {
            EXPECT_EQ(bench.ingest(separated.fair_points(next, 20).view()).churn, 0) << next;
            expect_sound(bench);
            ASSERT_EQ(labels_of_blobs(bench, separated), names) << next;
        }
        bench.improve();
        EXPECT_EQ(bench.report.churn, 0) << "and where they are made anew";
    }
}

TYPED_TEST(GraphStream, PredictionsAreTheLabelsOfTheNeighbours) {
    for (const auto& options : TypeParam::few_forms(4)) {
        typename TestFixture::Bench bench(options, separated.format);
        bench.ingest(separated.fair_points(0, 300).view());
        bench.ingest(separated.fair_points(300, 40).view());
        EXPECT_EQ(bench.predicted(bench.window.points().features), bench.state.labels);
        auto names = labels_of_blobs(bench, separated);
        const PointColumns fresh = separated.points(5'000, 200);
        const std::vector<ClusterId> predicted = bench.predicted(fresh.features);
        for (std::size_t i = 0; i < 200; ++i) ASSERT_EQ(predicted[i], names[separated.blob(fresh.ids[i])]);
    }
}

// `predict` places a new point where a step would: most labels agree on data without clear borders.
TYPED_TEST(GraphStream, PredictsNextStep) {
    for (const auto& options : TypeParam::few_forms(4)) {
        int agreed = 0, all = 0;
        for (const std::uint64_t stream : {1, 2, 3, 4}) {
            typename TestFixture::Bench bench(options, two_attributes(), 400);
            bench.ingest(mixture(two_attributes(), 400, stream).view());
            for (std::size_t b = 0; b < 10; ++b) {
                const PointColumns batch = mixture(two_attributes(), 20, 50 * stream + b, 1'000 + 20 * b);
                const std::vector<ClusterId> predicted = bench.predicted(batch.features);
                bench.ingest(batch.view());
                for (std::size_t i = 0; i < 20; ++i, ++all)
                    agreed += predicted[i] == bench.state.labels[*bench.window.find(batch.ids[i])] ? 1 : 0;
            }
        }
        EXPECT_GE(agreed, TypeParam::predictions_that_agree * all);
    }
}

TYPED_TEST(GraphStream, ANewWorkspaceChangesNothing) {
    for (const auto& options : TypeParam::few_forms(3)) {
        typename TestFixture::Bench kept(options), fresh(options);
        for (const PointColumns& batch : batches(two_attributes(), 8, 70, 3)) {
            kept.ingest(batch.view());
            fresh.workspace = typename TypeParam::Model::Workspace();
            fresh.ingest(batch.view());
            ASSERT_TRUE(kept.state == fresh.state);
        }
        // Also for a state of another window.
        typename TestFixture::Bench other(options);
        other.ingest(mixture(two_attributes(), 120, 77).view());
        std::swap(kept.workspace, other.workspace);
        const PointColumns batch = mixture(two_attributes(), 30, 78, 9'000);
        kept.ingest(batch.view());
        fresh.ingest(batch.view());
        EXPECT_TRUE(kept.state == fresh.state);
    }
}

TYPED_TEST(GraphStream, SavedLoadedAndContinuedEqualsUninterrupted) {
    for (auto options : TypeParam::few_forms(4)) {
        options.fresh_every = 3;
        typename TestFixture::Bench whole(options), resumed(options);
        for (const PointColumns& batch : batches(two_attributes(), 10, 60, 2, 0.1F)) {
            StateWriter writer;
            writer(1, resumed.state);
            const std::vector<std::byte> bytes = writer.take();
            resumed.state = TypeParam::Model::start(options, resumed.window);
            StateReader reader(bytes);
            reader(1, resumed.state);
            resumed.workspace = typename TypeParam::Model::Workspace();
            whole.ingest(batch.view());
            resumed.ingest(batch.view());
            ASSERT_TRUE(resumed.state == whole.state);
        }
    }
}

TYPED_TEST(GraphStream, ARefinementBeforeTheFirstStepDoesNothing) {
    for (const auto& options : TypeParam::few_forms(4)) {
        typename TestFixture::Bench bench(options);
        const auto before = bench.state;
        bench.improve();
        EXPECT_TRUE(bench.state == before);
        EXPECT_EQ(bench.report.solve.outcome, Outcome::warming);
    }
}

TYPED_TEST(GraphStream, CentresAreTheMeansOfTheFeatures) {
    for (const auto& options : TypeParam::few_forms(4)) {
        typename TestFixture::Bench bench(options);
        for (const PointColumns& batch : batches(two_attributes(), 6, 70, 1)) {
            bench.ingest(batch.view());
            std::vector<double> sums(16), sizes(4);
            for (Slot slot = 0; slot < bench.window.size(); ++slot) {
                const auto l = static_cast<std::size_t>(bench.state.labels[slot]);
                sizes[l] += 1;
                for (std::size_t j = 0; j < 4; ++j) sums[4 * l + j] += double{bench.window.features(slot)[j]};
            }
            for (std::size_t at = 0; at < 16; ++at)
                EXPECT_NEAR(TypeParam::Model::centres(bench.state)[at],
                            sizes[at / 4] > 0 ? sums[at] / sizes[at / 4] : 0, 1e-5);
        }
    }
}

// Points leave by age until fewer than clusters are left, then return; replayed changes give the labels throughout.
TYPED_TEST(GraphStream, RecoversFromShrunkenWindow) {
    for (const bool decays : {false, true})
        for (const auto& options : TypeParam::few_forms(3)) {
            WindowOptions window{.capacity = 300, .max_age = 25};
            if (decays) window.half_life.points = 60;
            typename TestFixture::Bench bench(options, two_attributes(), window);
            const std::vector<std::int64_t> times{0, 30, 20, 40, 46, 300, 301, 302};
            std::map<PointId, ClusterId> seen;
            bool waited = false;
            for (std::size_t step = 0; PointColumns & batch : batches(two_attributes(), times.size(), 60, 8)) {
                batch.event_time = times[step];
                if (step == 5) {
                    PointColumns few;
                    few.append(batch.view().slice(0, 2));
                    few.event_time = times[step];
                    batch = few;
                }
                ++step;
                const auto& changes = bench.ingest(batch.view()).changes;
                expect_sound(bench);
                waited = waited || (step > 1 && !bench.state.started);
                for (const PointId id : changes.departed) seen.erase(id);
                for (std::size_t i = 0; i < changes.ids.size(); ++i) seen[changes.ids[i]] = changes.after[i];
                std::size_t labelled = 0;
                for (Slot slot = 0; slot < bench.window.size(); ++slot) {
                    if (bench.state.labels[slot] == no_cluster) continue;
                    ++labelled;
                    EXPECT_EQ(seen.at(bench.window.id(slot)), bench.state.labels[slot]);
                }
                EXPECT_EQ(seen.size(), labelled);
            }
            EXPECT_TRUE(waited);
            EXPECT_TRUE(bench.state.started);
        }
}

TYPED_TEST(GraphStream, PlacesPointsAlikeInAnotherMeasure) {
    for (const auto& options : TypeParam::few_forms(4)) {
        typename TestFixture::Bench bench(options, separated.format);
        bench.ingest(separated.points(0, 120).view());
        const std::vector<ClusterId> before = bench.predicted(separated.points(500, 40).features);
        const MeasureChange change{{0.5, 0.5, 0.5}, {1, 2, -3}, 1};
        TypeParam::Model::re_express(bench.options, bench.state, change);
        TypeParam::Model::verify(bench.options, bench.state, bench.window);
        PointColumns others = separated.points(500, 40);
        change.apply(others.features);
        EXPECT_EQ(bench.predicted(others.features), before);
        change.apply(bench.window.replaceable_features());
        const std::vector<ClusterId> labels = bench.state.labels;
        PointColumns next = separated.points(120, 20);
        change.apply(next.features);
        bench.ingest(next.view());
        expect_sound(bench);
        EXPECT_TRUE(std::ranges::equal(labels, std::span(bench.state.labels).first(labels.size())));
    }
}

TYPED_TEST(GraphStream, AStateOfAnotherWindowIsRefused) {
    for (const auto& options : TypeParam::few_forms(4)) {
        typename TestFixture::Bench bench(options), other(options);
        bench.ingest(mixture(two_attributes(), 200, 1).view());
        other.ingest(mixture(two_attributes(), 150, 1).view());
        expect_refused(Reason::bad_state, {TypeParam::Model::name},
                       [&] { TypeParam::Model::verify(bench.options, bench.state, other.window); });
    }
}

}  // namespace
}  // namespace fairstream::test
