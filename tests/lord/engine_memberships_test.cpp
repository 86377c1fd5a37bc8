/// Memberships in an engine's answers.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
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

/// Points around three places, in turn.
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

using Row = std::span<const float>;

Row row_of(std::span<const float> memberships, std::size_t i) {
    return memberships.subspan(i * clusters, clusters);
}

void expect_rows(std::span<const float> memberships, std::size_t n) {
    ASSERT_EQ(memberships.size(), n * clusters);
    for (std::size_t i = 0; i < n; ++i) {
        const Row row = row_of(memberships, i);
        EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5) << i;
    }
}

ClusterId most_probable(Row row) {
    return static_cast<ClusterId>(std::ranges::max_element(row) - row.begin());
}

TEST(Memberships, AreThoseOfTheRetainedPointsBySlot) {
    Engine running = engine({{"soft", options(), {}}});
    EXPECT_TRUE(running.memberships("soft").empty()) << "it is warming";
    running.ingest(points(2).view());
    EXPECT_TRUE(running.memberships("soft").empty()) << "it is warming";
    running.ingest(points(90).view());
    running.ingest(points(60, 90).view());
    const auto found = running.memberships("soft");
    expect_rows(found, 100);
    for (Slot slot = 0; slot < 100; ++slot)
        EXPECT_EQ(running.labels("soft")[slot], most_probable(row_of(found, slot))) << slot;
}

TEST(Memberships, PredictNewPointsLikeAssign) {
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

TEST(Memberships, PredictPointsAfterBackgroundStep) {
    Engine running = engine({{"soft", options(), {.every = 30}}});
    for (PointId first = 0; first < 150; first += 15) running.ingest(points(15, first).view());
    const auto found = running.memberships("soft");
    expect_rows(found, 100);
    // The visible step began with point 90. It predicts the later points; some earlier ones were predicted by an
    // earlier step.
    for (PointId id = 120; id < 150; ++id) {
        const Slot slot = running.window().find(id).value();
        std::vector<float> predicted(clusters);
        running.predict_memberships("soft", {running.window().features(slot), dimensions}, predicted);
        EXPECT_TRUE(std::ranges::equal(row_of(found, slot), predicted)) << id;
    }
}

using View = std::map<PointId, std::vector<float>>;

/// Folds the changes of an event.
void fold(const Engine& engine, const Update& update, View& view) {
    for (const PointId id : update.models[0].labels().departed) view.erase(id);
    std::set<PointId> listed;
    for (const PointId id : update.models[0].rows_of[RowKind::memberships]) {
        EXPECT_TRUE(listed.insert(id).second) << id << " is listed twice";
        const Row row = row_of(engine.memberships("soft"), engine.window().find(id).value());
        view[id] = {row.begin(), row.end()};
    }
}

void expect_within_a_per_cent(const Engine& engine, const View& view) {
    const auto all = engine.memberships("soft");
    ASSERT_EQ(view.size() * clusters, all.size());
    for (const auto& [id, row] : view) {
        const Row now = row_of(all, engine.window().find(id).value());
        for (std::size_t l = 0; l < clusters; ++l) ASSERT_NEAR(now[l], row[l], 0.01) << id;
    }
}

struct Stream {
    const char* name;
    Schedule schedule;
    WindowOptions window;
};

class ChangedMemberships : public testing::TestWithParam<Stream> {
protected:
    [[nodiscard]] Engine start() const {
        EngineOptions setup;
        setup.format.dimensions = dimensions;
        setup.window = GetParam().window;
        setup.models = {{"soft", options(), GetParam().schedule}};
        return Engine(setup);
    }
    /// The i-th event: new points, sometimes some earlier ones, or more than the window holds.
    static PointColumns event(std::size_t i) {
        PointColumns batch = points(i % 11 == 10 ? 130 : 7, 20 * i);
        if (i % 3 == 2)
            for (PointId& id : batch.ids) id -= 10;
        return batch;
    }
};

TEST_P(ChangedMemberships, AddUpToThoseOfAllPoints) {
    Engine running = start();
    View view;
    std::size_t told = 0, visible = 0;
    for (std::size_t i = 0; i < 60; ++i) {
        if (i == 30) running = Engine::load(start().options(), running.save());
        PointColumns batch = event(i);
        PointBatch columns = batch.view();
        columns.event_time = static_cast<std::int64_t>(i * (i % 20 == 19 ? 7 : 1));
        const Update& update = running.ingest(columns);
        fold(running, update, view);
        expect_within_a_per_cent(running, view);
        told += update.models[0].rows_of[RowKind::memberships].size();
        visible += running.memberships("soft").size() / clusters;
        if (i == 45) fold(running, running.ingest(KnobChange{"soft", "tau", "0.5"}), view);
    }
    EXPECT_GT(visible, 1000U);
    EXPECT_LT(told, visible) << "most stay as they are";
}

INSTANTIATE_TEST_SUITE_P(
    Streams, ChangedMemberships,
    testing::Values(Stream{"live", {}, {.capacity = 80}}, Stream{"scheduled", {.every = 30}, {.capacity = 80}},
                    Stream{"by_age", {}, {.capacity = 80, .max_age = 8}},
                    Stream{"scheduled_by_age", {.every = 30}, {.capacity = 80, .max_age = 8}},
                    Stream{"reservoir", {.every = 25}, {.capacity = 80, .policy = WindowPolicy::reservoir}}),
    [](const auto& stream) { return std::string(stream.param.name); });

TEST(Memberships, RefuseOtherModelsAndShapes) {
    safairkm::Options plain;
    plain.clusters = clusters;
    Engine running = engine({{"soft", options(), {}}, {"hard", plain, {}}});
    running.ingest(points(90).view());
    std::vector<float> out(clusters);
    const std::vector<float> row(dimensions);
    expect_refused(Reason::unknown_request, {"model hard ", "memberships", "safairkm"},
                   [&] { (void)running.memberships("hard"); });
    expect_refused(Reason::unknown_request, {"model hard ", "memberships"},
                   [&] { running.predict_memberships("hard", row, out); });
    expect_refused(Reason::wrong_shape, {"2 memberships", "multiple of 3"}, [&] {
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
