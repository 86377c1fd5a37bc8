/// A live model that improves itself beside the stream: its promises meanwhile.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>

#include "support/streams.hpp"

namespace fairstream {
namespace {

using test::batches;
using test::two_attributes;

safairkm::Options improving(double effort) {
    safairkm::Options options;
    options.clusters = 5;
    options.targets.balance_at_least = 0.5;
    options.targets.rare_below = 0;
    options.effort = effort;
    return options;
}

EngineOptions engine_options(double effort, Slot capacity = 600) {
    return {.format = two_attributes(), .window = {.capacity = capacity}, .models = {{"m", improving(effort), {}}}};
}

std::vector<PointColumns> stream() {
    return batches(two_attributes(), 40, 60, 5, 0.05F);
}

TEST(Improvement, IsTheSameAtAnyNumberOfThreads) {
    Engine one(engine_options(4), 1), four(engine_options(4), 4);
    for (const PointColumns& batch : stream())
        ASSERT_EQ(one.ingest(batch.view()).models[0].labels(), four.ingest(batch.view()).models[0].labels());
    EXPECT_EQ(one.save(), four.save());
}

TEST(Improvement, ContinuesAfterLoad) {
    Engine whole(engine_options(4));
    Engine resumed(engine_options(4));
    for (const PointColumns& batch : stream()) {
        const Changes<ClusterId> changes = whole.ingest(batch.view()).models[0].labels();
        ASSERT_EQ(resumed.ingest(batch.view()).models[0].labels(), changes);
        resumed = Engine::load(engine_options(4), resumed.save());
    }
    EXPECT_EQ(whole.save(), resumed.save());
}

TEST(Improvement, LowersCostAndKeepsTarget) {
    Engine idle(engine_options(0)), busy(engine_options(4));
    double without = 0, with = 0;
    int prices = 0;
    for (const PointColumns& batch : stream()) {
        without += idle.ingest(batch.view()).models[0].cost;
        const ModelUpdate& update = busy.ingest(batch.view()).models[0];
        with += update.cost;
        if (update.solve.outcome == Outcome::converged) {
            EXPECT_GE(minimum_balance(update.tally(), 0), 0.5);
        }
        EXPECT_NE(update.solve.outcome, Outcome::stalled);
        prices += busy.report("m").figure("plain_cost").has_value();
    }
    EXPECT_LT(with, without);
    EXPECT_GT(prices, 20) << "of 40 batches";
}

// The price compares costs of one set of points: costs of other points, closer together, would make a target cheaper
// than none.
TEST(Improvement, PriceUsesSamePoints) {
    Engine engine(engine_options(4));
    bool any = false;
    for (const float spread : {1.0F, 0.25F, 4.0F})
        for (PointColumns& batch : stream()) {
            for (float& value : batch.features) value *= spread;
            (void)engine.ingest(batch.view());
            const ModelReport report = engine.report("m");
            if (!report.figure("price_of_fairness")) continue;
            any = true;
            EXPECT_GE(report.figure("price_of_fairness"), 0);
        }
    EXPECT_TRUE(any);
}

// A window that has changed has another price, so the old one is not shown beside its cost.
TEST(Improvement, PriceOfOtherPointsIsNotShown) {
    const safairkm::Options options = improving(4);
    Window window(two_attributes(), {.capacity = 600});
    safairkm::State state = safairkm::Model::start(options, window);
    safairkm::Workspace workspace;
    StepReport<ClusterId> report;
    const PointColumns points = test::mixture(two_attributes(), 600, 1);
    safairkm::Model::step(options, state, workspace, window, window.apply(points.view()), report);
    const double cost = safairkm::Model::objective(state);
    state.plain_cost = 0.8 * cost;
    state.fair_cost = 0.96 * cost;
    EXPECT_EQ(value_of(safairkm::Model::figures(options, state), "price_of_fairness"),
              state.fair_cost / state.plain_cost - 1);
    state.fair_cost = 0.85 * cost;
    EXPECT_FALSE(value_of(safairkm::Model::figures(options, state), "price_of_fairness"));
}

// Seven groups, one with few points more than clusters need: single updates reach dead ends there.
TEST(Improvement, AttainableTargetIsMetEveryBatch) {
    constexpr int clusters = 8;
    StreamFormat format{4, {{"origin", {"a", "b", "c", "d", "e", "f", "g"}}}, false};
    safairkm::Options options;
    options.clusters = clusters;
    options.targets.balance_at_least = 0.024;
    options.targets.rare_below = 0;
    Engine engine({.format = format, .window = {.capacity = 1500}, .models = {{"m", options, {}}}});
    Random random(3);
    std::size_t met = 0;
    for (PointId b = 0; b < 60; ++b) {
        PointColumns batch = test::mixture(format, 100, b, 100 * b, 5, 0.05F * static_cast<float>(b));
        // Group a has most points, g one in sixty.
        for (GroupId& group : batch.groups)
            group = random.below(60) == 0 ? GroupId{6} : random.below(2) == 0 ? GroupId{0} : group % 6;
        const ModelUpdate& update = engine.ingest(batch.view()).models[0];
        if (update.solve.outcome == Outcome::warming) continue;
        EXPECT_NE(update.solve.outcome, Outcome::stalled) << "batch " << b;
        const bool meets = minimum_balance(update.tally(), 0) >= 0.024;
        EXPECT_EQ(update.solve.outcome == Outcome::converged, meets);
        met += meets;
    }
    EXPECT_GT(met, 30U);
}

TEST(Improvement, TheChangesGiveTheLabels) {
    Engine engine(engine_options(4));
    std::map<PointId, ClusterId> view;
    for (const PointColumns& batch : stream()) {
        const Changes<ClusterId>& changes = engine.ingest(batch.view()).models[0].labels();
        for (const PointId id : changes.departed) view.erase(id);
        for (std::size_t i = 0; i < changes.ids.size(); ++i) view[changes.ids[i]] = changes.after[i];
    }
    ASSERT_EQ(view.size(), engine.window().size());
    for (Slot slot = 0; slot < engine.window().size(); ++slot)
        EXPECT_EQ(view.at(engine.window().id(slot)), engine.labels("m")[slot]);
}

TEST(Improvement, ItsEffortIsAKnob) {
    Engine engine(engine_options(0)), never(engine_options(0));
    const std::vector<PointColumns> all = stream();
    for (std::size_t b = 0; b < 20; ++b) {
        engine.ingest(all[b].view());
        never.ingest(all[b].view());
    }
    engine.ingest(KnobChange{"m", "effort", "16"});
    double with = 0, without = 0;
    for (std::size_t b = 20; b < 40; ++b) {
        with += engine.ingest(all[b].view()).models[0].cost;
        without += never.ingest(all[b].view()).models[0].cost;
    }
    EXPECT_LT(with, without);
    engine.ingest(KnobChange{"m", "effort", "0"});  // while a snapshot is worked on
    engine.ingest(all[0].view());
    EXPECT_EQ(engine.current_options("m").get<safairkm::Options>().effort, 0);
}

// Six blobs far from each other, whose places depend on `state`.
std::vector<PointColumns> blobs_in_state(std::uint64_t state, std::size_t count, PointId first_id) {
    Random places(97, state), random(state);
    std::vector<float> centres(6 * 4);
    for (float& x : centres) x = 12 * test::normal(places);
    std::vector<PointColumns> all(count);
    for (PointColumns& batch : all)
        for (int i = 0; i < 60; ++i) {
            const std::size_t blob = random.below(6);
            batch.ids.push_back(first_id++);
            for (std::size_t j = 0; j < 4; ++j) batch.features.push_back(centres[4 * blob + j] + test::normal(random));
            batch.groups.push_back(static_cast<GroupId>(random.below(2)));
            batch.groups.push_back(static_cast<GroupId>(random.below(3)));
        }
    return all;
}

// The clusters of before are of no use after a change; a model that only follows them misses whole blobs.
TEST(Improvement, FindsTheClustersOfAStreamThatChangesAtOnce) {
    constexpr int seeds = 10;
    for (const double balance : {0.0, 0.5}) {
        int found = 0;
        safairkm::Options options = improving(4);
        options.clusters = 6;
        options.targets.balance_at_least = balance;
        options.targets.parity_at_least = 0;
        const auto with = [&](double effort) {
            options.effort = effort;
            return EngineOptions{
                .format = two_attributes(), .window = {.capacity = 600}, .models = {{"m", options, {}}}};
        };
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            Engine live(with(4)), cold(with(0));
            PointId next = 0;
            const ModelUpdate* update = nullptr;
            for (const std::uint64_t state : {2 * seed, 2 * seed + 1}) {
                for (const PointColumns& batch : blobs_in_state(state, 30, next))
                    update = &live.ingest(batch.view()).models[0];
                next += 1800;
            }
            const double cost = update->cost;
            cold.ingest(live.window().points());
            found += cost < 1.05 * cold.ingest(Refinement{"m", 0}).models[0].cost ? 1 : 0;
        }
        // A search may end before it finds the last blob.
        EXPECT_GE(found, seeds - 1) << balance;
    }
}

// The number of improvements taken in is read from the saved model: each raises it by one.
TEST(Improvement, WaitsLongerWhileNothingIsGained) {
    Engine engine(engine_options(4));
    const safairkm::Options options = improving(4);
    safairkm::State state = safairkm::Model::start(options, engine.window());
    state.unspent = 1e6;
    safairkm::State waiting = state, poor = state;
    waiting.search_pause = 3;
    poor.unspent = 5 * 600;
    for (const PointColumns& batch : stream()) engine.ingest(batch.view());
    const auto [begin, apply] = safairkm::Model::improvement_intervals(options, state, engine.window());
    const auto [later, same] = safairkm::Model::improvement_intervals(options, waiting, engine.window());
    EXPECT_EQ(begin, 19U) << "600 points, of which 32 parts pay for two passes each";
    EXPECT_EQ(apply, begin);
    EXPECT_EQ(later, 8 * begin);
    EXPECT_EQ(same, apply) << "a result takes effect as soon as before";
    waiting.search_pause = 1'000'000;
    EXPECT_EQ(safairkm::Model::improvement_intervals(options, waiting, engine.window()).begin, 2400U) << "four windows";
    EXPECT_GT(safairkm::Model::improvement_intervals(options, poor, engine.window()).begin, std::uint64_t{1} << 62)
        << "one pass pays for no search";
}

// An older snapshot once undid the gains of a refinement.
TEST(Improvement, RefinementSurvivesOldSnapshot) {
    Engine engine(engine_options(4));
    const std::vector<PointColumns> all = stream();
    for (std::size_t b = 0; b + 1 < all.size(); ++b) engine.ingest(all[b].view());
    const double refined = engine.ingest(Refinement{"m", 0}).models[0].cost;
    const PointColumns last = test::mixture(two_attributes(), 6, 77, 1'000'000, 5, 0.05F * 39);
    EXPECT_LE(engine.ingest(last.view()).models[0].cost, refined * 1.1);
}

TEST(Improvement, DamagedOnesAreRefused) {
    safairkm::Improvement improvement;
    const safairkm::Options options = improving(4);
    const Window window(two_attributes(), {.capacity = 600});
    improvement.labels = {0, 5};
    EXPECT_THROW(safairkm::Model::verify(options, improvement, window), InvalidInput);
    improvement.labels = {0, 4};
    EXPECT_THROW(safairkm::Model::verify(options, improvement, window), InvalidInput) << "labels without centres";
    improvement.centres.assign(20, 0);
    EXPECT_NO_THROW(safairkm::Model::verify(options, improvement, window));
    improvement.prices = {{std::numeric_limits<double>::infinity()}};
    EXPECT_THROW(safairkm::Model::verify(options, improvement, window), InvalidInput);
    improvement.prices.clear();
    for (const double unspent : {1e6, std::numeric_limits<double>::quiet_NaN()}) {
        improvement.spent = unspent;
        EXPECT_THROW(safairkm::Model::verify(options, improvement, window), InvalidInput) << unspent;
    }
}

TEST(Improvement, ImpossibleWaitsAreRefused) {
    const safairkm::Options options = improving(4);
    const Window window(two_attributes(), {.capacity = 600});
    for (double safairkm::State::*wait :
         {&safairkm::State::since_followed, &safairkm::State::follow_wait, &safairkm::State::watched_cost})
        for (const double x : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
            safairkm::State state = safairkm::Model::start(options, window);
            state.*wait = x;
            EXPECT_THROW(safairkm::Model::verify(options, state, window), InvalidInput) << x;
        }
}

// After loading, a state with endless remaining work made the stream wait for an improvement that never ended.
TEST(Improvement, ImpossibleWorkIsRefused) {
    const safairkm::Options options = improving(4);
    const Window window(two_attributes(), {.capacity = 600});
    safairkm::State state = safairkm::Model::start(options, window);
    EXPECT_NO_THROW(safairkm::Model::verify(options, state, window));
    for (const double unspent : {1e6, std::numeric_limits<double>::infinity()}) {
        state.unspent = unspent;
        EXPECT_THROW(safairkm::Model::verify(options, state, window), InvalidInput) << unspent;
    }
}

TEST(Improvement, AScheduledModelIsRefinedOnRequest) {
    EngineOptions options = engine_options(0);
    options.models[0].schedule = {240, WhenBusy::wait};
    Engine engine(options);
    const std::vector<PointColumns> all = stream();
    for (std::size_t b = 0; b < 21; ++b) engine.ingest(all[b].view());
    const double before = engine.report("m").cost;
    const ModelUpdate& update = engine.ingest(Refinement{"m", 0}).models[0];
    EXPECT_EQ(update.solve.outcome, Outcome::converged);
    EXPECT_EQ(
        update.labels().provisional.empty() || std::ranges::count(update.labels().provisional, std::uint8_t{1}) == 0,
        true);
    EXPECT_GE(minimum_balance(update.tally(), 0), 0.5);
    EXPECT_LT(update.cost, before * 1.05);
    Engine loaded = Engine::load(options, engine.save());
    for (std::size_t b = 21; b < 40; ++b)
        ASSERT_EQ(engine.ingest(all[b].view()).models[0].labels(), loaded.ingest(all[b].view()).models[0].labels());
}

}  // namespace
}  // namespace fairstream
