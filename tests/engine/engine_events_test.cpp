/// Events and their effects: numbers, listeners, net changes, churn, several models.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "engine_setups.hpp"
#include "support/refusal.hpp"

namespace fairstream::test {
namespace {

// Points whose ids sometimes come again: recent ones, and long gone ones.
std::vector<PointColumns> returning_batches(const StreamFormat& format, std::size_t count, std::size_t size,
                                            std::uint64_t seed) {
    Random random(seed);
    std::vector<PointColumns> all;
    for (std::size_t b = 0; b < count; ++b) {
        PointColumns batch = mixture(format, size, seed + b);
        std::set<PointId> used;
        for (PointId& id : batch.ids) {
            do id = b * size + random.below(static_cast<std::uint32_t>(2 * size));
            while (!used.insert(id).second);
        }
        all.push_back(batch);
    }
    return all;
}

TEST(Events, NumbersHaveNoGaps) {
    Engine engine(setup());
    const std::vector<PointColumns> stream = batches(engine.options().format, 3, 20, 1);
    EXPECT_EQ(engine.ingest(event(stream[0])).sequence, 1U);
    expect_refused(Reason::wrong_shape, {}, [&] { engine.ingest(PointBatch{stream[0].ids, {}, {}, {}}); });
    EXPECT_EQ(engine.sequence(), 1U);
    EXPECT_EQ(engine.ingest(KnobChange{"fair", "swaps", "1"}).sequence, 2U);
    EXPECT_EQ(engine.ingest(Refinement{"fair", 2}).sequence, 3U);
    expect_refused(Reason::bad_option, {}, [&] { engine.ingest(KnobChange{"fair", "swaps", "-1"}); });
    EXPECT_EQ(engine.ingest(PointBatch{}).sequence, 4U);
    EXPECT_EQ(engine.ingest(event(stream[1])).sequence, 5U);
    Engine loaded = Engine::load(engine.options(), engine.save());
    EXPECT_EQ(loaded.sequence(), 5U);
    EXPECT_EQ(loaded.ingest(event(stream[2])).sequence, 6U);
}

TEST(Events, CheckedOnceAreTakenInAsOthersAre) {
    Engine engine(setup()), other(setup());
    const std::vector<PointColumns> stream = batches(engine.options().format, 3, 20, 1);
    const std::vector<Event> events{event(stream[0]), KnobChange{"fair", "swaps", "1"}, event(stream[1]),
                                    Refinement{"fair", 2}, event(stream[2])};
    for (const Event& each : events) {
        engine.ingest(each);
        other.ingest(other.check(each));
    }
    EXPECT_EQ(other.save(), engine.save());
    EXPECT_EQ(other.current_options("fair"), engine.current_options("fair"));
    EXPECT_NE(other.current_options("fair"), other.options().models[0].options) << "the change shows";
}

TEST(Events, StaleChecksAreRefused) {
    Engine engine(setup()), other(setup());
    const std::vector<PointColumns> stream = batches(engine.options().format, 1, 20, 1);
    const Event first = event(stream[0]);
    const CheckedEvent checked = engine.check(first);
    EXPECT_THROW(other.ingest(checked), std::logic_error);
    EXPECT_EQ(other.sequence(), 0U);
    EXPECT_EQ(engine.ingest(checked).sequence, 1U);
    EXPECT_THROW(engine.ingest(checked), std::logic_error) << "it was checked before the event that is in now";
    EXPECT_EQ(engine.sequence(), 1U);
}

TEST(Events, ListenersHearUpdatesInOrder) {
    Engine engine(setup({model("fair"), model("other")}));
    std::vector<std::pair<int, Sequence>> heard;
    const Update* last = nullptr;
    for (const int listener : {0, 1, 2})
        engine.on_update([&, listener](const Update& update) {
            heard.emplace_back(listener, update.sequence);
            EXPECT_EQ(update.models.size(), 2U);
            EXPECT_EQ(engine.sequence(), update.sequence) << "the event is through when it is announced";
            last = &update;
        });
    const std::vector<PointColumns> stream = batches(engine.options().format, 2, 30, 1);
    const std::vector<Event> events{event(stream[0]), KnobChange{"fair", "swaps", "1"}, event(stream[1]),
                                    Refinement{"other", 1}, PointBatch{}};
    for (Sequence s = 1; s <= events.size(); ++s) {
        heard.clear();
        const Update& update = engine.ingest(events[s - 1]);
        EXPECT_EQ(last, &update);
        EXPECT_EQ(heard, (std::vector<std::pair<int, Sequence>>{{0, s}, {1, s}, {2, s}}));
    }
    heard.clear();
    expect_refused(Reason::unknown_model, {}, [&] { engine.ingest(Refinement{"nobody", 1}); });
    EXPECT_TRUE(heard.empty()) << "nothing happened";
}

// The event is complete when it is announced; a listener's failure cannot undo it.
TEST(Events, AListenerThatThrowsLosesNothing) {
    const EngineOptions options = setup();
    Engine engine(options), quiet(options);
    bool fails = false;
    engine.on_update([&](const Update&) {
        if (fails) throw std::runtime_error("listener");
    });
    const std::vector<PointColumns> stream = batches(options.format, 3, 30, 1);
    const std::vector<Event> events{event(stream[0]), KnobChange{"fair", "swaps", "7"}, event(stream[1]),
                                    event(stream[2])};
    for (std::size_t i = 0; i < events.size(); ++i) {
        fails = i == 1 || i == 2;
        quiet.ingest(events[i]);
        if (fails)
            EXPECT_THROW(engine.ingest(events[i]), std::runtime_error);
        else
            engine.ingest(events[i]);
        EXPECT_EQ(engine.save(), quiet.save());
        EXPECT_EQ(engine.current_options("fair"), quiet.current_options("fair"));
    }
}

TEST(Events, UpdateNamesModelsAndChanges) {
    Engine engine(setup({model("a"), model("b")}));
    const PointColumns batch = mixture(engine.options().format, 50, 1);
    const auto changed = [](const Update& update) {
        EXPECT_EQ(update.models.at(0).model, "a");
        EXPECT_EQ(update.models.at(1).model, "b");
        return std::pair(update.models[0].changed, update.models[1].changed);
    };
    EXPECT_EQ(changed(engine.ingest(event(batch))), std::pair(true, true));
    const Seen before(engine.ingest(PointBatch{}).models[1]);
    const Update& refined = engine.ingest(Refinement{"a", 3});
    EXPECT_EQ(changed(refined), std::pair(true, false));
    EXPECT_EQ(refined.models[0].solve.iterations, 3);
    const Seen after(refined.models[1]);
    EXPECT_TRUE(after.changes.empty());
    EXPECT_EQ(after.churn, 0);
    EXPECT_EQ(after.cost, before.cost);
    EXPECT_EQ(after.tally, before.tally);
    EXPECT_EQ(after.solve, before.solve);
    EXPECT_EQ(changed(engine.ingest(KnobChange{"b", "swaps", "0"})), std::pair(false, false));
}

TEST(Events, ChangesAddUpToTheLabels) {
    for (const std::size_t size : {1U, 30U, 90U, 250U, 700U}) {  // the last three above the capacity
        for (const std::string policy : {"sliding", "reservoir"}) {
            EngineOptions options = setup({model("fair"), model("late", {}, 60)}, 80);
            if (policy == "reservoir") options.window.policy = WindowPolicy::reservoir;
            Engine engine(options);
            View fair, late;
            for (const PointColumns& batch : returning_batches(options.format, 8, size, 5)) {
                const Update& update = engine.ingest(event(batch));
                ASSERT_NO_FATAL_FAILURE(fair.fold(update.models[0].labels()));
                ASSERT_NO_FATAL_FAILURE(late.fold(update.models[1].labels()));
                ASSERT_EQ(fair.labels(), labelled(engine, "fair")) << policy << " " << size;
                ASSERT_EQ(late.labels(), labelled(engine, "late")) << policy << " " << size;
            }
        }
    }
}

TEST(Events, ChangesAreListedOnce) {
    Engine engine(setup({model("fair")}, 80));
    for (const PointColumns& batch : returning_batches(engine.options().format, 12, 50, 6)) {
        const Changes<ClusterId>& changes = engine.ingest(event(batch)).models[0].labels();
        EXPECT_EQ(std::set(changes.ids.begin(), changes.ids.end()).size(), changes.ids.size());
        EXPECT_EQ(std::set(changes.departed.begin(), changes.departed.end()).size(), changes.departed.size());
        for (std::size_t i = 0; i < changes.ids.size(); ++i) EXPECT_NE(changes.before[i], changes.after[i]);
        for (const ClusterId label : changes.departed_outputs) EXPECT_NE(label, no_cluster);
        EXPECT_TRUE(changes.provisional.empty());
    }
}

// Compares the points with the same slot and id before and after an event; counts those with a changed label.
double churn_between(const std::vector<PointId>& ids, const std::vector<ClusterId>& labels, const Engine& engine) {
    std::size_t stayed = 0, changed = 0;
    for (Slot slot = 0; slot < ids.size(); ++slot) {
        if (engine.window().id(slot) != ids[slot]) continue;
        ++stayed;
        changed += engine.labels("fair")[slot] != labels[slot];
    }
    return stayed == 0 ? 0 : static_cast<double>(changed) / static_cast<double>(stayed);
}

void expect_churn(std::size_t capacity, std::size_t size, bool expect_some) {
    Engine engine(setup({model("fair")}, static_cast<Slot>(capacity)));
    double highest = 0;
    for (const PointColumns& batch : returning_batches(engine.options().format, 12, size, 7)) {
        const auto ids = engine.window().points().ids;
        const std::vector<PointId> ids_before(ids.begin(), ids.end());
        const auto labels = engine.labels("fair");
        const std::vector<ClusterId> labels_before(labels.begin(), labels.end());
        const double churn = engine.ingest(event(batch)).models[0].churn;
        EXPECT_EQ(churn, churn_between(ids_before, labels_before, engine)) << "batches of " << size;
        highest = std::max(highest, churn);
    }
    EXPECT_EQ(highest > 0, expect_some);
}

TEST(Events, ChurnIsShareOfChangedStayers) {
    expect_churn(100, 10, true);
    expect_churn(100, 40, true);
    expect_churn(100, 100, true);
}

// Changes between two pieces of one batch were never visible.
TEST(Events, ChurnCoversWholeLargeBatch) {
    Engine engine(setup({model("fair")}, 50));
    const PointColumns first = mixture(engine.options().format, 50, 1),
                       rest = mixture(engine.options().format, 130, 2, 50);
    engine.ingest(event(first));
    EXPECT_EQ(engine.ingest(event(rest)).models[0].churn, 0) << "no point was there before and after";
    EXPECT_EQ(engine.report("fair").churn, 0);

    // Points that come again with the others stay; their labels before and after the event count.
    PointColumns again = mixture(engine.options().format, 130, 3, 1000);
    for (std::size_t i = 0; i < 25; ++i) again.ids[i] = engine.window().id(static_cast<Slot>(2 * i));
    for (std::size_t i = 25; i < 50; ++i)
        again.ids[105 + i - 25] = engine.window().id(static_cast<Slot>(2 * (i - 25) + 1));
    const std::map<PointId, ClusterId> before = labelled(engine, "fair");
    const double churn = engine.ingest(event(again)).models[0].churn;
    double stayed = 0, changed = 0;
    for (const auto& [id, label] : labelled(engine, "fair"))
        if (const auto at = before.find(id); at != before.end()) ++stayed, changed += at->second != label;
    ASSERT_GT(changed, 0);
    EXPECT_EQ(churn, changed / stayed);
    EXPECT_EQ(engine.report("fair").churn, churn);
}

TEST(Events, AListenerCannotIngest) {
    Engine engine(setup());
    const std::vector<PointColumns> all = batches(engine.options().format, 2, 40, 1);
    bool refused = false;
    engine.on_update([&](const Update&) {
        try {
            engine.ingest(event(all[1]));
        } catch (const std::logic_error&) {
            refused = true;
        }
    });
    engine.ingest(event(all[0]));
    EXPECT_TRUE(refused);
    EXPECT_EQ(engine.sequence(), 1U);
    EXPECT_EQ(engine.ingest(event(all[1])).sequence, 2U);
}

TEST(Events, RefinementReportsOnlyProgress) {
    Engine told(setup()), untold(setup());
    std::vector<double> shares;
    told.on_progress([&](const WorkProgress& work) {
        shares.push_back(work.share);
        return true;
    });
    for (Engine* engine : {&told, &untold})
        for (const auto& [knob, value] : {std::pair("starts", "4"), std::pair("balance_at_least", "0.4")})
            engine->ingest(KnobChange{"fair", knob, value});
    for (const PointColumns& batch : batches(told.options().format, 3, 100, 1)) {
        told.ingest(event(batch));
        untold.ingest(event(batch));
    }
    told.ingest(Refinement{"fair", 2});
    untold.ingest(Refinement{"fair", 2});
    EXPECT_EQ(shares, (std::vector<double>{0.5, 1}));
    shares.clear();
    EXPECT_EQ(told.ingest(Refinement{"fair", 0}).models[0].labels(),
              untold.ingest(Refinement{"fair", 0}).models[0].labels());
    EXPECT_GT(shares.size(), 10U);
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_GT(shares.front(), 0);
    EXPECT_LT(shares.front(), 0.5);
    EXPECT_EQ(shares.back(), 1);
    EXPECT_EQ(told.save(), untold.save());
}

// A fit that its user stops: the result depends on when.
TEST(Events, StoppedEngineCannotBeSaved) {
    Engine engine(setup());
    const std::vector<PointColumns> all = batches(engine.options().format, 3, 100, 1);
    for (const PointColumns& batch : all) engine.ingest(event(batch));
    (void)engine.save();
    int rounds = 0;
    engine.on_progress([&](const WorkProgress&) { return ++rounds < 3; });
    const ModelUpdate& update = engine.ingest(Refinement{"fair", 100}).models[0];
    EXPECT_EQ(rounds, 3);
    EXPECT_EQ(update.solve.iterations, 3);
    EXPECT_EQ(update.solve.outcome, Outcome::iteration_limit);
    EXPECT_EQ(engine.labels("fair").size(), engine.window().size());
    EXPECT_THROW((void)engine.save(), std::logic_error);
    engine.on_progress({});
    EXPECT_EQ(engine.ingest(event(all[0])).sequence, 5U);
    EXPECT_THROW((void)engine.save(), std::logic_error);
}

TEST(Events, ANegativeNumberOfThreadsIsRefused) {
    EXPECT_THROW(Engine(setup(), -1), InvalidInput);
}

// The library never prints, not even TBB's message about requested threads, which TBB prints once in a process.
TEST(EventsDeathTest, BackgroundModelPrintsNothing) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const int threads : {0, 1, 2, 1000})
        EXPECT_EXIT(
            {
                Engine engine(setup({model("late", {}, 30)}), threads);
                for (const PointColumns& batch : batches(engine.options().format, 4, 40, 1))
                    engine.ingest(event(batch));
                std::exit(labelled(engine, "late").size() == 160 ? 0 : 1);
            },
            ::testing::ExitedWithCode(0), "^$")
            << threads << " threads";
}

TEST(Events, ABatchAboveCapacityIsTakenInPieces) {
    for (const WindowPolicy policy : {WindowPolicy::sliding, WindowPolicy::reservoir}) {
        EngineOptions options = setup({model("fair"), model("late", {}, 70)}, 64);
        options.window.policy = policy;
        Engine whole(options), pieces(options);
        for (const PointColumns& batch : returning_batches(options.format, 4, 300, 9)) {
            const ModelUpdate& update = whole.ingest(event(batch)).models[0];
            std::int64_t last_moves = 0;
            for (std::size_t first = 0; first < 300; first += 64)
                last_moves = pieces.ingest(batch.view().slice(first, std::min<std::size_t>(64, 300 - first)))
                                 .models[0]
                                 .solve.moves;
            EXPECT_EQ(whole.window(), pieces.window());
            EXPECT_EQ(update.solve.moves, last_moves);
            for (const char* name : {"fair", "late"}) {
                EXPECT_EQ(labelled(whole, name), labelled(pieces, name));
                EXPECT_EQ(whole.report(name).cost, pieces.report(name).cost);
                EXPECT_EQ(whole.report(name).tally(), pieces.report(name).tally());
            }
        }
        EXPECT_EQ(whole.sequence(), 4U) << "one event each";
    }
}

TEST(Events, ModelsBesideEachOtherAreAsIfAlone) {
    const ModelSetup fair = model("fair"), target = model("target", {{"balance_at_least", "0.5"}, {"clusters", "6"}}),
                     late = model("late", {}, 45);
    Engine together(setup({fair, target, late}, 100));
    std::vector<Engine> alone;
    for (const ModelSetup& one : {fair, target, late}) alone.emplace_back(setup({one}, 100));
    const std::vector<PointColumns> stream = returning_batches(together.options().format, 15, 40, 11);
    for (std::size_t b = 0; b < stream.size(); ++b) {
        std::vector<Event> events{event(stream[b])};
        if (b == 5) events.emplace_back(KnobChange{"fair", "kmeans_updates", "3"});
        if (b == 7) events.emplace_back(KnobChange{"late", "swaps", "0"});
        if (b == 9) events.emplace_back(Refinement{"target", 0});
        for (const Event& each : events) {
            const auto* knob = std::get_if<KnobChange>(&each);
            const auto* refinement = std::get_if<Refinement>(&each);
            const Update& update = together.ingest(each);
            for (std::size_t m = 0; m < 3; ++m) {
                const std::string& name = together.options().models[m].name;
                if ((knob != nullptr && knob->model != name) || (refinement != nullptr && refinement->model != name))
                    continue;
                ASSERT_EQ(Seen(alone[m].ingest(each).models[0]), Seen(update.models[m])) << name << " at " << b;
                ASSERT_EQ(labelled(alone[m], name), labelled(together, name));
            }
        }
    }
}

}  // namespace
}  // namespace fairstream::test
