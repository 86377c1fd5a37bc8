// Engines whose streams carry raw values, weights and times: taken, asked and saved.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>

#include "engine_setups.hpp"

namespace fairstream::test {
namespace {

constexpr float not_there = std::numeric_limits<float>::quiet_NaN();

// Age, which may be missing, and job, one of two levels or another text.
EngineOptions raw_setup() {
    EngineOptions options = setup({model("fair", {{"clusters", "2"}})}, 50, 2);
    options.format.columns = {{"age", {}, true}, {"job", {"clerk", "farmer"}}};
    options.prepare.columns = {{.scale = Scale::running, .missing = Missing::indicator},
                               {.missing = Missing::most_frequent}};
    return options;
}

PointColumns raw_points(std::vector<float> features, PointId first = 0) {
    PointColumns points{.ids = {}, .features = std::move(features), .groups = {}, .targets = {}};
    for (std::size_t i = 0; i < points.features.size() / 2; ++i) {
        points.ids.push_back(first + i);
        points.groups.insert(points.groups.end(), {static_cast<GroupId>(i % 2), 0});
    }
    return points;
}

TEST(EnginePreparation, ModelsSeePreparedEventsRaw) {
    Engine engine(raw_setup());
    EXPECT_EQ(engine.window().dimensions(), 5U);
    engine.ingest(raw_points({20, 0, 40, 1, not_there, 7}).view());
    EXPECT_EQ(engine.window().features(0)[0], -1);
    EXPECT_EQ(engine.window().features(2)[0], 0) << "filled in by the mean";
    EXPECT_EQ(engine.window().features(2)[1], 1) << "and said to be missing";
    EXPECT_EQ(engine.window().features(2)[4], 1) << "a level that is not listed";
    EXPECT_EQ(engine.report("fair").centres.size(), 2U * 5);
}

TEST(EnginePreparation, QuestionsGoThroughTheSamePreparation) {
    Engine engine(raw_setup());
    engine.ingest(raw_points({20, 0, 21, 0, 40, 1, 41, 1}).view());
    const std::vector<float> rows = {20.5F, 0, 40.5F, 1};
    std::vector<ClusterId> labels(2);
    engine.assign("fair", rows, labels);
    EXPECT_EQ(labels[0], engine.labels("fair")[0]);
    EXPECT_EQ(labels[1], engine.labels("fair")[2]);
    std::vector<float> prepared(2 * 5);
    engine.prepare(rows, prepared);
    EXPECT_NEAR(prepared[0], -prepared[5], 1e-6);
    std::vector<float> too_short(9);
    EXPECT_THROW(engine.prepare(rows, too_short), InvalidInput);
    const std::vector<float> of_prepared_width(10);
    EXPECT_THROW(engine.assign("fair", of_prepared_width, labels), InvalidInput) << "rows are as events have them";
}

TEST(EnginePreparation, ImpossibleValuesAreRefusedWithoutChange) {
    Engine engine(raw_setup());
    engine.ingest(raw_points({20, 0, 40, 1}).view());
    const std::vector<std::byte> before = engine.save();
    const auto refused = [&](std::vector<float> features, const std::string& named) {
        try {
            engine.ingest(raw_points(std::move(features), 10).view());
            ADD_FAILURE() << named;
        } catch (const InvalidInput& error) {
            EXPECT_EQ(error.reason(), Reason::bad_feature);
            EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
        }
    };
    refused({20, not_there}, "feature 1 of point 10");
    refused({20, 0.5F}, "feature 1 of point 10");
    refused({20, -1}, "feature 1 of point 10");
    refused({2e15F, 0}, "feature 0 of point 10");
    EXPECT_EQ(engine.save(), before);
}

TEST(EnginePreparation, LateEventIsCountedOnly) {
    EngineOptions options = raw_setup();
    options.window.max_age = 100;
    Engine engine(options);
    PointColumns now = raw_points({20, 0, 40, 1}), late = raw_points({9000, 0, 9000, 1}, 10);
    now.event_time = 1000;
    late.event_time = 899;
    engine.ingest(now.view());
    const Update& update = engine.ingest(late.view());
    EXPECT_EQ(update.sequence, 2U);
    EXPECT_EQ(update.arrivals.late, 2U);
    EXPECT_TRUE(update.models[0].labels().empty());
    EXPECT_EQ(engine.window().size(), 2U);
    engine.ingest(raw_points({}).view());
    EXPECT_EQ(engine.window().features(0)[0], -1) << "in the measure of the points that were in time";
}

TEST(EnginePreparation, WeightsAreTakenWhereTheStreamHasThem) {
    EngineOptions options = setup({model("fair", {{"clusters", "2"}})}, 50, 2);
    PointColumns points = raw_points({1, 0, 2, 0, 30, 1, 31, 1});
    points.weights = {1, 2, 3, 4};
    try {
        Engine(options).ingest(points.view());
        ADD_FAILURE() << "weights without has_weights";
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.reason(), Reason::bad_weight);
    }
    options.format.has_weights = true;
    Engine engine(options);
    const Update& update = engine.ingest(points.view());
    EXPECT_EQ(update.models[0].tally().total_weight(), 10);
    EXPECT_EQ(update.models[0].tally().total(), 4);
    EXPECT_NEAR(update.models[0].cost, (2.0 / 3 + 12.0 / 7) / 10, 1e-6) << "a weighted mean of squares";
}

TEST(EnginePreparation, DecayingFiguresUseCurrentWeights) {
    EngineOptions options = setup({model("fair", {{"clusters", "2"}})}, 50, 2);
    options.window.half_life.points = 2;
    Engine engine(options);
    engine.ingest(raw_points({1, 0, 2, 0}).view());
    const Update& update = engine.ingest(raw_points({30, 1, 31, 1}, 10).view());
    EXPECT_NEAR(update.models[0].tally().total_weight(), 1 + std::exp2(-0.5) + 0.5 + std::exp2(-1.5), 1e-12);
    EXPECT_EQ(update.models[0].tally().total(), 4);
}

TEST(EnginePreparation, SavedUnderOtherPreparationIsRefusedByName) {
    Engine engine(raw_setup());
    engine.ingest(raw_points({20, 0, 40, 1}).view());
    const std::vector<std::byte> bytes = engine.save();
    EXPECT_EQ(Engine::load(raw_setup(), bytes).save(), bytes);
    const auto refused = [&](auto&& change, const std::string& named) {
        EngineOptions other = raw_setup();
        change(other);
        EXPECT_NE(canonical_text(other), canonical_text(raw_setup()));
        try {
            (void)Engine::load(other, bytes);
            ADD_FAILURE() << named;
        } catch (const InvalidInput& error) {
            EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
        }
    };
    refused([](EngineOptions& o) { o.prepare.columns[0].log = true; }, "prepare.0");
    refused([](EngineOptions& o) { o.prepare.renew_every = 5; }, "prepare.every");
    refused([](EngineOptions& o) { o.prepare.columns[0].fill = 5; }, "prepare.0");
    refused([](EngineOptions& o) { o.window.max_age = 5; }, "max_age");
    refused([](EngineOptions& o) { o.window.half_life.time = 5; }, "half_life");
    refused([](EngineOptions& o) { o.format.columns[1].levels[1] = "x"; }, "stream.column");
    refused([](EngineOptions& o) { o.format.has_weights = true; }, "stream.weights");
    refused([](EngineOptions& o) { o.format.attributes[0].has_unknown = true; }, "stream.unknown");
}

TEST(EnginePreparation, WrongPointLengthIsRefusedByName) {
    EngineOptions options = raw_setup();
    options.prepare.columns[0] = {.missing = Missing::mean, .fill = 30};
    Engine engine(options);
    engine.ingest(raw_points({20, 0, 40, 1}).view());
    const std::vector<std::byte> bytes = engine.save();
    options.prepare.unit_rows = true;
    try {
        (void)Engine::load(options, bytes);
        ADD_FAILURE() << "loaded";
    } catch (const InvalidInput& error) {
        EXPECT_NE(std::string(error.what()).find("prepare.unit_rows"), std::string::npos) << error.what();
    }
}

TEST(EnginePreparation, LightPointsCountAfterHeavyOnesLeft) {
    EngineOptions options = setup({model("fair", {{"clusters", "2"}})}, 100, 1);
    options.format.has_weights = true;
    options.models[0].schedule.every = 50;
    Engine engine(options);
    PointId next = 0;
    for (int batch = 0; batch < 30; ++batch) {
        PointColumns points;
        for (int i = 0; i < 10; ++i) {
            points.ids.push_back(next++);
            points.features.push_back(static_cast<float>(i % 2 * 10 + batch % 3));
            points.groups.insert(points.groups.end(), {static_cast<GroupId>(i / 5), 0});
            points.weights.push_back(batch == 10 && i == 3 ? 5.5e14 : 1.1);
        }
        engine.ingest(points.view());
    }
    EXPECT_NEAR(engine.report("fair").tally().total_weight(), 110, 1e-9);
    const std::vector<std::byte> bytes = engine.save();
    EXPECT_EQ(Engine::load(options, bytes).save(), bytes);
}

TEST(EnginePreparation, IndicatorsDifferFromLevelNames) {
    EngineOptions missing = raw_setup(), named = raw_setup();
    missing.format.columns[1] = {"job", {"x"}, true};
    named.format.columns[1] = {"job", {"x or missing"}};
    EXPECT_NE(canonical_text(missing), canonical_text(named));
}

TEST(EnginePreparation, UnknownGroupCountsInNoFigure) {
    EngineOptions options = setup({model("fair", {{"clusters", "1"}})}, 50, 2);
    options.format.attributes[0] = {"sex", {"f", "m", "unknown"}, true};
    Engine engine(options);
    PointColumns points = raw_points({1, 0, 2, 0, 3, 0, 4, 0, 5, 0});
    points.groups = {0, 0, 1, 0, 1, 0, 2, 0, 2, 0};
    const FairnessTally tally = engine.ingest(points.view()).models[0].tally();
    EXPECT_EQ(tally.count(0, 0, 2), 2) << "they are counted apart";
    EXPECT_EQ(minimum_balance(tally, 0), 0.5) << "one woman to two men";
    const AttributeFairness fairness = attribute_fairness(tally, 0);
    EXPECT_EQ(fairness.stream_shares, (std::vector<double>{1.0 / 3, 2.0 / 3}));
    EXPECT_EQ(fairness.parity, 1);
}

}  // namespace
}  // namespace fairstream::test
