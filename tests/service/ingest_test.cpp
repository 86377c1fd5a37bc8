/// Numbering, refusals, and when answers leave.

#include <capnp/message.h>
#include <capnp/serialize.h>

#include <fairstream/options.hpp>

#include "fairstream.capnp.h"
#include "service/fixture.hpp"
#include "support/largest_request.hpp"
#include "support/names.hpp"

namespace fairstream::service {
namespace {

using test::Names;

using wire::Ack;
using wire::Nack;
using wire::Welcome;

class Ingest : public ServiceTest {
protected:
    template <class Body> Body answer(const Message& message) {
        const auto reply = send(*service_, message);
        EXPECT_TRUE(std::holds_alternative<Body>(reply.value.body));
        return std::get<Body>(reply.value.body);
    }
    [[nodiscard]] std::uint64_t refused() const { return service_->recording().refused_count(); }
};

/// An event with a readable number and an unreadable column.
Message half_a_float(const std::string& producer, std::uint64_t epoch, std::uint64_t number) {
    capnp::MallocMessageBuilder builder;
    auto out = builder.initRoot<schema::IngestRequest>().initEvent();
    out.setProducer(producer);
    out.setEpoch(epoch);
    out.setProducerSequence(number);
    out.initBatch().initFeatures(5);
    const auto words = capnp::messageToFlatArray(builder);
    const auto bytes = std::as_bytes(std::span(words.begin(), words.size()));
    return {bytes.begin(), bytes.end()};
}

TEST_F(Ingest, WelcomeHasFormatCreditAndNumber) {
    begin({.credit = 17});
    const auto reply = send(*service_, hello("p", 3));
    EXPECT_EQ(reply.value.credit, 17U);
    EXPECT_EQ(reply.value.recording, service_->recording().id());
    EXPECT_EQ(std::get<Welcome>(reply.value.body).next_producer_sequence, 1U);
    EXPECT_EQ(std::get<Welcome>(reply.value.body).format, options_.format);
    answer<Ack>(batch("p", 3, 1));
    answer<Ack>(batch("p", 3, 2));
    EXPECT_EQ(answer<Welcome>(hello("p", 3)).next_producer_sequence, 3U);
    EXPECT_EQ(answer<Welcome>(hello("p", 4)).next_producer_sequence, 1U);
    EXPECT_EQ(answer<Welcome>(hello("q", 0)).next_producer_sequence, 1U);
    EXPECT_EQ(answer<Nack>(hello("p", 2)).reason, Reason::stale_epoch);
}

TEST_F(Ingest, WelcomeSaysHowLongAnEventMayBe) {
    begin();
    EXPECT_EQ(answer<Welcome>(hello("p", 1)).max_message_bytes, 0U);
    service_->set_message_limit(12345);
    EXPECT_EQ(answer<Welcome>(hello("p", 1)).max_message_bytes, 12345U);
}

TEST_F(Ingest, WelcomeSaysWhenPointsLeaveTheWindow) {
    constexpr std::int64_t max_age = 1000, time = 5'000'000;
    EngineOptions options = small_options();
    options.window.max_age = max_age;
    begin({}, options);
    EXPECT_EQ(answer<Welcome>(hello("p", 1)).window_limits, (wire::WindowLimits{max_age, 0, options.window.capacity}));
    columns_ = points_.next(3);
    columns_.event_time = time;
    (void)answer<Ack>(event("p", 1, 1, columns_.view()));
    EXPECT_EQ(answer<Welcome>(hello("q", 1)).window_limits,
              (wire::WindowLimits{max_age, time, options.window.capacity}));
    begin();
    EXPECT_EQ(answer<Welcome>(hello("p", 1)).window_limits,
              (wire::WindowLimits{.capacity = small_options().window.capacity}))
        << "of a window without ages";
}

TEST_F(Ingest, WelcomeSaysWhetherFeaturesAreScaled) {
    begin();
    EXPECT_FALSE(answer<Welcome>(hello("p", 1)).scales);
    const auto scales = [&](const ColumnPreparation& column, bool unit_rows = false) {
        EngineOptions options = small_options();
        options.prepare.columns.assign(options.format.dimensions, {});
        options.prepare.columns.back() = column;
        options.prepare.unit_rows = unit_rows;
        begin({}, options);
        return answer<Welcome>(hello("p", 1)).scales;
    };
    EXPECT_FALSE(scales({}));
    EXPECT_TRUE(scales({.scale = Scale::running}));
    EXPECT_TRUE(scales({.at_most = 1}));
    EXPECT_TRUE(scales({.log = true}));
    EXPECT_TRUE(scales({}, true));
}

TEST_F(Ingest, LongRefusedMessageIsCutBeforeCopy) {
    begin();
    for (const std::size_t size : {std::size_t{8} << 20, (std::size_t{8} << 20) - 1}) {
        const Message junk(size, std::byte{0xff});
        service_->handle_ingest("client", junk);  // makes room for messages as long as this
        const std::size_t largest = largest_request([&] { service_->handle_ingest("client", junk); });
        EXPECT_LE(largest, std::size_t{64} << 10) << size;
        service_->commit();
        const std::vector<log::Refusal> refusals = service_->recording().refusals();
        EXPECT_EQ(refusals.back().message, Message(64 << 10, std::byte{0xff}));
    }
}

TEST_F(Ingest, TimeAheadIsWarnedOf) {
    constexpr std::int64_t day = 24 * 3'600'000'000LL, now = 20'000 * day;
    std::vector<std::string> warnings;
    EngineOptions options = small_options();
    options.window.max_age = day;
    begin({.warn = [&](const std::string& text) { warnings.push_back(text); },
           .clock = [] { return now; },
           .ahead_at_most = wire::any_time_ahead},
          options);
    std::uint64_t number = 0;
    const auto send = [&](std::int64_t time) {
        columns_ = points_.next(3);
        columns_.event_time = time;
        (void)answer<Ack>(event("p", 1, ++number, columns_.view()));
    };
    send(now - day);
    send(now + day / 10);
    EXPECT_TRUE(warnings.empty()) << "no farther ahead than a tenth of max_age";
    send(now + 10 * day);
    send(now + 9 * day);
    ASSERT_EQ(warnings.size(), 1U) << "the second moves nothing";
    EXPECT_THAT(warnings[0], Names({"event 3 ", "'p'", "10 days", "fairstream export --leave-out-ahead"}));
    EXPECT_EQ(service_->counters().ahead, 1U);
}

/// A service whose clock a test sets.
class AheadOfTheClock : public Ingest {
protected:
    static constexpr std::int64_t minute = 60'000'000, day = 24 * 60 * minute;
    static constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();

    void begin_by_clock(std::int64_t ahead_at_most, std::int64_t max_age = 0) {
        EngineOptions options = small_options();
        options.window.max_age = max_age;
        begin(settings(ahead_at_most), options);
    }
    Settings settings(std::int64_t ahead_at_most) {
        return {.warn = [this](const std::string& text) { warnings_.push_back(text); },
                .clock = [this] { return now_; },
                .ahead_at_most = ahead_at_most};
    }
    Message at(std::uint64_t number, std::int64_t time) {
        columns_ = points_.next(3);
        columns_.event_time = time;
        return event("p", 1, number, columns_.view());
    }

    std::int64_t now_ = 20'000 * day;
    std::vector<std::string> warnings_;
};

TEST_F(AheadOfTheClock, EventIsRefusedWithoutUsingNumber) {
    begin_by_clock(0);
    (void)answer<Ack>(at(1, now_ + day));
    for (const std::int64_t time : {now_ + day + 1, latest}) {
        const Nack nack = answer<Nack>(at(2, time));
        EXPECT_EQ(nack.reason, Reason::ahead_of_clock);
        EXPECT_EQ(nack.producer_sequence, 0U) << "so that no version takes it for final";
        EXPECT_EQ(nack.next_producer_sequence, 2U);
    }
    EXPECT_THAT(warnings_[0], Names({"event 2 ", "'p'", "1440 minutes", "ahead_at_most"}));
    EXPECT_EQ(service_->engine().sequence(), 1U);
    EXPECT_EQ(refused(), 0U);
    EXPECT_EQ(service_->counters().refused_ahead, 2U);
    EXPECT_EQ(answer<Nack>(at(3, now_)).reason, Reason::sequence_gap) << "nothing after it is taken before it";
    EXPECT_EQ(answer<Ack>(at(2, now_)).sequence, 2U);
    EXPECT_EQ(answer<Ack>(at(3, now_)).late_points, 0U);
}

TEST_F(AheadOfTheClock, LimitDependsOnMaxAge) {
    constexpr std::int64_t hour = 60 * minute, second = 1'000'000;
    struct Case {
        std::int64_t max_age, set, limit;
    };
    for (const Case& each : {Case{0, 0, day}, Case{hour, 0, 6 * minute}, Case{30 * day, 0, day}, Case{1, 0, second},
                             Case{hour, 3 * day, 3 * day}, Case{0, 5, 5}}) {
        begin_by_clock(each.set, each.max_age);
        EXPECT_EQ(answer<Welcome>(hello("p", 1)).window_limits.ahead_at_most, each.limit);
        EXPECT_EQ(answer<Nack>(at(1, now_ + each.limit + 1)).reason, Reason::ahead_of_clock) << each.limit;
        (void)answer<Ack>(at(1, now_ + each.limit));
    }
}

TEST_F(AheadOfTheClock, LimitMayBeOff) {
    begin_by_clock(wire::any_time_ahead);
    EXPECT_EQ(answer<Welcome>(hello("p", 1)).window_limits.ahead_at_most, wire::any_time_ahead);
    (void)answer<Ack>(at(1, latest));
    begin({});
    EXPECT_EQ(answer<Welcome>(hello("p", 1)).window_limits.ahead_at_most, 0) << "not known";
    (void)answer<Ack>(at(1, latest));
}

TEST_F(AheadOfTheClock, ADuplicateIsAckedWhateverTheClockSays) {
    begin_by_clock(0);
    const Message first = at(1, now_);
    const Ack ack = answer<Ack>(first);
    for (const std::int64_t slow : {now_ - 30 * day, std::int64_t{0}, std::numeric_limits<std::int64_t>::min()}) {
        now_ = slow;
        EXPECT_EQ(answer<Ack>(first).sequence, ack.sequence);
        reopen(settings(0));
        EXPECT_EQ(answer<Ack>(first).sequence, ack.sequence) << "after a recovery, too";
        EXPECT_EQ(answer<Nack>(at(2, 20'000 * day)).reason, Reason::ahead_of_clock);
    }
}

TEST_F(AheadOfTheClock, ALimitBelowZeroIsRefused) {
    EXPECT_THROW(begin_by_clock(-1), InvalidInput);
}

TEST_F(Ingest, OperatorSeesChangesAndRefusals) {
    std::vector<std::string> warnings, told;
    begin({.warn = [&](const std::string& text) { warnings.push_back(text); },
           .inform = [&](const std::string& text) { told.push_back(text); }});
    feed(1, 2);
    EXPECT_TRUE(told.empty());
    (void)answer<Ack>(event("p", 1, 3, KnobChange{"fair", "candidates", "9"}));
    (void)answer<Ack>(event("p", 1, 4, Refinement{"fair", 2}));
    (void)answer<Nack>(event("p", 1, 5, KnobChange{"fair", "candidates", "none\x1b[2J"}));
    EXPECT_THAT(told, testing::ElementsAre(Names({"fair.candidates = 9", "event 3 ", "(p)"}),
                                           Names({"fair", "event 4 ", "(p)"})));
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0], testing::HasSubstr("'p'"));
    EXPECT_THAT(warnings[0], testing::Not(testing::HasSubstr("\x1b")));
    EXPECT_EQ(service_->counters().changes, 2U);
}

TEST_F(Ingest, OperatorSeesBoundChangesOnce) {
    EngineOptions options;
    options.format = {.dimensions = 1, .attributes = {{"sex", {"f", "m"}}}};
    options.window.capacity = 100;
    ModelOptions monitor = default_options("group_metrics");
    set_option(monitor, "prediction", "0");
    set_option(monitor, "parity_difference_at_most", "0.1");
    options.models = {{"monitor", monitor, {}}};
    std::vector<std::string> warnings, told;
    begin({.warn = [&](const std::string& text) { warnings.push_back(text); },
           .inform = [&](const std::string& text) { told.push_back(text); }},
          options);
    PointId next = 0;
    std::uint64_t number = 0;
    // Sends 50 points of each group; `selected` of the first and 25 of the second are selected.
    const auto send = [&](int selected) {
        columns_ = {};
        for (int i = 0; i < 100; ++i) {
            columns_.ids.push_back(next++);
            columns_.groups.push_back(static_cast<GroupId>(i % 2));
            columns_.features.push_back(i / 2 < (i % 2 == 0 ? selected : 25) ? 1.0F : 0.0F);
        }
        (void)answer<Ack>(event("p", 1, ++number, columns_.view()));
    };
    send(25);
    EXPECT_TRUE(warnings.empty());
    for (int again = 0; again < 2; ++again) send(50);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0], Names({"monitor: ", "parity", "sex", "event 2: 0.5, 95 % interval 0."}));
    send(31);
    send(50);
    EXPECT_EQ(warnings.size(), 1U) << "an unclear figure does not keep its bound";
    EXPECT_TRUE(told.empty());
    for (int again = 0; again < 2; ++again) send(25);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0], Names({"monitor: ", "parity", "sex", "event 6: 0, 95 % interval 0 to 0."}));
    send(0);
    EXPECT_EQ(warnings.size(), 2U);
    // A removed bound is not kept, and figures have no meaning for a threshold on one side of all predictions.
    const auto kept_again = [&] {
        return std::ranges::count_if(told, [](const auto& text) { return text.find("95 % interval") != text.npos; });
    };
    const auto set = [&](const char* option, const char* value) {
        (void)answer<Ack>(event("p", 1, ++number, KnobChange{"monitor", option, value}));
    };
    set("parity_difference_at_most", "0");
    EXPECT_EQ(kept_again(), 1);
    set("parity_difference_at_most", "0.1");
    EXPECT_EQ(warnings.size(), 3U);
    set("threshold", "5");
    set("threshold", "-5");
    ASSERT_EQ(warnings.size(), 5U);
    EXPECT_THAT(warnings[3], Names({"monitor: ", "100 predictions", "below"}));
    EXPECT_THAT(warnings[4], Names({"monitor: ", "100 predictions", "at least"}));
    EXPECT_EQ(kept_again(), 1);
}

TEST_F(Ingest, AckCountsLatePoints) {
    EngineOptions options = small_options();
    options.window.max_age = 100;
    std::vector<std::string> warnings;
    begin({.warn = [&](const std::string& text) { warnings.push_back(text); }}, options);
    const auto acked = [&](std::uint64_t number, std::int64_t time) {
        columns_ = points_.next(20);
        columns_.event_time = time;
        return answer<Ack>(event("p", 1, number, columns_.view()));
    };
    EXPECT_EQ(acked(1, 1000).late_points, 0U);
    EXPECT_EQ(acked(2, 900).late_points, 0U);
    const Ack late = acked(3, 899);
    EXPECT_EQ(late.late_points, 20U);
    EXPECT_EQ(late.late_before, 900);
    EXPECT_THAT(warnings, testing::ElementsAre(Names({"20 ", "event 3 ", "'p'"})));
    const Ack in_time = acked(4, 1001);
    EXPECT_EQ(in_time.late_points, 0U);
    EXPECT_EQ(in_time.late_before, 0);
    service_->commit();
    EXPECT_EQ(acked(3, 899).late_points, 0U) << "not known of a duplicate";
}

TEST_F(Ingest, DuplicateWaitsForCommit) {
    begin();
    const Message message = batch("p", 1, 1);
    service_->handle_ingest("first connection", message);
    service_->handle_ingest("second connection", message);
    EXPECT_TRUE(take(*service_).ingest.empty());
    EXPECT_EQ(service_->engine().sequence(), 1U);
    service_->commit();
    const Outbox out = take(*service_);
    ASSERT_EQ(out.ingest.size(), 2U);
    EXPECT_EQ(out.ingest[1].client, "second connection");
    for (const Reply& reply : out.ingest)
        EXPECT_EQ(std::get<Ack>(read_ingest_reply(reply.message.view()).value.body).sequence, 1U);
}

TEST_F(Ingest, WhatAKillUndoesIsExpectedAgain) {
    begin();
    answer<Ack>(batch("p", 1, 1));
    service_->handle_ingest("c", batch("p", 1, 2));
    reopen();
    EXPECT_EQ(service_->engine().sequence(), 1U);
    EXPECT_EQ(answer<Welcome>(hello("p", 1)).next_producer_sequence, 2U);
    EXPECT_EQ(answer<Ack>(batch("p", 1, 2)).sequence, 2U);
}

TEST_F(Ingest, AGapIsRefusedAndUsesUpNothing) {
    begin();
    answer<Ack>(batch("p", 1, 1));
    const Nack gap = answer<Nack>(batch("p", 1, 3));
    EXPECT_EQ(gap.reason, Reason::sequence_gap);
    EXPECT_EQ(gap.producer_sequence, 3U);
    EXPECT_EQ(gap.next_producer_sequence, 2U);
    EXPECT_THAT(gap.text, testing::HasSubstr("number 3 came where 2 is expected"));
    EXPECT_EQ(answer<Nack>(batch("p", 2, 7)).next_producer_sequence, 1U);
    EXPECT_EQ(refused(), 0U);
    EXPECT_EQ(answer<Ack>(batch("p", 1, 2)).sequence, 2U);
}

TEST_F(Ingest, ANewEpochShutsOutTheOldOne) {
    begin();
    answer<Ack>(batch("p", 5, 1));
    answer<Ack>(batch("p", 9, 1));
    const Nack stale = answer<Nack>(batch("p", 5, 2));
    EXPECT_EQ(stale.reason, Reason::stale_epoch);
    EXPECT_EQ(stale.next_producer_sequence, 0U);
    EXPECT_EQ(answer<Ack>(batch("p", 9, 2)).sequence, 3U);
}

TEST_F(Ingest, ContentRefusalIsFinal) {
    begin();
    answer<Ack>(batch("p", 1, 1));
    columns_ = points_.next(4);
    columns_.ids[3] = columns_.ids[0];
    const Nack first = answer<Nack>(event("p", 1, 2, columns_.view()));
    EXPECT_EQ(first.reason, Reason::repeated_id);
    EXPECT_EQ(first.producer_sequence, 2U);
    EXPECT_EQ(first.next_producer_sequence, 3U);
    reopen();
    const Nack again = answer<Nack>(batch("p", 1, 2));
    EXPECT_EQ(again.reason, Reason::repeated_id);
    EXPECT_EQ(again.text, first.text);
    EXPECT_EQ(refused(), 1U);
    EXPECT_EQ(answer<Ack>(batch("p", 1, 3)).sequence, 2U);
}

TEST_F(Ingest, UnreadableEventUsesNumber) {
    begin();
    const Nack nack = answer<Nack>(half_a_float("p", 1, 1));
    EXPECT_EQ(nack.reason, Reason::malformed);
    EXPECT_EQ(nack.producer_sequence, 1U);
    EXPECT_EQ(answer<Nack>(half_a_float("p", 1, 1)).reason, Reason::malformed);
    EXPECT_EQ(answer<Nack>(half_a_float("p", 1, 5)).reason, Reason::sequence_gap);
    EXPECT_EQ(refused(), 1U);
    EXPECT_EQ(answer<Ack>(batch("p", 1, 2)).sequence, 1U);
}

TEST_F(Ingest, UnreadableMessageIsNotReused) {
    begin();
    answer<Nack>(half_a_float("p", 1, 1));
    const Nack nack = answer<Nack>(Message(13));
    EXPECT_EQ(nack.producer_sequence, 0U);
    EXPECT_EQ(answer<Welcome>(hello("p", 1)).next_producer_sequence, 2U);
}

TEST_F(Ingest, TheNameOfControlRequestsIsReserved) {
    begin();
    EXPECT_EQ(answer<Nack>(hello("control", 1)).reason, Reason::malformed);
    const Nack nack = answer<Nack>(batch("control", 1, 1));
    EXPECT_THAT(nack.text, testing::HasSubstr("reserved"));
    EXPECT_EQ(answer<Nack>(half_a_float("control", 1, 1)).producer_sequence, 0U);
    EXPECT_EQ(service_->engine().sequence(), 0U);
    EXPECT_TRUE(
        std::holds_alternative<wire::Done>(ask(*service_, KnobChange{"fair", "kmeans_updates", "3"}).value.body));
}

TEST_F(Ingest, NumbersStartAtOne) {
    begin();
    constexpr std::uint64_t highest = ~std::uint64_t{0};
    EXPECT_EQ(answer<Nack>(batch("p", 1, 0)).reason, Reason::malformed);
    EXPECT_EQ(answer<Ack>(batch("p", 0, 1)).sequence, 1U);
    EXPECT_EQ(answer<Nack>(batch("p", 0, highest)).reason, Reason::sequence_gap);
    EXPECT_EQ(answer<Ack>(batch("p", highest, 1)).sequence, 2U);
    reopen();
    EXPECT_EQ(answer<Welcome>(hello("p", highest)).next_producer_sequence, 2U);
    EXPECT_EQ(answer<Ack>(batch("p", highest, 1)).sequence, 2U);
    EXPECT_EQ(answer<Nack>(hello("p", highest - 1)).reason, Reason::stale_epoch);
}

TEST_F(Ingest, ALongQuoteIsCut) {
    begin();
    const Nack nack = answer<Nack>(event("p", 1, 1, KnobChange{"fair", "swaps", std::string(10'000, 'x')}));
    EXPECT_EQ(nack.reason, Reason::bad_option);
    EXPECT_LT(nack.text.size(), 1100U);
}

TEST_F(Ingest, DamagedMessageIsHarmless) {
    begin();
    std::uint64_t epoch = 1;
    for (int round = 0; round < 150; ++round) {
        // A flipped bit may have raised an epoch, so that the true one is stale.
        const auto greeted = send(*service_, hello("p", epoch));
        if (const auto* stale = std::get_if<Nack>(&greeted.value.body)) epoch = stale->newest_epoch + 1;
        std::uint64_t number = answer<Welcome>(hello("p", epoch)).next_producer_sequence;
        for (int i = 0; i < 20; ++i) {
            Message message = batch("p", epoch, number + points_.below(2), 2);
            for (std::uint64_t flips = points_.below(3); flips > 0; --flips) {
                message[points_.below(message.size())] ^= static_cast<std::byte>(1U << points_.below(8));
            }
            if (points_.below(10) == 0) message.resize(points_.below(message.size()));
            const Sequence before = service_->engine().sequence();
            service_->handle_ingest("c", message);
            number += service_->engine().sequence() - before;
        }
        service_->commit();
        ASSERT_EQ(take(*service_).ingest.size(), 20U);
    }
    EXPECT_GT(service_->engine().sequence(), 0U);
    EXPECT_GT(refused(), 0U);
    const Message state = saved_state(*service_);
    reopen();
    EXPECT_EQ(saved_state(*service_), state);
}

}  // namespace
}  // namespace fairstream::service
