#include <gtest/gtest.h>

#include <fairstream/zmq/point_view.hpp>

#include "clients/point_feed.hpp"

namespace fairstream::zmq {
namespace {

using namespace std::chrono_literals;
using test::contents;
using test::LabelFeed;
using Need = LabelView::Need;

const LabelView::Time start = LabelView::Time(1h);

/// A view, and an engine whose messages are passed to it one by one.
class Subscriber {
public:
    explicit Subscriber(LabelView::Limits limits = {}) : view("labels.m", limits, 1000ms) {}

    void update(const LabelFeed& from, std::uint64_t number) {
        const auto& message = from.updates.at(number - 1);
        view.on_update(wire::read_publication(message), message, changes);
    }
    void status(LabelFeed& from, LabelView::Time now = start) {
        const auto message = from.status();
        view.on_status(wire::read_publication(message), now);
    }
    void snapshot(LabelFeed& from) {
        const auto message = from.snapshot();
        view.on_snapshot(wire::read_publication(message), changes);
    }
    void range(const LabelFeed& from, std::uint64_t first, std::uint64_t last) {
        view.on_range(from.range(first, last), changes);
    }
    [[nodiscard]] bool exact(const LabelFeed& of) const {
        return contents(view.outputs()) == of.by_topic_sequence.at(view.topic_sequence());
    }

    LabelView view;
    std::vector<LabelChanges> changes;
};

LabelFeed feed(int updates, int id = 1) {
    LabelFeed out(id, static_cast<std::uint64_t>(id));
    for (int i = 0; i < updates; ++i) {
        out.step();
        while (out.updates.size() < static_cast<std::size_t>(i) + 1) out.step();
    }
    return out;
}

const Need nothing{};
const Need snapshot_need{.kind = Need::Kind::snapshot, .first = 0, .last = 0};
Need range_need(std::uint64_t first, std::uint64_t last) {
    return {.kind = Need::Kind::range, .first = first, .last = last};
}

TEST(LabelView, JoinsBySnapshotAndDropsOlderUpdates) {
    LabelFeed engine = feed(5);
    Subscriber s;
    EXPECT_EQ(s.view.need(), snapshot_need);
    s.update(engine, 4);
    s.update(engine, 5);
    EXPECT_FALSE(s.view.complete());
    s.snapshot(engine);
    EXPECT_EQ(s.view.topic_sequence(), 5U);
    EXPECT_TRUE(s.exact(engine));
    EXPECT_TRUE(s.view.complete());
    EXPECT_EQ(s.view.need(), nothing);
    s.update(engine, 5);
    EXPECT_EQ(s.view.statistics().repeated, 1U);
    EXPECT_TRUE(s.exact(engine));
}

TEST(LabelView, SilentEngineGivesEmptyCompleteView) {
    LabelFeed engine(1, 1);
    Subscriber s;
    s.snapshot(engine);
    EXPECT_FALSE(s.view.complete()) << "nothing shows yet that updates arrive";
    s.status(engine);
    EXPECT_TRUE(s.view.complete());
    EXPECT_TRUE(s.view.outputs().empty());
    EXPECT_EQ(s.view.statistics().snapshots, 1U);
}

TEST(LabelView, AppliesUpdatesKeptDuringSnapshot) {
    LabelFeed engine = feed(2);
    Subscriber s;
    const auto early = engine.snapshot();
    for (int i = 0; i < 3; ++i) engine.publish();
    for (const int n : {3, 4, 5}) s.update(engine, n);
    s.view.on_snapshot(wire::read_publication(early), s.changes);
    EXPECT_EQ(s.view.topic_sequence(), 5U);
    EXPECT_TRUE(s.exact(engine));
    EXPECT_TRUE(s.view.complete());
    EXPECT_EQ(s.changes.size(), 4U);
    EXPECT_TRUE(s.changes[0].replaced);
    EXPECT_FALSE(s.changes[1].replaced);
}

TEST(LabelView, RequestsExactMissingRange) {
    LabelFeed engine = feed(10);
    Subscriber s;
    s.snapshot(engine);
    for (int i = 0; i < 6; ++i) engine.publish();
    s.update(engine, 11);
    s.update(engine, 14);
    s.update(engine, 16);
    EXPECT_EQ(s.view.need(), range_need(12, 13));
    EXPECT_EQ(s.view.topic_sequence(), 11U);
    EXPECT_TRUE(s.exact(engine));
    EXPECT_FALSE(s.view.complete());
    s.range(engine, 12, 13);
    EXPECT_EQ(s.view.topic_sequence(), 14U);
    EXPECT_EQ(s.view.need(), range_need(15, 15));
    s.range(engine, 15, 15);
    EXPECT_EQ(s.view.topic_sequence(), 16U);
    EXPECT_TRUE(s.exact(engine));
    EXPECT_TRUE(s.view.complete());
    EXPECT_EQ(s.view.statistics().gaps, 1U) << "one stretch of lagging";
    EXPECT_EQ(s.view.statistics().repairs, 2U);
}

TEST(LabelView, TakesASnapshotInsteadOfARange) {
    LabelFeed engine = feed(3);
    Subscriber s;
    s.snapshot(engine);
    for (int i = 0; i < 5; ++i) engine.publish();
    s.update(engine, 8);
    s.snapshot(engine);
    EXPECT_EQ(s.view.topic_sequence(), 8U);
    EXPECT_TRUE(s.exact(engine));
    EXPECT_TRUE(s.view.complete());
}

TEST(LabelView, RequestsSnapshotWhenRangeFails) {
    LabelFeed engine = feed(3);
    Subscriber s;
    s.snapshot(engine);
    engine.publish();
    engine.publish();
    s.update(engine, 5);
    s.range(engine, 9, 9);
    EXPECT_EQ(s.view.need(), snapshot_need);
    s.snapshot(engine);
    EXPECT_TRUE(s.view.complete());
}

TEST(LabelView, DoesNotGoBackToAnOlderSnapshot) {
    LabelFeed engine = feed(3);
    Subscriber s;
    const auto old = engine.snapshot();
    engine.publish();
    s.snapshot(engine);
    s.view.on_snapshot(wire::read_publication(old), s.changes);
    EXPECT_EQ(s.view.topic_sequence(), 4U);
    EXPECT_TRUE(s.exact(engine));
    EXPECT_EQ(s.changes.size(), 1U);
}

TEST(LabelView, IgnoresRangeOfOtherRecordingOrTopic) {
    LabelFeed engine = feed(3), other = feed(6, 2), elsewhere(1, 1, "labels.x");
    for (int i = 0; i < 6; ++i) elsewhere.publish();
    Subscriber s;
    s.snapshot(engine);
    for (int i = 0; i < 3; ++i) engine.publish();
    s.update(engine, 6);
    s.range(other, 4, 5);
    s.range(elsewhere, 4, 5);
    EXPECT_EQ(s.view.topic_sequence(), 3U);
    EXPECT_TRUE(s.exact(engine));
    EXPECT_EQ(s.view.need(), snapshot_need);
}

TEST(LabelView, IgnoresLateRangeAfterRepair) {
    LabelFeed engine = feed(3);
    Subscriber s;
    s.snapshot(engine);
    engine.publish();
    engine.publish();
    s.update(engine, 5);
    s.update(engine, 4);
    EXPECT_TRUE(s.view.complete());
    s.range(engine, 4, 4);
    EXPECT_EQ(s.view.need(), nothing);
    EXPECT_TRUE(s.exact(engine));
}

TEST(LabelView, NoticesASilentGapByTheStatus) {
    LabelFeed engine = feed(3);
    Subscriber s;
    s.snapshot(engine);
    s.status(engine);
    EXPECT_TRUE(s.view.complete());
    engine.publish();
    engine.publish();
    s.status(engine);
    EXPECT_FALSE(s.view.complete());
    EXPECT_EQ(s.view.need(), range_need(4, 5));
}

TEST(LabelView, FollowsTheEnginesSequenceWhileNoLabelChanges) {
    LabelFeed engine = feed(3);
    Subscriber s;
    s.snapshot(engine);
    const std::size_t published = engine.updates.size();
    while (engine.updates.size() == published && engine.sequence() < 1000) {
        const Sequence before = engine.sequence();
        engine.step();
        if (engine.updates.size() != published) break;
        s.status(engine);
        EXPECT_EQ(s.view.sequence(), before + 1);
    }
    s.status(engine);
    EXPECT_LT(s.view.sequence(), engine.sequence()) << "an update is missing: nothing is known of this event";
}

TEST(LabelView, StartsAgainWhenAnotherRecordingTakesThePlace) {
    LabelFeed first = feed(5, 1), second = feed(2, 2);
    Subscriber s;
    s.snapshot(first);
    s.status(first);
    s.update(second, 2);
    EXPECT_FALSE(s.view.complete());
    EXPECT_EQ(s.view.need(), snapshot_need);
    s.snapshot(first);
    EXPECT_FALSE(s.view.complete()) << "a late answer of the engine that is gone";
    EXPECT_EQ(s.view.need(), snapshot_need);
    s.snapshot(second);
    EXPECT_TRUE(s.view.complete());
    EXPECT_TRUE(s.exact(second));
    EXPECT_EQ(s.view.statistics().restarts, 1U);
}

TEST(LabelView, RestartsForStatusOfOtherRecording) {
    LabelFeed first = feed(5, 1), second = feed(5, 2);
    Subscriber s;
    s.snapshot(first);
    s.status(first);
    s.status(second);
    EXPECT_FALSE(s.view.complete());
    EXPECT_EQ(s.view.need(), snapshot_need);
}

TEST(LabelView, RestartsWhenEngineWentBack) {
    LabelFeed engine = feed(5), earlier = feed(3);
    Subscriber s;
    s.snapshot(engine);
    s.status(engine);
    s.status(earlier, start);
    EXPECT_FALSE(s.view.complete());
    EXPECT_EQ(s.view.need(), nothing) << "it may be a status that the snapshot overtook";
    s.status(earlier, start + 999ms);
    EXPECT_EQ(s.view.need(), nothing);
    s.status(earlier, start + 1000ms);
    EXPECT_EQ(s.view.need(), snapshot_need);
    s.snapshot(earlier);
    s.status(earlier, start + 1001ms);
    EXPECT_TRUE(s.view.complete());
    EXPECT_TRUE(s.exact(earlier));
}

TEST(LabelView, ForgivesAStatusThatItsSnapshotOvertook) {
    LabelFeed engine = feed(5), earlier = feed(3);
    Subscriber s;
    s.snapshot(engine);
    s.status(earlier, start);
    s.status(engine, start + 500ms);
    s.status(earlier, start + 2000ms);
    EXPECT_EQ(s.view.need(), nothing);
    EXPECT_EQ(s.view.statistics().restarts, 0U);
}

TEST(LabelView, RestartsWhenOldNumberHasLaterEvent) {
    LabelFeed engine(1, 4), other(1, 3);
    for (int i = 0; i < 60; ++i) engine.publish();  // sixty updates by event 0
    while (other.sequence() < 50) other.step();     // the same id of the recording, but another history
    Subscriber s;
    s.snapshot(engine);
    s.update(other, 20);
    EXPECT_EQ(s.view.need(), snapshot_need);
    EXPECT_EQ(s.view.statistics().restarts, 1U);
}

/// An engine whose publications name running hashes.
LabelFeed telling_feed(int updates) {
    LabelFeed out(1, 1);
    out.tell_hashes();
    while (out.updates.size() < static_cast<std::size_t>(updates)) out.step();
    return out;
}

TEST(LabelView, ReportsLossWhenUpdateDoesNotFollow) {
    LabelFeed engine = telling_feed(5);
    Subscriber s;
    s.snapshot(engine);
    s.status(engine);
    engine.step();
    while (engine.updates.size() < 7) engine.step();
    s.update(engine, 6);
    const Sequence told = s.view.sequence();
    engine.lose_after(5);
    while (engine.updates.size() < 7) engine.step();
    s.update(engine, 7);
    EXPECT_EQ(s.view.take_loss(), told);
    EXPECT_FALSE(s.view.take_loss()) << "it is told once";
    EXPECT_EQ(s.view.statistics().losses, 1U);
    EXPECT_FALSE(s.view.complete());
    EXPECT_EQ(s.view.need(), snapshot_need);
    s.snapshot(engine);
    EXPECT_TRUE(s.view.complete());
    EXPECT_TRUE(s.exact(engine));
    EXPECT_FALSE(s.view.take_loss());
}

TEST(LabelView, ReportsLossWhenRecordingIsReplaced) {
    LabelFeed engine = feed(5), other = feed(3, 2);
    Subscriber s;
    s.snapshot(engine);
    s.status(engine);
    const Sequence told = s.view.sequence();
    s.status(other);
    EXPECT_EQ(s.view.take_loss(), told);
    s.snapshot(other);
    EXPECT_TRUE(s.exact(other));
    EXPECT_FALSE(s.view.take_loss());
}

TEST(LabelView, ReportsLossOfUnconfirmedEventsWhenRecordingIsReplaced) {
    LabelFeed engine = telling_feed(5), earlier = telling_feed(3), other = feed(2, 2);
    Subscriber s;
    s.snapshot(engine);
    s.status(engine, start);
    const Sequence told = s.view.sequence();
    s.status(earlier, start);
    s.status(earlier, start + 2000ms);  // the view restarts, and asks whether the recording has the events named before
    ASSERT_EQ(s.view.need().kind, ViewNeed::Kind::known);
    EXPECT_FALSE(s.view.take_loss());
    s.status(other, start + 2001ms);
    EXPECT_EQ(s.view.take_loss(), told);
    EXPECT_EQ(s.view.need(), snapshot_need) << "the new recording cannot answer that question";
}

TEST(LabelView, AsksForKnownEventWhileStatusesAreEarlier) {
    LabelFeed engine = telling_feed(5);
    Subscriber s;
    s.snapshot(engine);
    for (std::size_t updates = 0; updates != engine.updates.size();) {
        updates = engine.updates.size();
        engine.step();
        if (engine.updates.size() == updates) break;
        s.update(engine, engine.updates.size());
        updates = 0;
    }
    s.status(engine);
    const Sequence told = engine.sequence();
    engine.lose_after(engine.updates.size());
    ASSERT_LT(engine.sequence(), told);
    s.status(engine, start);
    s.status(engine, start + 999ms);
    EXPECT_EQ(s.view.need(), nothing) << "the first may be a status that was overtaken";
    s.status(engine, start + 1000ms);
    ASSERT_EQ(s.view.need().kind, Need::Kind::known);
    EXPECT_EQ(s.view.need().known.sequence, told);
    s.view.on_known_answer(engine.has(s.view.need().known));
    EXPECT_EQ(s.view.take_loss(), told);
    EXPECT_EQ(s.view.need(), snapshot_need);
}

TEST(LabelView, ReportsLossWhenRangeDoesNotFollow) {
    LabelFeed engine = telling_feed(6);
    Subscriber s;
    s.snapshot(engine);
    engine.lose_after(5);
    while (engine.updates.size() < 9) engine.step();
    s.update(engine, 9);
    EXPECT_EQ(s.view.need(), range_need(7, 8));
    s.range(engine, 7, 8);
    EXPECT_TRUE(s.view.take_loss());
    EXPECT_EQ(s.view.need(), snapshot_need);
}

TEST(LabelView, ReportsLossWhenStatusHashDiffers) {
    LabelFeed engine = telling_feed(6);
    Subscriber s;
    s.snapshot(engine);
    s.status(engine);
    engine.lose_after(4);
    while (engine.updates.size() < 6) engine.step();
    s.status(engine);
    EXPECT_TRUE(s.view.take_loss());
    EXPECT_EQ(s.view.need(), snapshot_need);
}

TEST(LabelView, AsksForKnownEventsAfterSnapshotGap) {
    for (const bool lost : {false, true}) {
        LabelFeed engine = telling_feed(6);
        Subscriber s;
        s.snapshot(engine);
        s.status(engine);
        const wire::Publication newest = wire::read_publication(engine.updates.back());
        const wire::KnownEvent told{newest.recording, newest.sequence, newest.running_hash};
        if (lost) engine.lose_after(5);
        while (engine.updates.size() < 20) engine.step();
        s.update(engine, 20);
        s.snapshot(engine);
        EXPECT_FALSE(s.view.take_loss()) << "the snapshot alone does not tell";
        EXPECT_TRUE(s.view.complete());
        ASSERT_EQ(s.view.need().kind, Need::Kind::known);
        EXPECT_EQ(s.view.need().known, told);
        EXPECT_EQ(engine.has(told), !lost);
        s.view.on_known_answer(engine.has(told));
        EXPECT_EQ(s.view.take_loss().has_value(), lost);
        EXPECT_EQ(s.view.need(), lost ? snapshot_need : nothing);
        EXPECT_TRUE(s.exact(engine));
    }
}

TEST(LabelView, AsksBeforeReportingLoss) {
    LabelFeed engine = telling_feed(6), earlier = telling_feed(3);
    Subscriber s;
    s.snapshot(engine);
    s.status(earlier, start);
    EXPECT_EQ(s.view.need().kind, Need::Kind::known) << "it may be a status that the snapshot overtook";
    EXPECT_FALSE(s.view.take_loss());
    s.view.on_known_answer(earlier.has(s.view.need().known));
    EXPECT_TRUE(s.view.take_loss());
    EXPECT_EQ(s.view.need(), snapshot_need);
}

TEST(LabelView, NeverReportsLossWithoutHashes) {
    LabelFeed engine = feed(6);
    Subscriber s;
    s.snapshot(engine);
    engine.tell_hashes();
    for (int i = 0; i < 3; ++i) engine.publish();
    for (const int n : {7, 8, 9}) s.update(engine, n);
    s.status(engine);
    EXPECT_TRUE(s.view.complete());
    EXPECT_FALSE(s.view.take_loss());
}

TEST(LabelView, KeepsBoundedUpdatesThenTakesSnapshot) {
    for (const LabelView::Limits limits :
         {LabelView::Limits{.messages = 4, .bytes = 1 << 20}, LabelView::Limits{.messages = 100, .bytes = 1000}}) {
        LabelFeed engine = feed(3);
        Subscriber s(limits);
        s.snapshot(engine);
        for (int i = 0; i < 12; ++i) engine.publish();
        for (int n = 5; n <= 15; ++n) s.update(engine, n);
        EXPECT_GT(s.view.statistics().overflows, 0U);
        EXPECT_EQ(s.view.need(), snapshot_need);
        EXPECT_TRUE(s.exact(engine));
        s.snapshot(engine);
        EXPECT_TRUE(s.view.complete());
        EXPECT_TRUE(s.exact(engine));
    }
}

TEST(LabelView, RefusesPartiallyInvalidUpdates) {
    LabelFeed engine = feed(3);
    Subscriber s;
    s.snapshot(engine);
    s.status(engine);
    const auto before = contents(s.view.outputs());
    const std::vector<PointId> departed{before.begin()->first}, good{1}, reserved{no_point};
    const std::vector<ClusterId> labels{1}, negative{no_cluster};
    const auto send = [&](std::string topic, std::uint64_t number, decltype(wire::Publication::body) body) {
        wire::Encoder encoder;
        const wire::Publication update{engine.id(), std::move(topic), number, 1000, std::move(body)};
        const wire::AlignedMessage message(wire::write(update, encoder));
        s.view.on_update(wire::read_publication(message), message, s.changes);
    };
    send("labels.m", 4, wire::LabelUpdate{departed, reserved, labels, {}});
    send("labels.m", 4, wire::LabelUpdate{departed, good, negative, {}});
    send("labels.m", 0, wire::LabelUpdate{departed, good, labels, {}});
    send("labels.m2", 4, wire::LabelUpdate{departed, good, labels, {}});
    send("labels.m", 4, wire::FairnessReport{});
    EXPECT_EQ(s.view.statistics().unreadable, 5U);
    EXPECT_EQ(contents(s.view.outputs()), before);
    EXPECT_EQ(s.view.topic_sequence(), 3U);
    EXPECT_EQ(s.changes.size(), 1U);
    send("labels.m", 4, wire::LabelUpdate{departed, good, labels, {}});
    EXPECT_EQ(s.view.topic_sequence(), 4U);
}

TEST(LabelView, ReportsChangesWithTheirColumns) {
    Subscriber s;
    LabelFeed engine(1, 1);
    s.snapshot(engine);
    const std::vector<PointId> departed{4}, ids{7, 8};
    const std::vector<ClusterId> labels{1, 2};
    const std::vector<std::uint8_t> provisional{0, 1};
    wire::Encoder encoder;
    const wire::AlignedMessage message(wire::write(
        wire::Publication{engine.id(), "labels.m", 1, 12, wire::LabelUpdate{departed, ids, labels, provisional}},
        encoder));
    s.view.on_update(wire::read_publication(message), message, s.changes);
    ASSERT_EQ(s.changes.size(), 2U);
    EXPECT_EQ(s.changes[1], (LabelChanges{12, 1, false, departed, ids, labels, provisional}));
}

}  // namespace
}  // namespace fairstream::zmq
