#include <gtest/gtest.h>

#include <fairstream/zmq/producer_window.hpp>

#include "support/names.hpp"

namespace fairstream::zmq {
namespace {

using namespace std::chrono_literals;
using Action = ProducerWindow::Action;
using Time = ProducerWindow::Time;

const Time began = Time(1h);
const ProducerTiming timing{.answer_timeout = 1000ms, .hello_interval = 100ms, .hello_interval_max = 400ms};

wire::RecordingId recording(int id) {
    wire::RecordingId out{};
    out[0] = static_cast<std::byte>(id);
    return out;
}

/// A window, with the engine's answers written by hand.
class Script {
public:
    explicit Script(ProducerWindow::Limits limits = {}, ProducerEpoch epoch = {})
        : window(limits, timing, began, epoch) {}

    void add(int events) {
        for (int i = 0; i < events; ++i) window.add(10, now);
    }
    /// Transmits everything that is due; returns the numbers of the events.
    std::vector<std::uint64_t> transmit() {
        std::vector<std::uint64_t> numbers;
        for (;;) {
            const auto step = window.next(now);
            if (step.action == Action::none) return numbers;
            if (step.action == Action::event) numbers.push_back(step.producer_sequence);
            window.done(step, now);
        }
    }
    void reply(decltype(wire::IngestReply::body) body, std::uint32_t credit = 100, int from = 1) {
        window.on_reply({recording(from), credit, std::move(body), life}, now, refused);
    }
    /// Returns the newest event that a Hello names as known.
    [[nodiscard]] std::pair<Sequence, std::uint64_t> known() const {
        const wire::Hello hello = window.hello("p");
        return {hello.known->sequence, hello.known->running_hash};
    }
    void welcome(std::uint64_t next, std::uint32_t credit = 100) { reply(wire::Welcome{next, {}}, credit); }
    void ack(std::uint64_t number) { reply(wire::Ack{number, 1000 + number}); }
    void gap(std::uint64_t number, std::uint64_t next) { reply(wire::Nack{number, Reason::sequence_gap, "gap", next}); }
    void open() {
        transmit();
        welcome(1);
    }
    /// Three events are sent, and only the first is answered in time: the engine is asked.
    void fall_into_doubt() {
        add(3);
        open();
        transmit();
        ack(1);
        now += 1000ms;
        transmit();
    }
    [[nodiscard]] std::optional<ProducerFault> fault() const {
        if (!window.failure()) return std::nullopt;
        return window.failure()->fault();
    }

    std::uint64_t life = 1;
    Time now = began;
    ProducerWindow window;
    std::vector<Refused> refused;
};

using Numbers = std::vector<std::uint64_t>;

TEST(ProducerWindow, AsksBeforeItSends) {
    Script s;
    s.add(2);
    EXPECT_EQ(s.window.next(s.now).action, Action::hello);
    EXPECT_EQ(s.transmit(), Numbers{});
    s.welcome(1);
    EXPECT_EQ(s.transmit(), (Numbers{1, 2}));
}

TEST(ProducerWindow, RepeatsHelloOnNewConnectionsAtDoublingIntervals) {
    Script s;
    s.transmit();
    for (const auto interval : {100ms, 200ms, 400ms, 400ms}) {
        EXPECT_EQ(s.window.due(), s.now + interval);
        s.now += interval - 1ms;
        EXPECT_EQ(s.window.next(s.now).action, Action::none);
        s.now += 1ms;
        EXPECT_EQ(s.window.next(s.now).action, Action::reconnect);
        s.transmit();
    }
}

TEST(ProducerWindow, KeepsWithinLatestCredit) {
    Script s;
    s.add(10);
    s.transmit();
    s.welcome(1, 3);
    EXPECT_EQ(s.transmit(), (Numbers{1, 2, 3}));
    s.reply(wire::Ack{1, 1}, 3);
    EXPECT_EQ(s.transmit(), (Numbers{4}));
    s.reply(wire::Ack{2, 2}, 5);
    EXPECT_EQ(s.transmit(), (Numbers{5, 6, 7}));
    s.reply(wire::Ack{3, 3}, 1);
    s.reply(wire::Ack{4, 4}, 1);
    EXPECT_EQ(s.transmit(), Numbers{});
}

TEST(ProducerWindow, IsFullAtEitherLimitButTakesOneLargeEvent) {
    Script s({.messages = 3, .bytes = 25});
    EXPECT_TRUE(s.window.has_room(1000));
    s.add(1);
    EXPECT_TRUE(s.window.has_room(15));
    EXPECT_FALSE(s.window.has_room(16)) << "bytes";
    s.add(1);
    s.window.add(0, s.now);
    EXPECT_FALSE(s.window.has_room(0)) << "messages";
    s.open();
    s.transmit();
    s.ack(1);
    EXPECT_TRUE(s.window.has_room(15));
}

TEST(ProducerWindow, RewindsOncePerGap) {
    Script s;
    s.add(5);
    s.open();
    s.transmit();
    s.ack(1);
    s.gap(3, 2);
    EXPECT_EQ(s.transmit(), (Numbers{2, 3, 4, 5}));
    for (const std::uint64_t late : {4, 5}) {
        s.gap(late, 2);
        EXPECT_EQ(s.transmit(), Numbers{});
    }
    s.ack(2);
    s.gap(5, 4);
    EXPECT_EQ(s.transmit(), (Numbers{4, 5})) << "another gap is another rewind";
}

TEST(ProducerWindow, ResendsAllUnansweredAfterWelcome) {
    Script s;
    s.add(4);
    s.open();
    s.transmit();
    s.ack(2);
    s.now += 1000ms;
    EXPECT_EQ(s.transmit(), Numbers{}) << "a Hello";
    s.welcome(4);
    EXPECT_EQ(s.transmit(), (Numbers{1, 3, 4}));
    EXPECT_EQ(s.window.statistics().resent, 3U);
}

TEST(ProducerWindow, AsksOnlyWhenAnswersStop) {
    Script s;
    s.add(2);
    s.open();
    s.transmit();
    s.now += 999ms;
    s.ack(1);
    s.now += 999ms;
    EXPECT_EQ(s.window.next(s.now).action, Action::none);
    s.now += 1ms;
    EXPECT_EQ(s.window.next(s.now).action, Action::hello) << "first on the connection there is";
    s.transmit();
    s.now += 100ms;
    EXPECT_EQ(s.window.next(s.now).action, Action::reconnect);
}

TEST(ProducerWindow, KeepsAnsweringConnectionDespitePendingHello) {
    Script s;
    s.add(4);
    s.open();
    s.transmit();
    s.now += 1000ms;
    s.transmit();
    for (const std::uint64_t number : {1, 2, 3}) {
        s.now += 99ms;
        EXPECT_EQ(s.window.next(s.now).action, Action::none);
        s.ack(number);
    }
    s.now += 200ms;
    EXPECT_EQ(s.window.next(s.now).action, Action::reconnect) << "no answer any more";
}

TEST(ProducerWindow, KeepsQuietWhenNothingIsUnanswered) {
    Script s;
    s.add(1);
    s.open();
    s.transmit();
    s.ack(1);
    EXPECT_EQ(s.window.due(), Time::max());
    s.now += 1h;
    EXPECT_EQ(s.window.next(s.now).action, Action::none);
}

TEST(ProducerWindow, TakesALateSecondWelcomeAsNews) {
    Script s;
    s.add(2);
    s.open();
    s.transmit();
    s.welcome(1);
    EXPECT_EQ(s.transmit(), Numbers{}) << "what is on the way is not sent twice";
}

TEST(ProducerWindow, ReportsRefusalOnceWithoutResending) {
    Script s;
    s.add(2);
    s.open();
    s.transmit();
    s.reply(wire::Nack{1, Reason::unknown_group, "group 9", 2});
    s.reply(wire::Nack{1, Reason::unknown_group, "group 9", 2});
    EXPECT_EQ(s.refused, (std::vector<Refused>{{1, Reason::unknown_group, "group 9"}}));
    EXPECT_EQ(s.window.first_unanswered(), 2U);
    EXPECT_EQ(s.window.statistics().refused, 1U);
    EXPECT_EQ(s.window.statistics().repeated, 1U);
}

TEST(ProducerWindow, CountsEachAnswerOnce) {
    Script s;
    s.add(3);
    s.transmit();
    s.welcome(1, 2);
    s.transmit();
    s.ack(3);
    s.ack(7);
    s.ack(2);
    s.ack(2);
    EXPECT_EQ(s.window.unanswered(), 2U);
    EXPECT_EQ(s.window.first_unanswered(), 1U);
    s.ack(1);
    EXPECT_EQ(s.window.first_unanswered(), 3U);
    EXPECT_EQ(s.window.statistics().acked, 2U);
    EXPECT_EQ(s.window.statistics().last_sequence, 1002U);
}

TEST(ProducerWindow, FailsOnAStaleEpoch) {
    Script s;
    s.add(1);
    s.transmit();
    s.reply(wire::Nack{0, Reason::stale_epoch, "epoch 3 after 4", 0});
    EXPECT_EQ(s.fault(), ProducerFault::stale_epoch);
    EXPECT_EQ(s.window.next(s.now + 1h).action, Action::none);
    EXPECT_EQ(s.window.due(), Time::max());
}

TEST(ProducerWindow, FailsOnAnotherRecordingOrFormat) {
    Script s;
    s.open();
    s.reply(wire::Welcome{1, {}}, 100, 2);
    EXPECT_EQ(s.fault(), ProducerFault::other_recording);
    Script t;
    t.open();
    t.reply(wire::Welcome{1, {.dimensions = 3, .attributes = {}, .has_targets = false}});
    EXPECT_EQ(t.fault(), ProducerFault::other_recording);
}

TEST(ProducerWindow, FailsOnNumbersNeverSent) {
    Script s;
    s.add(3);
    s.transmit();
    s.welcome(2);
    EXPECT_EQ(s.fault(), ProducerFault::foreign_numbers);
}

TEST(ProducerWindow, FailsWhenEngineLacksAnsweredEvents) {
    Script s;
    s.add(3);
    s.open();
    s.transmit();
    s.ack(1);
    s.ack(2);
    s.gap(3, 1);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(s.fault(), std::nullopt);
        EXPECT_EQ(s.transmit(), Numbers{}) << "no event before the doubt is settled";
        s.welcome(1);
        s.now += 100ms;
    }
    EXPECT_EQ(s.fault(), ProducerFault::lost_events);
}

TEST(ProducerWindow, CountsADoubtOncePerHello) {
    Script s;
    s.fall_into_doubt();
    for (int i = 0; i < 5; ++i) s.welcome(1);  // repeated on the way
    EXPECT_EQ(s.fault(), std::nullopt);
    EXPECT_EQ(s.transmit(), Numbers{}) << "still in doubt";
}

TEST(ProducerWindow, FailsOnEventAboveEngineLimit) {
    Script s;
    s.add(2);
    s.transmit();
    s.reply(wire::Welcome{1, {}, 10});
    EXPECT_EQ(s.fault(), std::nullopt);
    EXPECT_EQ(s.window.message_limit(), 10U);
    Script t;
    t.add(2);
    t.transmit();
    t.reply(wire::Welcome{1, {}, 9});
    EXPECT_EQ(t.fault(), ProducerFault::oversized);
    EXPECT_THAT(t.window.failure()->what(), fairstream::test::Names({"event 1 ", "10 bytes", " 9"}));
}

TEST(ProducerWindow, ForgivesAWelcomeThatWasOvertaken) {
    Script s;
    s.fall_into_doubt();
    s.welcome(1);
    s.now += 100ms;
    s.transmit();
    s.welcome(2);
    EXPECT_EQ(s.transmit(), (Numbers{2, 3}));
    EXPECT_EQ(s.fault(), std::nullopt);
}

TEST(ProducerWindow, FailsWhenItsHelloIsRejected) {
    Script s;
    s.transmit();
    s.reply(wire::Nack{0, Reason::malformed, "the name is reserved", 0});
    EXPECT_EQ(s.fault(), ProducerFault::rejected);
}

TEST(ProducerWindow, FailsOnTimeAheadOfEngineClock) {
    Script s;
    s.add(3);
    s.open();
    s.transmit();
    s.ack(1);
    s.reply(wire::Nack{0, Reason::ahead_of_clock, "the time of event 2 is ahead", 2});
    EXPECT_EQ(s.fault(), ProducerFault::ahead_of_clock);
    EXPECT_STREQ(s.window.failure()->what(), "the time of event 2 is ahead");
    EXPECT_EQ(s.window.first_unanswered(), 2U);
    EXPECT_TRUE(s.refused.empty()) << "its number may come again";
}

TEST(ProducerWindow, ResendsUntakenEventsToNextEngine) {
    Script s;
    s.add(3);
    s.open();
    s.transmit();
    s.ack(1);
    EXPECT_FALSE(s.window.engine_ended());
    s.reply(wire::Ending{});
    EXPECT_TRUE(s.window.engine_ended());
    EXPECT_EQ(s.window.unanswered(), 2U);
    EXPECT_FALSE(s.window.failure());
    EXPECT_TRUE(s.transmit().empty()) << "nobody takes it";
    s.now += 100ms;
    EXPECT_TRUE(s.transmit().empty()) << "a Hello, but no event";
    s.life = 2;
    s.welcome(2);
    EXPECT_FALSE(s.window.engine_ended());
    EXPECT_EQ(s.transmit(), (std::vector<std::uint64_t>{2, 3}));
}

wire::Nack stale(std::uint64_t newest) {
    return {0, Reason::stale_epoch, "below its newest epoch", 0, newest};
}

TEST(ProducerWindow, RaisesEpochAfterClockStepsBack) {
    Script s({}, {5, true});
    s.add(2);
    s.transmit();
    s.reply(stale(9));
    EXPECT_EQ(s.fault(), std::nullopt);
    EXPECT_EQ(s.window.epoch(), 10U);
    EXPECT_EQ(s.window.next(s.now).action, Action::hello) << "at once";
    s.transmit();
    s.reply(stale(9));  // to a repeated Hello of the epoch before
    EXPECT_EQ(s.window.epoch(), 10U);
    EXPECT_EQ(s.fault(), std::nullopt);
    s.welcome(1);
    EXPECT_EQ(s.transmit(), (Numbers{1, 2}));
    s.reply(stale(12));
    EXPECT_EQ(s.fault(), ProducerFault::stale_epoch) << "events of this epoch are on the way";
}

TEST(ProducerWindow, KeepsChosenAndHighestEpochs) {
    Script chosen({}, {5, false});
    chosen.transmit();
    chosen.reply(stale(9));
    EXPECT_EQ(chosen.fault(), ProducerFault::stale_epoch);
    Script older({}, {5, true});
    older.transmit();
    older.reply(stale(0));  // an engine that does not say
    EXPECT_EQ(older.fault(), ProducerFault::stale_epoch);
    Script last({}, {5, true});
    last.transmit();
    last.reply(stale(~std::uint64_t{0}));
    EXPECT_EQ(last.fault(), ProducerFault::stale_epoch);
}

TEST(ProducerWindow, ReportsRefusedCountUntilOneIsTaken) {
    Script s;
    s.add(4);
    s.open();
    s.transmit();
    EXPECT_EQ(s.window.hello("p").refused_up_to, 0U);
    s.reply(wire::Nack{1, Reason::unknown_group, "no such group", 2});
    s.reply(wire::Nack{2, Reason::unknown_group, "no such group", 3});
    EXPECT_EQ(s.window.hello("p").refused_up_to, 2U);
    s.ack(3);
    EXPECT_EQ(s.window.hello("p").refused_up_to, 0U);
}

TEST(ProducerWindow, NamesNewestKnownEventAfterRestart) {
    Script s;
    s.add(6);
    s.open();
    s.transmit();
    s.reply(wire::Ack{1, 10, 0xa});
    s.reply(wire::Ack{3, 12, 0xc});
    s.reply(wire::Ack{2, 11, 0xb});
    EXPECT_EQ(s.known(), std::pair(Sequence{12}, std::uint64_t{0xc}));
    EXPECT_EQ(s.window.next(s.now).action, Action::none);
    s.life = 2;
    s.reply(wire::Ack{4, 13, 0xd});
    EXPECT_EQ(s.window.first_unanswered(), 5U) << "the answer counts";
    EXPECT_EQ(s.known(), std::pair(Sequence{12}, std::uint64_t{0xc})) << "but is of a recording that was not confirmed";
    EXPECT_EQ(s.window.next(s.now).action, Action::hello);
    s.transmit();
    s.reply(wire::Welcome{5, {}, 0, 12});
    EXPECT_EQ(s.known(), std::pair(Sequence{13}, std::uint64_t{0xd})) << "now it is";
    EXPECT_EQ(s.transmit(), (Numbers{5, 6}));
    s.reply(wire::Ack{5, 14, 0xe});
    EXPECT_EQ(s.known(), std::pair(Sequence{14}, std::uint64_t{0xe}));
    EXPECT_EQ(s.fault(), std::nullopt);
}

TEST(ProducerWindow, AsksAgainWhenWelcomeConfirmsLess) {
    Script s;
    s.add(4);
    s.open();
    s.transmit();
    s.reply(wire::Ack{1, 10, 0xa});
    s.now += 1000ms;
    s.transmit();  // a Hello that names event 10
    s.reply(wire::Ack{2, 11, 0xb});
    s.life = 2;
    s.reply(wire::Welcome{3, {}, 0, 10});
    EXPECT_EQ(s.window.next(s.now).action, Action::hello) << "event 11 is not confirmed";
    s.transmit();
    s.reply(wire::Welcome{3, {}, 0, 11});
    EXPECT_EQ(s.transmit(), (Numbers{3, 4}));
}

TEST(ProducerWindow, FailsWhenEngineLacksAckedEvents) {
    Script s;
    s.add(3);
    s.open();
    s.transmit();
    s.reply(wire::Ack{1, 10, 0xa});
    s.life = 2;
    s.reply(wire::Ack{2, 8, 0x8});
    s.transmit();
    s.reply(wire::Nack{0, Reason::lost_events, "the recording ends with event 8", 0});
    EXPECT_EQ(s.fault(), ProducerFault::lost_events);
    EXPECT_STREQ(s.window.failure()->what(), "the recording ends with event 8");
    EXPECT_EQ(s.window.next(s.now).action, Action::none);
}

TEST(ProducerWindow, AsksNothingOfEngineWithoutLife) {
    Script s;
    s.life = 0;
    s.add(3);
    s.open();
    s.transmit();
    s.reply(wire::Ack{1, 10, 0xa});
    s.reply(wire::Ack{2, 11, 0xb});
    EXPECT_EQ(s.window.next(s.now).action, Action::none);
    EXPECT_EQ(s.known(), std::pair(Sequence{11}, std::uint64_t{0xb}));
}

TEST(ProducerWindow, RefusesLimitsAndIntervalsOutOfRange) {
    const auto make = [](ProducerWindow::Limits limits, ProducerTiming times) {
        return [=] { ProducerWindow(limits, times, began); };
    };
    EXPECT_THROW(make({.messages = 0, .bytes = 1}, {})(), InvalidInput);
    EXPECT_THROW(make({}, {.answer_timeout = 0ms, .hello_interval = 1ms, .hello_interval_max = 1ms})(), InvalidInput);
    EXPECT_THROW(make({}, {.answer_timeout = 1ms, .hello_interval = 0ms, .hello_interval_max = 1ms})(), InvalidInput);
    EXPECT_THROW(make({}, {.answer_timeout = 1ms, .hello_interval = 2ms, .hello_interval_max = 1ms})(), InvalidInput);
}

TEST(ProducerWindow, CountsLatePointsOncePerEvent) {
    Script s;
    s.add(3);
    s.open();
    s.transmit();
    EXPECT_EQ(s.window.statistics().late_before, std::nullopt);
    s.reply(wire::Ack{1, 1, 0, 20, -500});
    s.reply(wire::Ack{1, 1, 0, 20, -500});
    s.reply(wire::Ack{2, 2, 0, 5, -400});
    s.ack(3);
    EXPECT_EQ(s.window.statistics().late_points, 25U);
    EXPECT_EQ(s.window.statistics().late_before, -400);
}

}  // namespace
}  // namespace fairstream::zmq
