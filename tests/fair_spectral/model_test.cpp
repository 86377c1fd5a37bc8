/// The model on streams: the invariants of every step, and how it follows changes.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include <fairstream/graph_labels/detail/label_problem.hpp>
#include <fairstream/graph_labels/detail/labels_from_starts.hpp>
#include <fairstream/graph_labels/detail/target_search.hpp>
#include <fairstream/models/fair_spectral/detail/embedded.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/points.hpp>

#include "model_bench.hpp"
#include "references.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace fairstream::test;

const SeparatedStream separated{two_attributes(3), 4};

TEST(FairSpectral, IsSoundForAnyAffinityAndSolver) {
    for (const AffinityKind affinity : affinity_kinds)
        for (const Solver solver : {Solver::krylov, Solver::admm}) {
            Options options = spectral(4, affinity);
            options.solver = solver;
            options.landmarks = 60;
            options.iterations = 30;
            SpectralBench bench(options);
            for (const PointColumns& batch : batches(two_attributes(), 10, 55, 1, 0.1F)) {
                bench.ingest(batch.view());
                expect_sound(bench);
            }
            EXPECT_EQ(bench.state.steps, 10U);
        }
}

TEST(FairSpectral, ConstrainsAllGivenAttributes) {
    for (const auto& attributes : {std::vector<int>{1}, {0, 1}, {1, 0}}) {
        Options options = spectral(3);
        options.targets.attribute = OneOrMore<int>(attributes);
        SpectralBench bench(options);
        for (const PointColumns& batch : batches(two_attributes(), 8, 60, 2)) {
            bench.ingest(batch.view());
            expect_sound(bench);
        }
    }
}

TEST(FairSpectral, PredictsNeighboursCluster) {
    SpectralBench bench(spectral(3));
    PointColumns points;
    constexpr std::size_t n = 300, rings = 3;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t ring = i % rings;
        const std::size_t place = i / rings, places = n / rings;
        const double angle = 2 * std::numbers::pi * static_cast<double>(place) / static_cast<double>(places);
        const double radius = 1 + 3 * static_cast<double>(ring);
        points.ids.push_back(i);
        for (const double x : {radius * std::cos(angle), radius * std::sin(angle), 0.0, 0.0})
            points.features.push_back(static_cast<float>(x));
        const bool is_of_most = i % 10 < 8;
        points.groups.push_back((ring == 2) == is_of_most ? 1 : 0);
        points.groups.push_back(0);
    }
    bench.ingest(points.view());
    const std::vector<ClusterId>& labels = bench.state.labels;
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(labels[i], labels[i % rings]) << "clusters are the rings";
    std::vector<ClusterId> predicted(n);
    Model::predict(bench.options, bench.state, points.features, predicted);
    EXPECT_EQ(predicted, labels);
}

// M and F by their definitions, the exact solution of problem (5) by a dense eigensolver.
double exact_cost(const SpectralBench& bench, double bandwidth) {
    const std::size_t n = bench.window.size(), d = bench.window.dimensions();
    Matrix k(n, n);
    std::vector<double> roots(n);
    for (Slot i = 0; i < n; ++i) {
        double degree = 0;
        for (Slot j = 0; j < n; ++j) {
            double distance = 0;
            for (std::size_t c = 0; c < d; ++c)
                distance += std::pow(double{bench.window.features(i)[c]} - double{bench.window.features(j)[c]}, 2);
            degree += k.at(i, j) = std::exp(-distance / (2 * bandwidth * bandwidth));
        }
        roots[i] = std::sqrt(degree);
    }
    Matrix f(n, 1);
    double share = 0;
    for (Slot i = 0; i < n; ++i) share += bench.window.group(i, 0) == 0 ? 1 / static_cast<double>(n) : 0;
    for (Slot i = 0; i < n; ++i) {
        f.at(i, 0) = ((bench.window.group(i, 0) == 0 ? 1 : 0) - share) / roots[i];
        for (Slot j = 0; j < n; ++j) k.at(i, j) /= roots[i] * roots[j];
    }
    return o_fsc(n, k.values, f.values, static_cast<std::size_t>(bench.options.clusters)).cost;
}

// A residual r changes the cost by about r^2 over the gap; products are in float32.
TEST(FairSpectral, MatchesExactCostAtEveryStep) {
    Options options = spectral(4, AffinityKind::dense);
    options.bandwidth = 1.5;
    options.tolerance = 1e-5;
    options.iterations = 1'000;
    SpectralBench bench(options, two_attributes(), 150);
    for (const PointColumns& batch : batches(two_attributes(), 12, 40, 5, 0.1F)) {
        const StepReport<ClusterId>& report = bench.ingest(batch.view());
        EXPECT_EQ(report.solve.outcome, Outcome::converged);
        EXPECT_LE(bench.state.quality.residual, options.tolerance);
        EXPECT_EQ(report.solve.objective, bench.state.quality.cost);
        const double exact = exact_cost(bench, 1.5);
        EXPECT_NEAR(bench.state.quality.cost, exact, 1e-5);
    }
}

// Some points of touching, drifting blobs change sides: few of the points that stay, from step to step.
TEST(FairSpectral, DriftChangesFewLabels) {
    Options options = spectral(5);
    SpectralBench bench(options, two_attributes(), 500);
    double churn = 0;
    int steps = 0;
    for (std::size_t b = 0; b < 60; ++b) {
        const PointColumns batch = mixture(two_attributes(), 25, 100 + b, b * 25, 5, 0.02F * static_cast<float>(b));
        const double now = bench.ingest(batch.view()).churn;
        if (b >= 40) churn += now, ++steps;
    }
    EXPECT_LE(churn / steps, 0.05);
}

// The cut of the best of ten starts of k-means, each led to the target and improved by moves.
double best_of_ten(const SpectralBench& bench) {
    const std::vector<float> rows =
        embedding_rows(bench.state.embedding, static_cast<std::size_t>(bench.options.clusters));
    Workspace workspace;
    const LinkedRows none;
    const RoundingInput input{label_options(bench.options),
                              affinity_of(bench.options, 0, bench.window, workspace),
                              rows,
                              bench.window.points().groups,
                              bench.window.format(),
                              none};
    const LabelProblem problem(input);
    Random random(9);
    const TargetSearch search(problem, targets_of(bench.options), random);
    std::vector<Rounding> found = search.labels_from_starts(kmeans_starts(problem, 10, random));
    return std::ranges::min_element(found, [](const Rounding& a, const Rounding& b) { return a.beats(b); })->cut;
}

// Returns the mean churn, and the mean ratio of the cut to that of the best of ten starts, along windows of overlapping
// blobs.
std::pair<double, double> churn_and_cut(double price) {
    constexpr int steps = 15, streams = 3;
    Options options;
    options.clusters = 6;
    options.change_price = price;
    double churn = 0, cut = 0;
    for (std::uint64_t stream = 1; stream <= streams; ++stream) {
        SpectralBench bench(options, two_attributes(), 500);
        bench.ingest(mixture(two_attributes(), 500, 100 * stream).view());
        for (std::size_t b = 0; b < steps; ++b) {
            churn += bench.ingest(mixture(two_attributes(), 50, 100 * stream + 1 + b, 1'000 + b * 50).view()).churn;
            cut += bench.state.quality.normalised_cut / best_of_ten(bench);
        }
    }
    return {churn / (steps * streams), cut / (steps * streams)};
}

TEST(FairSpectral, HighPriceLowersChurnAtGoodCut) {
    const auto [churn, cut] = churn_and_cut(Options{}.change_price);
    const auto [free_churn, free_cut] = churn_and_cut(0);
    const auto [dear_churn, dear_cut] = churn_and_cut(0.5);
    EXPECT_LT(dear_churn, free_churn / 2);
    EXPECT_LT(dear_churn, churn);
    EXPECT_LE(cut, 1.01);
    EXPECT_LE(free_cut, 1.01);
}

TEST(FairSpectral, ProhibitivePriceFreezesLabels) {
    Options options = spectral(6);
    options.change_price = 10;
    options.fresh_every = 0;
    SpectralBench bench(options, two_attributes(), 500);
    bench.ingest(mixture(two_attributes(), 500, 100).view());
    for (std::size_t b = 0; b < 10; ++b)
        EXPECT_EQ(bench.ingest(mixture(two_attributes(), 50, 200 + b, 1'000 + b * 50).view()).churn, 0) << b;
}

TEST(FairSpectral, WarmStepIsMuchCheaper) {
    for (const Solver solver : {Solver::krylov, Solver::admm}) {
        Options options = spectral(4);
        options.solver = solver;
        SpectralBench bench(options, two_attributes(), 500);
        bench.ingest(mixture(two_attributes(), 500, 1).view());
        const double cold = bench.state.quality.operator_applications;
        double warm = 0;
        for (std::size_t b = 0; b < 10; ++b) {
            bench.ingest(mixture(two_attributes(), 25, 10 + b, 1'000 + 25 * b).view());
            warm += bench.state.quality.operator_applications / 10;
        }
        EXPECT_LT(warm, 0.5 * cold) << warm << " after " << cold;
    }
}

// Returns only the points of some blobs.
PointColumns points_of(const SeparatedStream& stream, PointId first, std::size_t n, bool (*wanted)(std::uint32_t)) {
    PointColumns some;
    for (PointId id = first; some.ids.size() < n; ++id) {
        if (!wanted(stream.blob(id))) continue;
        const PointColumns one = stream.points(id, 1);
        some.ids.push_back(id);
        some.features.insert(some.features.end(), one.features.begin(), one.features.end());
        some.groups.insert(some.groups.end(), one.groups.begin(), one.groups.end());
    }
    return some;
}

// A blob appears away from all points in the window: no direction of the last solution reaches it.
void expect_new_cluster_found(AffinityKind affinity, Solver solver, const StreamFormat& format, std::uint64_t seed) {
    SCOPED_TRACE(::testing::Message() << static_cast<int>(affinity) << static_cast<int>(solver)
                                      << format.attributes.size() << ", seed " << seed);
    const SeparatedStream three{format, 3};
    Options options = spectral(3, affinity);
    options.solver = solver;
    options.bandwidth = affinity == AffinityKind::knn ? 0 : 2;
    options.seed = seed;
    SpectralBench bench(options, format);
    const PointColumns two = points_of(three, 0, 300, [](std::uint32_t blob) { return blob < 2; });
    bench.ingest(two.view());
    bench.ingest(two.view().slice(0, 20));
    bench.ingest(points_of(three, 1'000, 100, [](std::uint32_t blob) { return blob == 2; }).view());
    expect_sound(bench);
    EXPECT_LE(bench.state.quality.cost, 0.01);
    bench.improve();
    labels_of_blobs(bench, three);
}

TEST(FairSpectral, FindsAClusterThatAppears) {
    for (const AffinityKind affinity : affinity_kinds)
        for (const Solver solver : {Solver::krylov, Solver::admm})
            for (const StreamFormat& format : {two_attributes(3), StreamFormat{3, {}, false}})
                for (const std::uint64_t seed : {1, 2, 3, 4}) expect_new_cluster_found(affinity, solver, format, seed);
}

// Three blobs at once, no two of them joined.
TEST(FairSpectral, FindsSeveralClustersThatAppearAtOnce) {
    for (const Solver solver : {Solver::krylov, Solver::admm}) {
        const SeparatedStream five{two_attributes(3), 5};
        Options options = spectral(5);
        options.solver = solver;
        SpectralBench bench(options, five.format, 500);
        bench.ingest(points_of(five, 0, 500, [](std::uint32_t blob) { return blob < 2; }).view());
        bench.ingest(points_of(five, 2'000, 300, [](std::uint32_t blob) { return blob >= 2; }).view());
        EXPECT_LE(bench.state.quality.cost, 0.01);
        bench.improve();
        labels_of_blobs(bench, five);
    }
}

// Points at few places, many at each: each side is connected, and labels belong to places.
TEST(FairSpectral, PointsThatRepeatAreJoinedAsTheirPlaces) {
    const StreamFormat format{2, {{"g", {"a", "b"}}}, false};
    SpectralBench bench(spectral(2), format, 800);
    PointColumns columns;
    Random random(4);
    for (PointId id = 0; id < 900; ++id) {
        const auto side = static_cast<float>(id % 2);
        columns.ids.push_back(id);
        columns.features.push_back(8 * side + static_cast<float>(random.below(4)));
        columns.features.push_back(static_cast<float>(random.below(4)));
        columns.groups.push_back(static_cast<GroupId>(random.below(2)));
    }
    bench.ingest(columns.view().slice(0, 800));
    expect_sound(bench);
    EXPECT_EQ(bench.state.graph.places, 32U);
    EXPECT_EQ(bench.state.graph.parts, 2U);
    EXPECT_EQ(bench.state.anchors.count, 32U);
    bench.ingest(columns.view().slice(800, 100));
    expect_sound(bench);
    const std::vector<ClusterId> predicted = bench.predicted(bench.window.points().features);
    EXPECT_TRUE(std::ranges::equal(predicted, bench.state.labels));
    for (Slot slot = 0; slot < 800; ++slot)
        ASSERT_EQ(bench.state.labels[slot] == bench.state.labels[0],
                  (bench.window.features(slot)[0] < 6) == (bench.window.features(0)[0] < 6));
}

}  // namespace
}  // namespace fairstream::fair_spectral
