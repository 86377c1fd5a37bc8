/// Models of scores that step on snapshots: what is visible at which event, and the reports on it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <fairstream/core/detail/engine_core.hpp>

#include "sixth_model/trend/trend.hpp"
#include "support/streams.hpp"

namespace fairstream::test::score_schedule {
namespace {

using Core = core::EngineCore;
constexpr Slot capacity = 200;

StreamFormat with_targets() {
    StreamFormat format = two_attributes();
    format.has_targets = true;
    return format;
}
trend::Options trend_options(double bonus = 0) {
    trend::Options options;
    options.bonus = bonus;
    return options;
}
std::unique_ptr<Core> engine(const Schedule& schedule, const trend::Options& options = {}, int threads = 1) {
    auto core = std::make_unique<Core>(with_targets(), WindowOptions{capacity, WindowPolicy::sliding, 1}, threads);
    core->add("slow", options, schedule);
    return core;
}
std::vector<PointColumns> stream(std::size_t count = 24) {
    return batches(with_targets(), count, 50, 3, 0.5F);
}
std::vector<std::byte> bytes(const Core& core) {
    StateWriter writer;
    core.save(writer);
    return writer.take();
}
std::vector<Score> scores(const Core& core) {
    const auto visible = dynamic_cast<const core::SessionOf<Scorer>&>(core.session("slow")).visible();
    return {visible.begin(), visible.end()};
}

/// The design, computed slowly: a step at s reads the window at s, and is visible from the next due batch on.
struct Oracle {
    trend::Options options;
    std::uint64_t every;
    std::uint64_t since = 0;
    Window window{with_targets(), {capacity, WindowPolicy::sliding, 1}};
    std::optional<trend::State> visible = {}, running = {};

    std::vector<Score> ingest(const PointBatch& batch) {
        window.apply(batch);
        since += batch.size();
        if (since >= every) {
            since = 0;
            visible = running;
            running = trend::State{.started = true, .scores = {}};
            trend::fit_line(*running, window);
        }
        std::vector<Score> out(window.size(), no_score);
        if (visible) trend::Model::predict(options, *visible, window.points().features, window.points().groups, out);
        return out;
    }
};

TEST(ScoreSchedule, ResultShowsAtNextStep) {
    for (const double bonus : {0.0, 0.25}) {
        for (const std::uint64_t every : {1, 100, 130}) {
            const auto core = engine({every, WhenBusy::wait}, trend_options(bonus));
            Oracle oracle{.options = trend_options(bonus), .every = every};
            for (const PointColumns& batch : stream()) {
                core->ingest(batch.view(), {});
                ASSERT_EQ(scores(*core), oracle.ingest(batch.view())) << every << " " << bonus;
            }
        }
    }
}

/// Counts the points retained before and after an update, and those whose `decision` it changed.
double counted_churn(const std::map<PointId, Score>& before, const Core& core, double threshold) {
    double changed = 0, stayed = 0;
    const std::vector<Score> now = scores(core);
    for (Slot slot = 0; slot < core.window().size(); ++slot) {
        const auto at = before.find(core.window().id(slot));
        if (at == before.end()) continue;
        stayed += 1;
        changed += (at->second > threshold) != (now[slot] > threshold);
    }
    return stayed == 0 ? 0 : changed / stayed;
}

TEST(ScoreSchedule, FiguresMatchVisibleScores) {
    const trend::Options options{.threshold = 0.125};
    const auto core = engine({100, WhenBusy::wait}, options);
    std::map<PointId, Score> view, retained;
    for (const PointColumns& batch : stream()) {
        const ModelUpdate& update = core->ingest(batch.view(), {}).models[0];
        EXPECT_EQ(update.churn, counted_churn(retained, *core, options.threshold));
        for (const PointId id : update.scores().departed) ASSERT_EQ(view.erase(id), 1U);
        for (std::size_t i = 0; i < update.scores().ids.size(); ++i) {
            const PointId id = update.scores().ids[i];
            ASSERT_EQ(view.contains(id) ? view[id] : no_score, update.scores().before[i]);
            view[id] = update.scores().after[i];
        }
        retained.clear();
        std::map<PointId, Score> expected;
        ScoreTally counted(2);
        for (Slot slot = 0; slot < core->window().size(); ++slot) {
            const Score score = scores(*core)[slot];
            retained[core->window().id(slot)] = score;
            if (score != no_score) expected[core->window().id(slot)] = score;
            counted.add(score, core->window().group(slot, 0), core->window().target(slot) > 0);
        }
        counted.settle();
        ASSERT_EQ(view, expected);
        ASSERT_EQ(update.score_fairness(), trend::Model::measure(options, counted));
    }
}

TEST(ScoreSchedule, NewPointsAreProvisional) {
    const auto core = engine({100, WhenBusy::wait});
    const auto all = stream(8);
    for (std::size_t b = 0; b < 6; ++b) core->ingest(all[b].view(), {});
    const Changes<Score> changes = core->ingest(all[6].view(), {}).models[0].scores();
    ASSERT_EQ(changes.provisional.size(), changes.ids.size());
    EXPECT_TRUE(std::ranges::all_of(changes.provisional, [](std::uint8_t mark) { return mark == 1; }));
    const Changes<Score> refreshed = core->ingest(all[7].view(), {}).models[0].scores();
    EXPECT_EQ(refreshed.ids.size(), capacity) << "a refresh moves every score";
    for (std::size_t i = 0; i < refreshed.ids.size(); ++i)
        EXPECT_EQ(refreshed.provisional[i], refreshed.ids[i] >= 300) << "the refresh saw the points up to 300";
}

TEST(ScoreSchedule, ConfirmedPredictionIsNotListed) {
    const auto core = engine({50, WhenBusy::wait});
    PointColumns batch = stream(1)[0];
    for (PointId round = 0; round < 12; ++round) {
        for (std::size_t i = 0; i < batch.ids.size(); ++i) batch.ids[i] = 50 * round + i;
        const Changes<Score>& changes = core->ingest(batch.view(), {}).models[0].scores();
        if (round < 6) continue;  // until every snapshot holds the same points, and gives the same line
        EXPECT_EQ(changes.ids, batch.ids);
    }
}

TEST(ScoreSchedule, SaveDuringStepIsTransparent) {
    const auto whole = engine({100, WhenBusy::wait});
    for (const PointColumns& batch : stream()) {
        const auto saved = bytes(*whole);
        const auto resumed = engine({100, WhenBusy::wait});
        StateReader reader(saved);
        resumed->load(reader);
        ASSERT_EQ(bytes(*resumed), saved);
        const ModelUpdate first = whole->ingest(batch.view(), {}).models[0];
        const ModelUpdate& again = resumed->ingest(batch.view(), {}).models[0];
        ASSERT_EQ(again.scores(), first.scores());
        ASSERT_EQ(again.score_fairness(), first.score_fairness());
        ASSERT_EQ(bytes(*resumed), bytes(*whole));
    }
}

TEST(ScoreSchedule, NanScoreIsRefused) {
    for (const std::uint64_t every : {0, 100}) {
        const auto core = engine({every, WhenBusy::wait});
        for (const PointColumns& batch : stream(6)) core->ingest(batch.view(), {});
        auto saved = bytes(*core);
        const Score score = scores(*core)[7];
        const auto pattern = std::as_bytes(std::span(&score, 1));
        const auto at = std::ranges::search(saved, pattern);
        ASSERT_FALSE(at.empty());
        for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            std::memcpy(&*at.begin(), &bad, sizeof bad);
            const auto other = engine({every, WhenBusy::wait});
            StateReader reader(saved);
            EXPECT_THROW(other->load(reader), InvalidInput) << bad;
        }
    }
}

TEST(ScoreSchedule, KnobReportsFiguresOnly) {
    for (const std::uint64_t every : {0, 100}) {
        const auto core = engine({every, WhenBusy::wait});
        for (const PointColumns& batch : stream(6)) core->ingest(batch.view(), {});
        ModelFigures described;
        core->session("slow").describe(described);
        const ScoreFairness before = described.score_fairness();
        const ModelUpdate& same = core->ingest(KnobChange{"slow", "threshold", "0"}, {}).models[0];
        EXPECT_FALSE(same.changed);
        EXPECT_EQ(same.score_fairness(), before);
        const ModelUpdate& moved = core->ingest(KnobChange{"slow", "threshold", "0.5"}, {}).models[0];
        EXPECT_TRUE(moved.changed);
        EXPECT_TRUE(moved.scores().empty());
        EXPECT_NE(moved.score_fairness(), before);
    }
}

TEST(ScoreSchedule, AStreamWithoutTargetsIsRefused) {
    Core core(two_attributes(), {capacity, WindowPolicy::sliding, 1}, 1);
    try {
        core.add("slow", trend::Options{}, {});
        ADD_FAILURE() << "taken";
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.reason(), Reason::bad_option);
        EXPECT_NE(std::string(error.what()).find("slow"), std::string::npos) << error.what();
    }
}

TEST(ScoreSchedule, ScoresAndClusteringsRunSideBySide) {
    Core both(with_targets(), {capacity, WindowPolicy::sliding, 1}, 2);
    both.add("clusters", threshold::Options{}, {});
    both.add("slow", trend::Options{}, {100, WhenBusy::wait});
    const auto alone = engine({100, WhenBusy::wait});
    for (const PointColumns& batch : stream()) {
        const Update& update = both.ingest(batch.view(), {});
        EXPECT_TRUE(std::holds_alternative<Changes<ClusterId>>(update.models[0].changes));
        EXPECT_TRUE(std::holds_alternative<FairnessTally>(update.models[0].fairness));
        ASSERT_EQ(update.models[1].scores(), alone->ingest(batch.view(), {}).models[0].scores());
    }
}

}  // namespace
}  // namespace fairstream::test::score_schedule
