/// Memberships as an engine answers for them.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/models/lord/lord.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

#include "support/refusal.hpp"

namespace fairstream::lord {
namespace {

using test::expect_refused;

constexpr std::size_t clusters = 3, dimensions = 2;

Options options() {
    Options options;
    options.clusters = clusters;
    options.starts = 2;
    return options;
}

/// Points about three places, in their order.
PointColumns points(std::size_t n, PointId first = 0) {
    std::mt19937_64 random(first + 7);
    PointColumns points;
    for (std::size_t i = 0; i < n; ++i) {
        points.ids.push_back(first + i);
        points.features.push_back(static_cast<float>(i % 3 == 1) * 5 + static_cast<float>(random() % 1000) / 1000);
        points.features.push_back(static_cast<float>(i % 3 == 2) * 5 + static_cast<float>(random() % 1000) / 1000);
    }
    return points;
}

Engine engine(std::vector<ModelSetup> models, Slot capacity = 100) {
    return Engine(
        {.format = {.dimensions = dimensions}, .window = {.capacity = capacity}, .models = std::move(models)});
}

void expect_rows(const Matrix& memberships, std::size_t n) {
    ASSERT_EQ(memberships.rows, n);
    ASSERT_EQ(memberships.cols, clusters);
    for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(std::accumulate(memberships.row(i), memberships.row(i) + clusters, 0.0), 1, 1e-5) << i;
}
ClusterId most_probable(const Matrix& memberships, std::size_t i) {
    return static_cast<ClusterId>(std::max_element(memberships.row(i), memberships.row(i) + clusters) -
                                  memberships.row(i));
}

TEST(Memberships, AreThoseOfTheRetainedPointsBySlot) {
    Engine running = engine({{"soft", options(), {}}});
    EXPECT_EQ(running.memberships("soft").rows, 0U) << "it is warming";
    running.ingest(points(2).view());
    EXPECT_EQ(running.memberships("soft").rows, 0U) << "it is warming";
    running.ingest(points(90).view());
    running.ingest(points(60, 90).view());
    const Matrix found = running.memberships("soft");
    expect_rows(found, 100);
    for (Slot slot = 0; slot < 100; ++slot) EXPECT_EQ(running.labels("soft")[slot], most_probable(found, slot)) << slot;
}

TEST(Memberships, ArePredictedForNewPointsAndSayWhereTheyAreAssigned) {
    Engine running = engine({{"soft", options(), {}}});
    const PointColumns fresh = points(9, 1000);
    std::vector<float> predicted(9 * clusters, 1.0F);
    running.predict_memberships("soft", fresh.features, predicted);
    EXPECT_EQ(predicted, std::vector<float>(9 * clusters, 0.0F)) << "it is warming";
    running.ingest(points(90).view());
    running.predict_memberships("soft", fresh.features, predicted);
    std::vector<ClusterId> assigned(9);
    running.assign("soft", fresh.features, assigned);
    for (std::size_t i = 0; i < 9; ++i) {
        const auto row = predicted.begin() + static_cast<std::ptrdiff_t>(i * clusters);
        EXPECT_NEAR(std::accumulate(row, row + clusters, 0.0), 1, 1e-5);
        EXPECT_EQ(std::max_element(row, row + clusters) - row, assigned[i]) << i;
    }
}

// The step that is visible is of fewer points than are retained.
TEST(Memberships, OfAModelThatStepsBesideTheStreamArePredictedForAllPoints) {
    Engine running = engine({{"soft", options(), {.every = 30}}});
    for (PointId first = 0; first < 150; first += 15) running.ingest(points(15, first).view());
    const Matrix found = running.memberships("soft");
    expect_rows(found, 100);
    std::vector<float> predicted(100 * clusters);
    running.predict_memberships("soft", {running.window().features(0), 100 * dimensions}, predicted);
    EXPECT_TRUE(std::ranges::equal(found.values, predicted));
}

TEST(Memberships, AreRefusedForModelsWithoutAndForWrongShapes) {
    safairkm::Options plain;
    plain.clusters = clusters;
    Engine running = engine({{"soft", options(), {}}, {"hard", plain, {}}});
    running.ingest(points(90).view());
    std::vector<float> out(clusters);
    const std::vector<float> row(dimensions);
    expect_refused(Reason::unknown_request, {"model hard has no memberships", "safairkm"},
                   [&] { (void)running.memberships("hard"); });
    expect_refused(Reason::unknown_request, {"model hard has no memberships"},
                   [&] { running.predict_memberships("hard", row, out); });
    expect_refused(Reason::wrong_shape, {"room for 2 memberships", "multiple of 3"}, [&] {
        running.predict_memberships("soft", row, {out.data(), 2});
    });
    expect_refused(Reason::wrong_shape, {"2 features for 2 points"}, [&] {
        std::vector<float> two(2 * clusters);
        running.predict_memberships("soft", row, two);
    });
    EXPECT_THROW((void)running.memberships("none"), InvalidInput);
}

}  // namespace
}  // namespace fairstream::lord
