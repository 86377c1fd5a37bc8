/// Points that are mostly 0, as one-hot categories make them: the same distances and clusters, for less work.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <fairstream/fair_kmeans/detail/clustering.hpp>
#include <fairstream/fair_kmeans/detail/fair_lloyd.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>

#include "from_scratch.hpp"
#include "support/model_bench.hpp"
#include "support/rounding.hpp"
#include "support/streams.hpp"

namespace fairstream::safairkm {
namespace {

constexpr std::size_t category_levels = 60, category_kinds = 5;

// Points of some kinds: a number, and three one-hot categories, of which each kind of points takes few levels.
PointColumns category_points(std::size_t n, std::uint64_t seed, bool has_weights = false) {
    Random random(seed);
    PointColumns points;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t kind = random.below(category_kinds);
        points.ids.push_back(i);
        std::vector<float> row(1 + 3 * category_levels);
        row[0] = test::normal(random);
        for (std::size_t c = 0; c < 3; ++c) {
            const std::size_t level = random.below(4) == 0 ? random.below(category_levels) : kind * 8 + random.below(3);
            row[1 + c * category_levels + level] = 1;
        }
        points.features.insert(points.features.end(), row.begin(), row.end());
        points.groups.push_back(random.below(10) < 3 + kind ? 1 : 0);
        if (has_weights) points.weights.push_back(1 + random.below(3));
    }
    return points;
}

StreamFormat category_format(bool has_weights = false) {
    return {.dimensions = 1 + 3 * category_levels, .attributes = {{"group", {"x", "y"}}}, .has_weights = has_weights};
}

// A clustering from the first points as centres.
struct BegunClustering {
    BegunClustering(const Options& chosen, const Window& points) : options(chosen), window(points) {
        state = start_state(options, window);
        std::copy_n(window.features(0), state.centres.size(), state.centres.begin());
        clustering.emplace(options, state, workspace, window, window.size());
        clustering->list_entries();
        clustering->begin_from_centres();
    }
    Options options;
    const Window& window;
    State state;
    Workspace workspace;
    std::optional<Clustering> clustering;
};

// Bound on the rounding errors of |x|^2 + |c|^2 - 2 x.c, with squares and products that are exact.
double error_of_entries(std::size_t d, double square, double centre_square) {
    return 2 * test::gamma(3 * d + 3, test::double_unit) * (square + centre_square);
}

void expect_true_distances_of_entries(const Clustering& c) {
    for (Slot slot = 0; slot < c.window.size(); slot += 7) {
        const std::vector<float> away(c.distances(slot), c.distances(slot) + c.k);
        const double square = square_of(c.window.features(slot), c.d);
        for (std::size_t l = 0; l < c.k; ++l) {
            const double exact = squared_distance<float>(c.window, slot, c.state.centres, l);
            const double rounding = error_of_entries(c.d, square, square_of(&c.state.centres[l * c.d], c.d));
            ASSERT_NEAR(c.distance(slot, static_cast<ClusterId>(l)), exact, rounding);
            ASSERT_NEAR(away[l], exact, rounding + test::gamma(c.d / 2 + 5, test::float_unit) * exact);
        }
        const std::span<const float> other(c.window.features(c.window.size() - 1 - slot), c.d);
        ASSERT_NEAR(c.distance_of_points(slot, c.window.size() - 1 - slot),
                    squared_distance<float>(c.window, slot, other, 0),
                    error_of_entries(c.d, square, square_of(other.data(), c.d)));
    }
}

TEST(SparsePoints, DistancesStayTrueWhileCentresMove) {
    for (const CentreUpdate update : {CentreUpdate::exact, CentreUpdate::paper}) {
        const Window window = window_of(category_format(), category_points(400, 1));
        BegunClustering begun({.clusters = 5, .centre_update = update}, window);
        Clustering& c = *begun.clustering;
        ASSERT_LT(c.work_of_distance(), 50) << "entries are listed";
        expect_true_distances_of_entries(c);
        Random random(3);
        for (int i = 0; i < 50; ++i) {
            const Slot slot = random.below(window.size());
            if (c.size(c.label(slot)) > 1) c.move(slot, static_cast<ClusterId>(random.below(5)));
        }
        expect_true_distances_of_entries(c);
        std::vector<ClusterId> labels(window.size());
        for (ClusterId& label : labels) label = static_cast<ClusterId>(random.below(5));
        c.relabel_all(labels);
        c.refresh_centres();
        expect_true_distances_of_entries(c);
    }
}

TEST(SparsePoints, DenseRowsAreNotListed) {
    const Window window = window_of(test::two_attributes(), test::mixture(test::two_attributes(), 300, 2));
    BegunClustering begun({.clusters = 3}, window);
    EXPECT_EQ(begun.clustering->work_of_distance(), window.dimensions());
    expect_true_distances_of_entries(*begun.clustering);
}

// Labels of rounds from the same centres are nearest, so they differ only where two centres are equally near.
TEST(SparsePoints, RoundsLeadToMeansOfNearestPoints) {
    for (const bool has_weights : {false, true}) {
        const Window window = window_of(category_format(has_weights), category_points(500, 4, has_weights));
        const std::vector<float> centres(window.features(0), window.features(5));
        const std::vector<std::uint32_t> attributes{0};
        FairLloyd lloyd(window, centres, attributes);
        ASSERT_LT(lloyd.converge({}, 300), 300);
        std::vector<ClusterId> labels(window.size());
        lloyd.copy_labels(labels);
        const double tolerance = test::gamma(window.dimensions() + 5, test::float_unit) * 10;
        for (Slot slot = 0; slot < window.size(); ++slot) {
            const double own =
                squared_distance<float>(window, slot, lloyd.centres(), static_cast<std::size_t>(labels[slot]));
            for (std::size_t l = 0; l < 5; ++l)
                ASSERT_LE(own, squared_distance<float>(window, slot, lloyd.centres(), l) + tolerance);
        }
    }
}

TEST(SparsePoints, SearchesMeetTargetsAtTheCostTheyState) {
    for (const bool has_weights : {false, true}) {
        test::ModelBench<Model> bench({.clusters = 4, .targets = {.balance_at_least = 0.6}, .starts = 2},
                                      category_format(has_weights), 600);
        bench.ingest(category_points(600, 6, has_weights).view());
        const StepReport<ClusterId>& report = bench.improve();
        EXPECT_EQ(report.solve.outcome, Outcome::converged);
        EXPECT_GE(minimum_balance(bench.state.tally, 0), 0.6);
        EXPECT_NO_THROW(Model::verify(bench.options, bench.state, bench.window)) << "sums are those of the points";
        if (has_weights) continue;
        EXPECT_NEAR(report.solve.objective, cost(bench.window, bench.state.labels, 4), 1e-6);
    }
}

}  // namespace
}  // namespace fairstream::safairkm
