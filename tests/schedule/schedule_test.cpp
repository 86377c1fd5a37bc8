/// Models that step on snapshots: what is visible at which event, whatever the timing.

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include <fairstream/core/detail/engine_core.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

#include "sixth_model/threshold/threshold.hpp"
#include "support/streams.hpp"

namespace fairstream::test {
namespace {

using Core = core::EngineCore;
constexpr std::size_t batch_size = 50;

std::unique_ptr<Core> engine(threshold::Gate* gate, const Schedule& schedule, int threads = 1) {
    auto core = std::make_unique<Core>(two_attributes(), WindowOptions{200, WindowPolicy::sliding, 1}, threads);
    core->add("slow", threshold::Options{2, 0, gate}, schedule);
    return core;
}
std::vector<PointColumns> stream(std::size_t count = 24) {
    return batches(two_attributes(), count, batch_size, 3, 0.5F);
}
std::vector<std::byte> bytes(const Core& core) {
    StateWriter writer;
    core.save(writer);
    return writer.take();
}
std::span<const ClusterId> labels(const Core& core) {
    return dynamic_cast<const core::SessionOf<Clusterer>&>(core.session("slow")).visible();
}

// The design, computed slowly: a step at s reads the window at s, and is visible from the next due batch on.
struct Oracle {
    Window window{two_attributes(), {200, WindowPolicy::sliding, 1}};
    std::uint64_t every, since = 0;
    std::optional<double> visible, running;
    std::map<Slot, std::pair<PointId, ClusterId>> settled;  // labels of the visible step, while the slot is unchanged
    std::map<Slot, std::pair<PointId, ClusterId>> to_settle;

    std::vector<ClusterId> ingest(const PointBatch& batch) {
        for (const Slot slot : window.apply(batch).written) settled.erase(slot), to_settle.erase(slot);
        since += batch.size();
        if (since >= every) {
            since = 0;
            visible = running;
            settled = std::move(to_settle);
            double sum = 0;
            for (Slot slot = 0; slot < window.size(); ++slot) sum += window.features(slot)[0];
            running = sum / window.size();
            to_settle.clear();
            for (Slot slot = 0; slot < window.size(); ++slot)
                to_settle[slot] = {window.id(slot), window.features(slot)[0] < *running ? 0 : 1};
        }
        std::vector<ClusterId> out;
        for (Slot slot = 0; slot < window.size(); ++slot) {
            if (!visible)
                out.push_back(no_cluster);
            else if (const auto at = settled.find(slot); at != settled.end())
                out.push_back(at->second.second);
            else
                out.push_back(window.features(slot)[0] < *visible ? 0 : 1);
        }
        return out;
    }
};

TEST(Schedule, ResultShowsAtNextStep) {
    threshold::Gate gate;
    for (const std::uint64_t every : {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{130}}) {
        const auto core = engine(&gate, {every, WhenBusy::wait});
        Oracle oracle{.every = every, .visible = {}, .running = {}, .settled = {}, .to_settle = {}};
        for (const PointColumns& batch : stream()) {
            core->ingest(batch.view(), {});
            const auto expected = oracle.ingest(batch.view());
            ASSERT_EQ(std::vector<ClusterId>(labels(*core).begin(), labels(*core).end()), expected);
        }
    }
}

TEST(Schedule, TimingNeverShows) {
    // In one engine every step ends before the next batch arrives; in the other it is held until something waits for
    // it.
    threshold::Gate open, held;
    const auto prompt = engine(&open, {100, WhenBusy::wait}, 1);
    const auto late = engine(&held, {100, WhenBusy::wait}, 2);
    for (std::size_t b = 0; const PointColumns& batch : stream()) {
        const bool due = ++b % 2 == 0;
        held.open();
        const Changes<ClusterId> first = prompt->ingest(batch.view(), {}).models[0].labels();
        (void)bytes(*prompt);  // waits for the running step
        if (!due) held.close();
        EXPECT_EQ(late->ingest(batch.view(), {}).models[0].labels(), first);
    }
    held.open();
    EXPECT_EQ(bytes(*prompt), bytes(*late));
}

TEST(Schedule, ChangesReplayedGiveTheVisibleLabels) {
    threshold::Gate gate;
    const auto core = engine(&gate, {100, WhenBusy::wait});
    std::map<PointId, ClusterId> view;
    for (const PointColumns& batch : stream()) {
        const Update& update = core->ingest(batch.view(), {});
        const Changes<ClusterId>& changes = update.models[0].labels();
        for (const PointId id : changes.departed) ASSERT_EQ(view.erase(id), 1U);
        for (std::size_t i = 0; i < changes.ids.size(); ++i) {
            ASSERT_EQ(view.contains(changes.ids[i]) ? view[changes.ids[i]] : no_cluster, changes.before[i]);
            view[changes.ids[i]] = changes.after[i];
        }
        FairnessTally counted(2, std::vector<int>{2, 3});
        std::map<PointId, ClusterId> expected;
        for (Slot slot = 0; slot < core->window().size(); ++slot) {
            if (labels(*core)[slot] == no_cluster) continue;
            expected[core->window().id(slot)] = labels(*core)[slot];
            counted.add(labels(*core)[slot], core->window().groups(slot));
        }
        ASSERT_EQ(view, expected);
        ASSERT_EQ(update.models[0].tally(), counted);
    }
}

TEST(Schedule, NewPointsAreProvisional) {
    threshold::Gate gate;
    const auto core = engine(&gate, {100, WhenBusy::wait});
    const auto all = stream(8);
    for (std::size_t b = 0; b < 6; ++b) core->ingest(all[b].view(), {});
    const Changes<ClusterId>& changes = core->ingest(all[6].view(), {}).models[0].labels();
    ASSERT_EQ(changes.provisional.size(), changes.ids.size());
    for (std::size_t i = 0; i < changes.ids.size(); ++i)
        EXPECT_EQ(changes.provisional[i], changes.before[i] == no_cluster);
}

TEST(Schedule, SaveDuringStepIsTransparent) {
    threshold::Gate gate;
    const auto whole = engine(&gate, {100, WhenBusy::wait});
    for (const PointColumns& batch : stream()) {
        const auto saved = bytes(*whole);
        const auto resumed = engine(&gate, {100, WhenBusy::wait});
        StateReader reader(saved);
        resumed->load(reader);
        ASSERT_EQ(bytes(*resumed), saved);
        const Changes<ClusterId> changes = whole->ingest(batch.view(), {}).models[0].labels();
        ASSERT_EQ(resumed->ingest(batch.view(), {}).models[0].labels(), changes);
        ASSERT_EQ(bytes(*resumed), bytes(*whole));
    }
}

TEST(Schedule, SkippedStepsReplayFromTheirDecisions) {
    threshold::Gate held;
    const auto live = engine(&held, {50, WhenBusy::skip}, 2);
    struct Taken {
        std::vector<Decision> decisions;
        Changes<ClusterId> changes;
    };
    std::vector<Taken> taken;
    std::size_t skipped = 0;
    const auto all = stream();
    for (std::size_t b = 0; b < all.size(); ++b) {
        if (b % 5 == 1) held.close();  // the step begun with this batch takes some batches
        const Update& update = live->ingest(all[b].view(), {});
        taken.push_back({update.decisions, update.models[0].labels()});
        for (const Decision& decision : update.decisions) skipped += decision.skipped;
        if (b % 5 == 4) held.open();
    }
    held.open();
    EXPECT_GT(skipped, 0U);

    threshold::Gate open;
    const auto replay = engine(&open, {50, WhenBusy::skip}, 1);
    for (std::size_t b = 0; b < all.size(); ++b)
        ASSERT_EQ(replay->ingest(all[b].view(), std::span<const Decision>(taken[b].decisions)).models[0].labels(),
                  taken[b].changes)
            << b;
    EXPECT_EQ(bytes(*live), bytes(*replay));
}

TEST(Schedule, AnEngineMayGoWhileAStepRuns) {
    threshold::Gate gate;
    auto core = engine(&gate, {50, WhenBusy::wait}, 2);
    gate.close();
    core->ingest(stream(1)[0].view(), {});
    std::thread opener([&] { gate.open(); });
    core.reset();
    opener.join();
}

TEST(Schedule, SlowModelDoesNotInfluence) {
    threshold::Gate gate;
    Core both(two_attributes(), {200, WindowPolicy::sliding, 1}, 2),
        alone(two_attributes(), {200, WindowPolicy::sliding, 1}, 1);
    safairkm::Options options;
    options.clusters = 4;
    both.add("slow", threshold::Options{2, 0, &gate}, {100, WhenBusy::wait});
    both.add("fast", options, {});
    alone.add("fast", options, {});
    for (const PointColumns& batch : stream())
        ASSERT_EQ(both.ingest(batch.view(), {}).models[1].labels(), alone.ingest(batch.view(), {}).models[0].labels());
}

TEST(Schedule, SlowModelDoesNotBlock) {
    threshold::Gate gate;
    constexpr Slot capacity = 400;
    Core core(two_attributes(), {capacity, WindowPolicy::sliding, 1}, 2);
    safairkm::Options options;
    options.clusters = 4;
    options.targets.balance_at_least = 0.2;
    core.add("slow", threshold::Options{2, 0, &gate}, {batch_size, WhenBusy::skip});
    core.add("fast", options, {});
    gate.close();
    // The one thread for steps in the background waits at the gate, and improvements of the fast model come after it.
    for (const PointColumns& batch : stream()) (void)core.ingest(batch.view(), {});
    EXPECT_EQ(core.window().size(), capacity);
    gate.open();
}

TEST(Schedule, AScheduledSafairkmStepsOnSnapshots) {
    Core core(two_attributes(), {200, WindowPolicy::sliding, 1}, 2);
    safairkm::Options options;
    options.clusters = 4;
    core.add("later", options, {100, WhenBusy::wait});
    const auto all = stream(6);
    for (std::size_t b = 0; b < 3; ++b)
        EXPECT_EQ(core.ingest(all[b].view(), {}).models[0].solve.outcome, Outcome::warming);
    EXPECT_NE(core.ingest(all[3].view(), {}).models[0].solve.outcome, Outcome::warming);
    EXPECT_NO_THROW((void)core.ingest(Refinement{"later", 1}, {}));
}

}  // namespace
}  // namespace fairstream::test
