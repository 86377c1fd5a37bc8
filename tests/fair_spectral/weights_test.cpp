/// Points with weights: one of weight 2 is two equal points.

#include <gtest/gtest.h>

#include <fairstream/graph_labels/detail/cut_moves.hpp>
#include <fairstream/graph_labels/detail/normalised_cut.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/points.hpp>
#include <fairstream/numeric/detail/affinity/weighted.hpp>

#include "model_bench.hpp"
#include "support/repeated_points.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace fairstream::test;

WeightedPair weighted_points(std::size_t n, std::uint64_t seed) {
    return weigh_and_repeat(batches(two_attributes(), 1, n, seed)[0], seed);
}

StreamFormat with_weights(StreamFormat format = two_attributes()) {
    format.has_weights = true;
    return format;
}

// The quantities that the model computes from a window's points before there are labels.
struct Made {
    Made(const Options& options, const PointColumns& points)
        : window(points.weights.empty() ? two_attributes() : with_weights(), {2000}) {
        window.apply(points.view());
        const double bandwidth = needs_bandwidth(options) ? usual_bandwidth(options, window) : 0;
        const PointAffinity& of_points = affinity_of(options, bandwidth, window, workspace);
        weights = weights_in_units(window);
        if (!weights.empty()) weighted.emplace(of_points, weights, options.affinity == AffinityKind::knn);
        affinity = weighted ? static_cast<const Affinity*>(&*weighted) : &of_points;
    }
    [[nodiscard]] double cost(const Options& options) const {
        NormalisedAffinity m(*affinity);
        const Constraints constraints = make_constraints(
            window.points().groups, 2, attribute_columns(options, window.format()), {}, m.inverse_roots(), weights);
        return embed(options, m, constraints, {}, {500, 1e-9, {}}, 1).quality.cost;
    }
    Window window;
    Workspace workspace;
    std::vector<double> weights;
    std::optional<WeightedAffinity> weighted;
    const Affinity* affinity;
};

TEST(WeightedGraph, HasTheCutsAndCostsOfRepeatedPoints) {
    for (const AffinityKind kind : {AffinityKind::knn, AffinityKind::rbf, AffinityKind::dense}) {
        const WeightedPair pair = weighted_points(120, 3);
        Options options = spectral(3, kind);
        options.tolerance = 1e-9;
        const Made one(options, pair.weighted), many(options, pair.repeated);
        EXPECT_NEAR(one.cost(options), many.cost(options), kind == AffinityKind::knn ? 1e-8 : 1e-5);
        std::vector<ClusterId> labels, repeated;
        Random random(5);
        for (std::size_t i = 0; i < 120; ++i) labels.push_back(static_cast<ClusterId>(random.below(3)));
        for (const std::size_t i : pair.origin) repeated.push_back(labels[i]);
        EXPECT_NEAR(normalised_cut(*one.affinity, labels, 3), normalised_cut(*many.affinity, repeated, 3), 1e-5);
        const CutProblem of_one{.affinity = *one.affinity,
                                .clusters = 3,
                                .groups = {},
                                .group_counts = {},
                                .demands = {},
                                .held = {},
                                .weights = one.weights};
        const CutProblem of_many{
            .affinity = *many.affinity, .clusters = 3, .groups = {}, .group_counts = {}, .demands = {}, .held = {}};
        EXPECT_NEAR(CutMoves(of_one, labels, random).cut(), CutMoves(of_many, repeated, random).cut(), 1e-5);
    }
}

TEST(WeightedGraph, HasRowsDiagonalAndDegreesThatFit) {
    for (const AffinityKind kind : affinity_kinds) {
        const WeightedPair pair = weighted_points(60, 4);
        const Made made(spectral(3, kind), pair.weighted);
        const std::vector<double> diagonal = made.affinity->diagonal();
        AffinityRow row;
        for (Slot i = 0; i < 60; ++i) {
            made.affinity->copy_row(i, row);
            double sum = 0, own = 0;
            for (std::size_t e = 0; e < row.at.size(); ++e) {
                sum += static_cast<double>(row.weights[e]);
                if (row.at[e] == i) own += static_cast<double>(row.weights[e]);
            }
            EXPECT_NEAR(sum, made.affinity->degrees()[i], 1e-4 * (1 + sum));
            EXPECT_NEAR(own, diagonal[i], 1e-4 * (1 + own));
        }
    }
}

TEST(WeightedFairSpectral, MeetsTargetsInWeight) {
    for (const AffinityKind kind : affinity_kinds) {
        const WeightedPair pair = weighted_points(200, 6);
        Options options = spectral(3, kind);
        options.targets.balance_at_least = 0.5;
        options.targets.size_at_least = 60;
        SpectralBench bench(options, with_weights());
        bench.ingest(pair.weighted.view());
        fair_spectral::Model::verify(options, bench.state, bench.window);
        for (ClusterId l = 0; l < 3; ++l) {
            EXPECT_GE(bench.state.tally.weight(l), 60);
            const auto weights = bench.state.tally.weights(l, 0);
            EXPECT_GE(std::ranges::min(weights), 0.45 * std::ranges::max(weights));
        }
        bench.improve(3);
        fair_spectral::Model::verify(options, bench.state, bench.window);
    }
}

TEST(WeightedFairSpectral, LeavesAnUnknownGroupOutOfTargets) {
    StreamFormat format = two_attributes();
    format.attributes[0].groups.push_back("unknown");
    format.attributes[0].has_unknown = true;
    Options options = spectral(3);
    options.targets.balance_at_least = 0.4;
    SpectralBench bench(options, format);
    PointColumns points = weighted_points(250, 9).weighted;
    points.weights.clear();
    const auto unknown = static_cast<GroupId>(format.attributes[0].groups.size() - 1);
    for (std::size_t i = 0; i < 250; i += 4) points.groups[i * format.attributes.size()] = unknown;
    bench.ingest(points.view());
    fair_spectral::Model::verify(options, bench.state, bench.window);
    for (ClusterId l = 0; l < 3; ++l) {
        const auto counts = bench.state.tally.counts(l, 0).first(unknown);
        EXPECT_GE(static_cast<double>(std::ranges::min(counts)), 0.4 * static_cast<double>(std::ranges::max(counts)));
    }
}

}  // namespace
}  // namespace fairstream::fair_spectral
