/// Which producers are remembered, and what forgotten ones are told: nothing is applied twice, or lost silently.

#include <fairstream/service/recorded_events.hpp>

#include "service/fixture.hpp"

namespace fairstream::service {
namespace {

using wire::Ack;
using wire::Nack;
using wire::Welcome;

class RememberedProducers : public ServiceTest {
protected:
    template <class Body> Body answer(const Message& message, const Client& client = {}) {
        const auto reply = send(*service_, message, client);
        EXPECT_TRUE(std::holds_alternative<Body>(reply.value.body));
        return std::get<Body>(reply.value.body);
    }
    [[nodiscard]] Message bad(const std::string& producer, std::uint64_t epoch, std::uint64_t number) {
        return event(producer, epoch, number, KnobChange{"nobody", "swaps", "1"});
    }
    [[nodiscard]] Message hello_after(const std::string& producer, std::uint64_t epoch, std::uint64_t refused) {
        wire::Encoder encoder;
        return copied(wire::write(wire::IngestRequest{wire::Hello{producer, epoch, refused}}, encoder));
    }
    [[nodiscard]] std::uint32_t producers() {
        return std::get<wire::Health>(ask(*service_, wire::HealthRequest{}).value.body).producers;
    }
    [[nodiscard]] static std::uint64_t epoch_of(int i) { return 100 + static_cast<std::uint64_t>(i); }
    /// Sends one event from each of `count` producers, named from `first` on, with rising epochs.
    void introduce(int first, int count, const Client& client = {}) {
        for (int i = first; i < first + count; ++i) {
            const std::string name = "p" + std::to_string(i);
            EXPECT_EQ(answer<Ack>(batch(name, epoch_of(i), 1, 2), client).producer_sequence, 1U);
        }
    }
    [[nodiscard]] std::map<std::string, std::string> owners() {
        std::map<std::string, std::string> owners;
        for (const auto& [name, known] : service_->recording().producers()) owners.emplace(name, known.owner);
        return owners;
    }

    const Client honest_{.identity = "key:honest"}, greedy_{.identity = "key:greedy", .names = 8};
};

TEST_F(RememberedProducers, RefusedNewcomersAreNotKept) {
    begin();
    constexpr int many = 6000;  // more than are remembered in memory
    for (int i = 0; i < many; ++i) service_->handle_ingest("c", bad("p" + std::to_string(i), 1, 1));
    service_->commit();
    EXPECT_EQ(producers(), 0U);
    EXPECT_TRUE(service_->recording().producers().empty());
    reopen();
    EXPECT_EQ(service_->recording().refused_count(), static_cast<std::uint64_t>(many));
    EXPECT_FALSE(service_->recording().refusals().empty()) << "the newest are still shown";
    EXPECT_FALSE(service_->recording().find_refusal("p5999", {1, 1}).has_value());
    EXPECT_EQ(answer<Welcome>(hello("p5999", 1)).next_producer_sequence, 1U);
}

TEST_F(RememberedProducers, NewcomersRefusalsSurvive) {
    begin();
    const Nack first = answer<Nack>(bad("p", 1, 1));
    EXPECT_EQ(answer<Nack>(bad("p", 1, 1)).text, first.text) << "a duplicate is answered as its original";
    EXPECT_EQ(answer<Nack>(batch("p", 1, 3)).next_producer_sequence, 2U);
    EXPECT_EQ(answer<Nack>(bad("p", 1, 2)).reason, Reason::unknown_model);
    EXPECT_EQ(answer<Ack>(batch("p", 1, 3)).sequence, 1U);
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(answer<Nack>(batch("p", 1, 1)).text, first.text);
        EXPECT_EQ(answer<Nack>(batch("p", 1, 2)).reason, Reason::unknown_model);
        EXPECT_EQ(answer<Ack>(batch("p", 1, 3)).sequence, 1U);
        EXPECT_EQ(answer<Welcome>(hello("p", 1)).next_producer_sequence, 4U);
        EXPECT_EQ(service_->recording().refused_count(), 2U);
        reopen();
    }
}

TEST_F(RememberedProducers, RestartedNewcomerContinues) {
    begin();
    answer<Nack>(bad("p", 1, 1));
    answer<Nack>(bad("p", 1, 2));
    reopen();
    EXPECT_EQ(answer<Nack>(batch("p", 1, 3)).next_producer_sequence, 1U) << "nothing was kept of it";
    EXPECT_EQ(answer<Welcome>(hello_after("p", 1, 2)).next_producer_sequence, 3U);
    EXPECT_EQ(answer<Ack>(batch("p", 1, 3)).sequence, 1U);
    EXPECT_EQ(answer<Welcome>(hello_after("p", 1, 9)).next_producer_sequence, 4U) << "more is known than it says";
    EXPECT_EQ(answer<Nack>(batch("p", 1, 2)).producer_sequence, 2U) << "never taken, and said so";
    reopen();
    EXPECT_EQ(answer<Welcome>(hello("p", 1)).next_producer_sequence, 4U);
}

TEST_F(RememberedProducers, IdleProducerExpires) {
    const Settings settings{.producer_idle_events = 32};
    begin(settings);
    const Message old = batch("p", 5, 1);
    EXPECT_EQ(answer<Ack>(old).sequence, 1U);
    std::uint64_t number = 0;
    while (service_->engine().sequence() < 34) answer<Ack>(batch("q", 2, ++number, 2));
    EXPECT_EQ(answer<Ack>(old).sequence, 1U) << "two more make it worth while";
    while (producers() == 2 && number < 100) answer<Ack>(batch("q", 2, ++number, 2));
    ASSERT_EQ(producers(), 1U) << "q alone sends events";
    const Sequence expired_at = service_->engine().sequence();
    EXPECT_EQ(expired_at, number + 2) << "the expiry is an event of its own";
    for (int turn = 0; turn < 2; ++turn) {
        const Nack stale = answer<Nack>(old);
        EXPECT_EQ(stale.reason, Reason::stale_epoch);
        EXPECT_EQ(stale.newest_epoch, 5U);
        EXPECT_EQ(answer<Nack>(hello("somebody new", 5)).newest_epoch, 5U) << "who else may have been forgotten";
        EXPECT_EQ(answer<Welcome>(hello("somebody new", 6)).next_producer_sequence, 1U);
        EXPECT_EQ(answer<Welcome>(hello("q", 2)).next_producer_sequence, number + 1);
        reopen(settings);
        EXPECT_EQ(service_->engine().sequence(), expired_at);
    }
    EXPECT_EQ(answer<Ack>(batch("p", 6, 1)).sequence, expired_at + 1);
    EXPECT_TRUE(
        std::holds_alternative<wire::Done>(ask(*service_, KnobChange{"fair", "kmeans_updates", "3"}).value.body));
    const Message state = saved_state(*service_);
    Engine engine(options_);
    replay_events(service_->recording(), engine, 0, [](const auto&) {});
    EXPECT_EQ(engine.save(), state);
}

TEST_F(RememberedProducers, AboveTheMostTheIdlestExpire) {
    const Settings settings{.producers = 20};
    begin(settings);
    introduce(0, 20);
    EXPECT_EQ(producers(), 20U);
    introduce(20, 80);
    EXPECT_LE(producers(), 20U);
    EXPECT_GE(producers(), 18U);
    const auto known = service_->recording().producers();
    EXPECT_TRUE(known.contains("p99"));
    EXPECT_FALSE(known.contains("p0"));
    EXPECT_EQ(answer<Nack>(batch("p0", epoch_of(0), 1)).reason, Reason::stale_epoch);
    const Nack newcomer = answer<Nack>(batch("p100", epoch_of(1), 1));
    EXPECT_EQ(newcomer.reason, Reason::stale_epoch) << "it could be one of those forgotten";
    EXPECT_EQ(answer<Ack>(batch("p100", newcomer.newest_epoch + 1, 1)).producer_sequence, 1U);
    const auto before = service_->recording().producers();
    reopen(settings);
    EXPECT_EQ(service_->recording().producers(), before);
    EXPECT_EQ(answer<Ack>(batch("p99", epoch_of(99), 2)).producer_sequence, 2U);
}

TEST_F(RememberedProducers, OnlyTheEngineLetsProducersExpire) {
    begin();
    feed(1, 5);
    EXPECT_EQ(answer<Nack>(event("q", 1, 1, ProducerExpiry{3})).reason, Reason::malformed);
    EXPECT_EQ(producers(), 1U);
}

TEST_F(RememberedProducers, HighestEpochNeverExpires) {
    const Settings settings{.producer_idle_events = 16, .producers = 4};
    begin(settings);
    constexpr std::uint64_t highest = ~std::uint64_t{0};
    EXPECT_EQ(answer<Ack>(batch("last", highest, 1)).sequence, 1U);
    introduce(0, 4);
    std::uint64_t epoch = epoch_of(100);
    for (int i = 0; i < 40; ++i) {
        const Message message = batch("r" + std::to_string(i), ++epoch, 1, 2);
        EXPECT_EQ(answer<Ack>(message).producer_sequence, 1U) << i;
    }
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(answer<Ack>(batch("last", highest, 1)).sequence, 1U);
        EXPECT_EQ(answer<Welcome>(hello("last", highest)).next_producer_sequence, 2U);
        reopen(settings);
    }
}

TEST_F(RememberedProducers, ClientsNamesAreIndependent) {
    const Settings settings{.producers = 20};
    begin(settings);
    const Message first = batch("desk", 5, 1);
    EXPECT_EQ(answer<Ack>(first, honest_).sequence, 1U);
    const Client all_names{.identity = "key:all names", .names = 1000};
    introduce(0, 200, all_names);
    for (int turn = 0; turn < 2; ++turn) {
        EXPECT_EQ(answer<Ack>(first, honest_).sequence, 1U) << "it is still known";
        EXPECT_EQ(answer<Welcome>(hello("another desk", 1), honest_).next_producer_sequence, 1U);
        EXPECT_EQ(answer<Nack>(hello("a new name", 1), all_names).reason, Reason::stale_epoch) << "its own floor";
        EXPECT_LE(producers(), 20U);
        reopen(settings);
    }
}

TEST_F(RememberedProducers, ClientLimitForgetsIdlest) {
    begin();
    EXPECT_EQ(answer<Ack>(batch("desk", 5, 1), honest_).sequence, 1U);
    introduce(0, 30, greedy_);
    for (int turn = 0; turn < 2; ++turn) {
        const auto known = owners();
        EXPECT_EQ(known.at("desk"), "key:honest");
        EXPECT_EQ(known.at("p29"), "key:greedy");
        EXPECT_FALSE(known.contains("p0"));
        EXPECT_EQ(
            std::ranges::count(known, std::string("key:greedy"), &std::pair<const std::string, std::string>::second),
            8);
        EXPECT_EQ(answer<Nack>(batch("p0", epoch_of(0), 2), greedy_).reason, Reason::stale_epoch);
        EXPECT_EQ(answer<Welcome>(hello("a new name", 1), honest_).next_producer_sequence, 1U);
        reopen();
    }
    const Message state = saved_state(*service_);
    Engine engine(options_);
    replay_events(service_->recording(), engine, 0, [](const auto&) {});
    EXPECT_EQ(engine.save(), state);
}

TEST_F(RememberedProducers, FarEpochIsRefused) {
    constexpr std::int64_t now = 1'700'000'000'000'000, day = 86'400'000'000;
    const Settings settings{.clock = [] { return now; }};
    begin(settings);
    for (const std::uint64_t epoch : {std::uint64_t{1} << 62, static_cast<std::uint64_t>(now + day + 1)}) {
        const Nack refused = answer<Nack>(batch("p", epoch, 1), greedy_);
        EXPECT_EQ(refused.reason, Reason::ahead_of_clock);
        EXPECT_EQ(refused.producer_sequence, 0U) << "the number can be used";
        EXPECT_EQ(answer<Nack>(hello("p", epoch), greedy_).reason, Reason::ahead_of_clock);
    }
    const auto newest = static_cast<std::uint64_t>(now + day);
    EXPECT_EQ(answer<Ack>(batch("p", newest, 1), greedy_).sequence, 1U);
    EXPECT_EQ(answer<Ack>(batch("small", 1, 1), greedy_).sequence, 2U);
}

TEST_F(RememberedProducers, OldFarEpochContinues) {
    begin();  // without a clock, as older versions
    const Message first = batch("p", std::uint64_t{1} << 62, 1);
    EXPECT_EQ(answer<Ack>(first).sequence, 1U);
    reopen({.clock = [] { return std::int64_t{1'700'000'000'000'000}; }});
    EXPECT_EQ(answer<Ack>(first, honest_).sequence, 1U) << "a duplicate";
    EXPECT_EQ(answer<Ack>(batch("p", std::uint64_t{1} << 62, 2), honest_).sequence, 2U);
}

TEST_F(RememberedProducers, RemovedProducerHasOwnFloor) {
    begin();
    const Message old = batch("gone", 7, 1);
    EXPECT_EQ(answer<Ack>(old, greedy_).sequence, 1U);
    EXPECT_EQ(answer<Ack>(batch("stays", 3, 1), greedy_).sequence, 2U);
    EXPECT_EQ(std::get<wire::Done>(ask(*service_, wire::RemovalRequest{"gone"}).value.body).sequence, 3U);
    for (int turn = 0; turn < 2; ++turn) {
        const auto listed = std::get<wire::Producers>(ask(*service_, wire::ProducersRequest{}).value.body).producers;
        EXPECT_THAT(listed, testing::ElementsAre(wire::ProducerState{"stays", "key:greedy", 3, 1, 2}));
        EXPECT_EQ(answer<Nack>(old, greedy_).reason, Reason::stale_epoch) << "nothing counts twice";
        EXPECT_EQ(answer<Nack>(batch("gone", 7, 2), honest_).reason, Reason::stale_epoch);
        EXPECT_EQ(answer<Welcome>(hello("new", 1), greedy_).next_producer_sequence, 1U) << "no floor of others";
        EXPECT_EQ(answer<Welcome>(hello("stays", 3), greedy_).next_producer_sequence, 2U);
        reopen();
    }
    EXPECT_EQ(answer<Ack>(batch("gone", 8, 1), honest_).sequence, 4U);
    EXPECT_EQ(owners().at("gone"), "key:honest");
    reopen();
    EXPECT_EQ(answer<Welcome>(hello("gone", 8), honest_).next_producer_sequence, 2U);
    const auto refused = ask(*service_, wire::RemovalRequest{"nobody"});
    EXPECT_EQ(std::get<Nack>(refused.value.body).reason, Reason::unknown_request);
    const auto own = ask(*service_, wire::RemovalRequest{std::string(control_producer)});
    EXPECT_EQ(std::get<Nack>(own.value.body).reason, Reason::not_allowed);
}

TEST_F(RememberedProducers, OldNamesHaveNoOwner) {
    begin();
    introduce(0, 12);
    EXPECT_THAT(owners(), testing::Each(testing::Pair(testing::_, "")));
    reopen();
    EXPECT_EQ(answer<Ack>(batch("p3", epoch_of(3), 2), greedy_).producer_sequence, 2U);
    EXPECT_EQ(owners().at("p3"), "key:greedy");
    EXPECT_EQ(owners().at("p4"), "");
    introduce(20, 7, greedy_);
    EXPECT_EQ(producers(), 19U) << "those of nobody count for no limit";
}

TEST_F(RememberedProducers, SettingsOutOfRangeAreRefused) {
    EXPECT_THROW(begin({.producer_idle_events = 0}), InvalidInput);
    EXPECT_THROW(begin({.producers = 0}), InvalidInput);
}

}  // namespace
}  // namespace fairstream::service
