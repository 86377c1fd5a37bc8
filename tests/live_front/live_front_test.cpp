/// Several operating points over one window: each equals the clustering it would be alone, and the published one may
/// change.

#include <gtest/gtest.h>

#include <map>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/live_front/live_front.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

#include "support/names.hpp"
#include "support/streams.hpp"

namespace fairstream {
namespace {

using test::batches;
using test::Names;
using test::two_attributes;

live_front::Options five_points() {
    live_front::Options o;
    o.common.clusters = 5;
    o.common.effort = 4;
    o.common.targets.rare_below = 0;
    o.common.starts = 1;
    o.kmeans_updates = {32, 32, 16, 16, 16};
    o.swaps = {0, 4, 8, 0, 0};
    o.balance_at_least = {0, 0, 0, 0.3, 0.5};
    return o;
}

safairkm::Options alone(const live_front::Options& options, std::size_t i) {
    safairkm::Options point = options.common;
    point.kmeans_updates = options.kmeans_updates.of(i);
    point.swaps = options.swaps.of(i);
    point.targets.balance_at_least = options.balance_at_least.of(i);
    point.targets.parity_at_least = 0;
    point.effort = options.common.effort * 4 / 5;  // five points spend as much as four
    return point;
}

EngineOptions engine_options(const ModelOptions& options) {
    return {.format = two_attributes(), .window = {.capacity = 300}, .models = {{"m", options, {}}}};
}

std::vector<ClusterId> labels(const Engine& engine) {
    return {engine.labels("m").begin(), engine.labels("m").end()};
}

TEST(LiveFront, PointsAreIndependentWithoutReplacement) {
    live_front::Options options = five_points();
    options.dominated = live_front::Dominated::keep;
    Engine together(engine_options(options));
    std::vector<Engine> apart;
    for (std::size_t i = 0; i < 5; ++i) apart.emplace_back(engine_options(alone(options, i)));
    for (const PointColumns& batch : batches(two_attributes(), 30, 70, 3)) {
        const std::vector<OperatingPoint> front = together.ingest(batch.view()).models[0].front;
        ASSERT_EQ(front.size(), 5U);
        for (std::size_t i = 0; i < 5; ++i) {
            const ModelUpdate& update = apart[i].ingest(batch.view()).models[0];
            EXPECT_EQ(front[i].cost, update.cost);
            EXPECT_EQ(front[i].balance, minimum_balance(update.tally(), 0));
            EXPECT_EQ(front[i].published, i == 0);
            EXPECT_TRUE(update.front.empty());
        }
    }
    EXPECT_EQ(labels(together), labels(apart[0]));
}

TEST(LiveFront, PointsWithHigherTargetsAreFairerAndDearer) {
    live_front::Options options = five_points();
    options.swaps = 0;
    options.kmeans_updates = 64;
    options.balance_at_least = {0, 0.2, 0.4, 0.6};
    Engine engine(engine_options(options));
    std::vector<double> costs(4);
    for (const PointColumns& batch : batches(two_attributes(), 40, 70, 4)) {
        const std::vector<OperatingPoint>& front = engine.ingest(batch.view()).models[0].front;
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_GE(front[i].balance, front[i].balance_at_least);
            costs[i] += front[i].cost;
        }
    }
    for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(costs[i - 1], costs[i]) << "summed over the stream";
}

TEST(LiveFront, DominatedPointIsReplaced) {
    // Starts, and the optima they end in, differ between seeds: over many seeds some points fall behind.
    double kept = 0, replaced = 0;
    int better = 0;
    for (std::uint64_t seed = 1; seed <= 48; ++seed) {
        live_front::Options options = five_points();
        options.kmeans_updates = 32;
        options.swaps = 0;
        options.balance_at_least = {0, 0.1, 0.2, 0.3};
        options.common.clusters = 8;
        options.common.seed = seed;
        EngineOptions replacing = engine_options(options);
        options.dominated = live_front::Dominated::keep;
        Engine alone(engine_options(options)), together(replacing);
        for (const PointColumns& batch : batches(two_attributes(), 64, 70, 100 + seed)) {
            alone.ingest(batch.view());
            together.ingest(batch.view());
        }
        // The 64th step replaces points: none is dominated by more than the step is worth.
        const std::vector<OperatingPoint> front = together.report("m").front;
        for (const OperatingPoint& a : front)
            for (const OperatingPoint& b : front)
                if (b.balance >= std::max(a.balance, a.balance_at_least)) {
                    EXPECT_GE(b.cost, a.cost * (1 - 1e-3));
                }
        const double before = alone.report("m").front[0].cost, after = front[0].cost;
        kept += before;
        replaced += after;
        better += after < before ? 1 : 0;
    }
    EXPECT_GT(better, 0) << "or the test shows nothing";
    EXPECT_LT(replaced, kept);
}

TEST(LiveFront, KnobPublishesAnotherPoint) {
    const live_front::Options options = five_points();
    Engine engine(engine_options(options));
    std::map<PointId, ClusterId> view;
    const auto fold = [&](const Update& update) {
        for (const PointId id : update.models[0].labels().departed) view.erase(id);
        for (std::size_t i = 0; i < update.models[0].labels().ids.size(); ++i) {
            const PointId id = update.models[0].labels().ids[i];
            if (const auto known = view.find(id); known != view.end()) {
                EXPECT_EQ(known->second, update.models[0].labels().before[i]);
            }
            view[id] = update.models[0].labels().after[i];
        }
    };
    int published = 0;
    for (const PointColumns& batch : batches(two_attributes(), 30, 70, 5)) {
        fold(engine.ingest(batch.view()));
        published = (published + 3) % 5;
        const Update& update = engine.ingest(KnobChange{"m", "published", std::to_string(published)});
        EXPECT_TRUE(update.models[0].changed);
        fold(update);
        const std::vector<OperatingPoint>& front = update.models[0].front;
        for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(front[i].published, static_cast<int>(i) == published);
        EXPECT_EQ(update.models[0].cost, front[static_cast<std::size_t>(published)].cost);
        EXPECT_EQ(minimum_balance(update.models[0].tally(), 0), front[static_cast<std::size_t>(published)].balance);
        std::map<PointId, ClusterId> held;
        for (Slot slot = 0; slot < engine.window().size(); ++slot)
            held[engine.window().id(slot)] = engine.labels("m")[slot];
        EXPECT_EQ(view, held);
    }
}

TEST(LiveFront, NamesSurvivePublishing) {
    live_front::Options options = five_points();
    options.swaps = 0;
    options.balance_at_least = {0.1, 0.11};
    options.kmeans_updates = 64;
    Engine engine(engine_options(options));
    for (const PointColumns& batch : batches(two_attributes(), 60, 70, 6)) engine.ingest(batch.view());
    // At nearly the same balance the clusters are nearly the same; under other names most points would seem to move.
    const Update& update = engine.ingest(KnobChange{"m", "published", "1"});
    EXPECT_LT(update.models[0].churn, 0.5);
}

TEST(LiveFront, TheNumberOfPointsStaysWhileItRuns) {
    Engine engine(engine_options(five_points()));
    for (const PointColumns& batch : batches(two_attributes(), 5, 70, 7)) engine.ingest(batch.view());
    const auto refused = [&](const std::string& option, const std::string& value) {
        try {
            engine.ingest(KnobChange{"m", option, value});
        } catch (const InvalidInput& error) {
            return std::string(error.what());
        }
        return std::string("taken");
    };
    EXPECT_THAT(refused("swaps", "1,2,3"), Names({"swaps = 1,2,3: ", "5 operating points"}));
    EXPECT_EQ(refused("balance_at_least", "0.1"), "taken") << "one value for all; the others still say five";
    EXPECT_EQ(refused("kmeans_updates", "16"), "taken");
    EXPECT_NE(refused("swaps", "4").find("fewer than 5 operating points"), std::string::npos);
    EXPECT_EQ(engine.report("m").front.size(), 5U);
}

TEST(LiveFront, AScheduledOneSwitchesWithItsNextStep) {
    live_front::Options options = five_points();
    EngineOptions setup = engine_options(options);
    setup.models[0].schedule.every = 100;
    Engine engine(setup), loaded(setup);
    const std::vector<PointColumns> stream = batches(two_attributes(), 40, 70, 8);
    for (std::size_t i = 0; i < 20; ++i) engine.ingest(stream[i].view());
    engine.ingest(KnobChange{"m", "balance_at_least", "0,0,0,0.3,0.5"});
    engine.ingest(KnobChange{"m", "published", "4"});
    loaded = Engine::load(setup, engine.save());
    for (std::size_t i = 20; i < 40; ++i) {
        engine.ingest(stream[i].view());
        loaded.ingest(stream[i].view());
    }
    EXPECT_TRUE(engine.report("m").front[4].published);
    EXPECT_EQ(engine.save(), loaded.save());
}

TEST(LiveFront, ImpossibleOptionsAreRefusedByName) {
    const auto refused = [](const live_front::Options& options) {
        try {
            Engine engine(engine_options(options));
        } catch (const InvalidInput& error) {
            return std::string(error.what());
        }
        return std::string("taken");
    };
    live_front::Options lengths = five_points();
    lengths.swaps = {1, 2};
    EXPECT_NE(refused(lengths).find("swaps = 1,2: there are 5 operating points"), std::string::npos)
        << refused(lengths);
    live_front::Options published = five_points();
    published.published = 5;
    EXPECT_NE(refused(published).find("published = 5: there are 5 operating points"), std::string::npos)
        << refused(published);
    live_front::Options attributes = five_points();
    attributes.common.targets.attribute = {0, 1};
    EXPECT_NE(refused(attributes).find("attribute = sex,age"), std::string::npos) << refused(attributes);
    live_front::Options many = five_points();
    many.kmeans_updates = 1;
    many.swaps = 1;
    many.balance_at_least = OneOrMore<double>(std::vector<double>(65, 0.1));
    EXPECT_NE(refused(many).find("65 operating points: must be at most 64"), std::string::npos) << refused(many);
}

TEST(LiveFront, FiguresUseTargetedGroups) {
    const StreamFormat format{.dimensions = 1, .attributes = {{"g", {"a", "b", "c"}}}};
    PointColumns points;
    for (std::size_t i = 0; i < 90; ++i) {
        points.ids.push_back(i);
        points.features.push_back(static_cast<float>(i % 13));
        points.groups.push_back(i < 3 ? GroupId{2} : static_cast<GroupId>(i % 2));
    }
    live_front::Options options;
    options.common.clusters = 3;
    options.balance_at_least = {0, 0.5};
    options.published = 1;
    const auto figure = [&](double rare_below) {
        options.common.targets.rare_below = rare_below;
        Engine engine({.format = format, .window = {.capacity = 90}, .models = {{"m", options, {}}}});
        engine.ingest(points.view());
        engine.ingest(Refinement{"m", 0});
        return value_of(engine.report("m").figures, "balance_without_rare");
    };
    ASSERT_TRUE(figure(5).has_value()) << "3 points of c are too few for 3 clusters";
    EXPECT_GE(*figure(5), 0.5);
    EXPECT_FALSE(figure(0).has_value());
}

}  // namespace
}  // namespace fairstream
