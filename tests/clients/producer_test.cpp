/// The producer over real sockets; the test plays the engine.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>

#include <fairstream/wire/text_id.hpp>
#include <fairstream/zmq/producer.hpp>

#include "clients/fake_server.hpp"

namespace fairstream::zmq {
namespace {

using namespace test;

const StreamFormat format{.dimensions = 2, .attributes = {{"sex", {"f", "m"}}}, .has_targets = false};

/// The engine's rules for one producer, over a socket.
class FakeIngest {
public:
    explicit FakeIngest(std::string endpoint) : endpoint_(std::move(endpoint)) { start(); }

    void start() { server_ = std::make_unique<FakeServer>(::zmq::socket_type::router, endpoint_); }
    void stop() { server_.reset(); }
    /// Answers the waiting messages; returns whether there were any.
    bool serve() {
        bool any = false;
        while (auto in = server_->receive()) {
            any = true;
            const auto answer = handle(wire::read_ingest_request(in->message));
            if (answer) server_->reply(*in, wire::write(wire::IngestReply{recording, credit, *answer}, encoder_));
        }
        return any;
    }
    FakeServer& server() { return *server_; }

    using Body = decltype(wire::IngestReply::body);
    std::function<Body(const wire::EventMessage&, Body)> on_event = [](const auto&, Body body) { return body; };
    std::uint64_t mute_from = 1000;  // events from this number on are taken without an answer
    wire::RecordingId recording{};
    std::uint32_t credit = 16;
    std::uint64_t next = 1;
    int hellos = 0;
    StreamFormat format_of_stream = format;
    std::vector<std::string> taken;  // what was taken, in order

private:
    std::optional<Body> handle(const wire::IngestRequest& request) {
        if (std::holds_alternative<wire::Hello>(request)) {
            ++hellos;
            return wire::Welcome{next, format_of_stream};
        }
        const auto& event = std::get<wire::EventMessage>(request);
        const std::uint64_t number = event.producer_sequence;
        if (number > next) return wire::Nack{number, Reason::sequence_gap, "gap", next};
        auto answer = on_event(event, wire::Ack{number, 100 + number});
        if (number == next) {
            ++next;
            if (std::holds_alternative<wire::Ack>(answer)) taken.push_back(text(event));
        }
        if (number >= mute_from) return std::nullopt;
        return answer;
    }
    static std::string text(const wire::EventMessage& event) {
        if (const auto* batch = std::get_if<PointBatch>(&event.event)) return "batch " + std::to_string(batch->ids[0]);
        if (const auto* knob = std::get_if<KnobChange>(&event.event)) return knob->option + "=" + knob->value;
        return "refine " + std::to_string(std::get<Refinement>(event.event).rounds);
    }

    std::string endpoint_;
    std::unique_ptr<FakeServer> server_;
    wire::Encoder encoder_;
};

PointColumns points(PointId id) {
    return {.ids = {id}, .features = {1, 2}, .groups = {0}, .targets = {}, .event_time = 0};
}

class ProducerTest : public testing::Test {
protected:
    ProducerOptions options() const {
        ProducerOptions out;
        out.endpoint = endpoint;
        out.name = "desk";
        out.epoch = 5;
        out.timing = {.answer_timeout = 200ms, .hello_interval = 50ms, .hello_interval_max = 100ms};
        return out;
    }
    /// Runs both sides until `reached`.
    bool run(Producer& producer, const std::function<bool()>& reached) {
        return eventually([&] {
            engine.serve();
            producer.poll(5ms);
            return reached();
        });
    }
    static void send(Producer& producer, PointId id) {
        EXPECT_TRUE(producer.try_send(points(id).view())) << "no room for batch " << id;
    }

    Folder folder;
    std::string endpoint = folder.endpoint("ingest");
    FakeIngest engine{endpoint};
};

TEST_F(ProducerTest, DeliversEventsInOrderAndLearnsTheFormat) {
    Producer producer(options());
    EXPECT_FALSE(producer.format());
    EXPECT_EQ(producer.try_send(points(7).view()), 1U);
    EXPECT_EQ(producer.set_option({"m", "swaps", "8"}, 0ms), 2U);
    EXPECT_EQ(producer.refine({"m", 3}, 0ms), 3U);
    EXPECT_EQ(producer.try_send(points(8).view()), 4U);
    ASSERT_TRUE(run(producer, [&] { return producer.unanswered() == 0; }));
    EXPECT_EQ(producer.format(), format);
    EXPECT_EQ(producer.recording(), engine.recording);
    EXPECT_EQ(engine.taken, (std::vector<std::string>{"batch 7", "swaps=8", "refine 3", "batch 8"}));
    EXPECT_EQ(producer.statistics().acked, 4U);
    EXPECT_EQ(producer.statistics().last_sequence, 104U);
    EXPECT_EQ(producer.first_unanswered(), 5U);
}

TEST_F(ProducerTest, HashesTextsUnlessEngineNumbersThem) {
    engine.format_of_stream.has_text_ids = true;
    std::vector<std::vector<PointId>> ids;
    std::vector<std::string> texts;
    engine.on_event = [&](const wire::EventMessage& event, FakeIngest::Body) {
        const auto note = [&](const auto& points) {
            if constexpr (requires { points.id_texts; }) {
                ids.emplace_back(points.ids.begin(), points.ids.end());
                texts.emplace_back(points.id_texts[0]);
            }
        };
        std::visit(note, event.event);
        return FakeIngest::Body(wire::Nack{event.producer_sequence, Reason::wrong_shape, "counted", 0});
    };
    const PointId hash = wire::text_id("customer-500");
    const auto send = [&](Producer& producer) {
        PointColumns point = points(12345);
        point.id_texts.add("customer-500");
        const float target = 1;
        ASSERT_TRUE(producer.try_send(point.view()));
        ASSERT_TRUE(producer.send(Outcomes{.targets = {&target, 1}, .id_texts = point.id_texts.view()}, 0ms));
        ASSERT_TRUE(run(producer, [&] { return producer.unanswered() == 0; }));
    };
    Producer producer(options());
    send(producer);  // before it knows the engine
    send(producer);
    EXPECT_EQ(ids, (std::vector<std::vector<PointId>>{{hash}, {hash}, {}, {}}));
    EXPECT_EQ(texts, std::vector<std::string>(4, "customer-500"));
    engine.format_of_stream.ids_are_hashes = true;
    engine.next = 1;
    ProducerOptions another = options();
    another.epoch = 6;
    Producer of_hashes(another);
    ASSERT_TRUE(run(of_hashes, [&] { return of_hashes.format().has_value(); }));
    send(of_hashes);
    EXPECT_EQ(ids.back(), std::vector<PointId>{hash});
}

TEST_F(ProducerTest, WaitsForAnEngineThatStartsLater) {
    engine.stop();
    Producer producer(options());
    send(producer, 1);
    EXPECT_FALSE(producer.connect(0ms));
    engine.start();
    ASSERT_TRUE(run(producer, [&] { return producer.unanswered() == 0; }));
    EXPECT_EQ(engine.taken, (std::vector<std::string>{"batch 1"}));
}

TEST_F(ProducerTest, ResendsUnansweredEventsAfterRestart) {
    Producer producer(options());
    engine.mute_from = 3;
    for (PointId id = 1; id <= 4; ++id) send(producer, id);
    ASSERT_TRUE(run(producer, [&] { return engine.taken.size() == 4 && producer.unanswered() == 2; }));
    engine.stop();
    for (PointId id = 5; id <= 6; ++id) send(producer, id);
    engine.mute_from = 1000;
    engine.start();
    ASSERT_TRUE(run(producer, [&] { return producer.unanswered() == 0; }));
    EXPECT_EQ(engine.taken,
              (std::vector<std::string>{"batch 1", "batch 2", "batch 3", "batch 4", "batch 5", "batch 6"}));
    EXPECT_GE(producer.statistics().resent, 2U);
    EXPECT_GE(producer.statistics().hellos, 2U);
}

TEST_F(ProducerTest, ClosesAGapThatTheEngineReports) {
    Producer producer(options());
    ASSERT_TRUE(run(producer, [&] { return producer.format().has_value(); }));
    for (PointId id = 1; id <= 3; ++id) send(producer, id);
    static_cast<void>(engine.server().await());  // the first one is lost
    ASSERT_TRUE(run(producer, [&] { return producer.unanswered() == 0; }));
    EXPECT_EQ(engine.taken, (std::vector<std::string>{"batch 1", "batch 2", "batch 3"}));
    EXPECT_EQ(engine.hellos, 1) << "no answer was overdue";
}

TEST_F(ProducerTest, ReportsFullAndWaitsForRoom) {
    ProducerOptions limited = options();
    limited.unanswered.messages = 2;
    Producer producer(limited);
    send(producer, 1);
    send(producer, 2);
    EXPECT_FALSE(producer.try_send(points(3).view()));
    EXPECT_EQ(producer.unanswered(), 2U);
    std::jthread serving([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            engine.server().wait(5ms);
            engine.serve();
        }
    });
    EXPECT_EQ(producer.send(points(3).view(), 30s), 3U);
    EXPECT_TRUE(producer.flush(30s));
    serving.request_stop();
    serving.join();
    EXPECT_EQ(engine.taken, (std::vector<std::string>{"batch 1", "batch 2", "batch 3"}));
}

TEST_F(ProducerTest, KeepsWithinCredit) {
    engine.credit = 3;
    std::uint64_t highest = 0, answered = 0;
    engine.on_event = [&](const wire::EventMessage& event, FakeIngest::Body body) {
        highest = std::max(highest, event.producer_sequence);
        EXPECT_LE(highest, answered + 3);
        ++answered;
        return body;
    };
    Producer producer(options());
    for (PointId id = 1; id <= 30; ++id) send(producer, id);
    ASSERT_TRUE(run(producer, [&] { return producer.unanswered() == 0; }));
    EXPECT_EQ(engine.taken.size(), 30U);
}

TEST_F(ProducerTest, ReportsRefusalsForContentAndGoesOn) {
    engine.on_event = [](const wire::EventMessage& event, FakeIngest::Body body) -> FakeIngest::Body {
        if (event.producer_sequence != 2) return body;
        return wire::Nack{2, Reason::unknown_group, "group 9 of sex", 3};
    };
    Producer producer(options());
    for (PointId id = 1; id <= 3; ++id) send(producer, id);
    ASSERT_TRUE(run(producer, [&] { return producer.unanswered() == 0; }));
    EXPECT_EQ(producer.take_refused(), (std::vector<Refused>{{2, Reason::unknown_group, "group 9 of sex"}}));
    EXPECT_TRUE(producer.take_refused().empty());
    EXPECT_EQ(engine.taken, (std::vector<std::string>{"batch 1", "batch 3"}));
}

TEST_F(ProducerTest, ThrowsFromEveryCallAfterFailure) {
    engine.on_event = [](const auto&, const FakeIngest::Body&) -> FakeIngest::Body {
        return wire::Nack{1, Reason::stale_epoch, "epoch 5 after 6", 0};
    };
    Producer producer(options());
    send(producer, 1);
    try {
        static_cast<void>(run(producer, [] { return false; }));
        FAIL() << "nothing was thrown";
    } catch (const ProducerError& error) {
        EXPECT_EQ(error.fault(), ProducerFault::stale_epoch);
        EXPECT_NE(std::string(error.what()).find("epoch 5 after 6"), std::string::npos);
    }
    EXPECT_THROW(static_cast<void>(producer.try_send(points(2).view())), ProducerError);
    EXPECT_THROW(static_cast<void>(producer.flush(0ms)), ProducerError);
    EXPECT_THROW(producer.poll(0ms), ProducerError);
    EXPECT_EQ(producer.unanswered(), 1U);
}

TEST_F(ProducerTest, RefusesToGoOnWithAnotherRecording) {
    Producer producer(options());
    ASSERT_TRUE(run(producer, [&] { return producer.format().has_value(); }));
    engine.stop();
    engine.recording[3] = std::byte{9};
    engine.start();
    send(producer, 1);
    try {
        static_cast<void>(run(producer, [] { return false; }));
        FAIL() << "nothing was thrown";
    } catch (const ProducerError& error) {
        EXPECT_EQ(error.fault(), ProducerFault::other_recording);
    }
}

TEST_F(ProducerTest, PassesOverAnswersThatCannotBeRead) {
    Producer producer(options());
    auto hello = engine.server().await();
    const std::byte nonsense[24] = {};
    engine.server().reply(hello, nonsense);
    engine.server().reply(hello, wire::Bytes(nonsense).first(5));
    ASSERT_TRUE(run(producer, [&] { return producer.format().has_value(); })) << "by a second Hello";
    EXPECT_EQ(producer.statistics().unreadable, 2U);
}

TEST_F(ProducerTest, TakesRisingEpochFromClock) {
    ProducerOptions unset = options();
    unset.epoch = 0;
    Producer first(unset);
    const std::uint64_t before = first.epoch();
    std::uint64_t after = before;
    ASSERT_TRUE(eventually([&] {
        after = Producer(unset).epoch();
        return after != before;
    }));
    EXPECT_GT(after, before);
    EXPECT_GT(before, 1'600'000'000'000'000U);
}

TEST_F(ProducerTest, RefusesBadOptions) {
    const auto with = [&](auto&& change) {
        ProducerOptions bad = options();
        change(bad);
        return [bad] { Producer producer(bad); };
    };
    EXPECT_THROW(with([](auto& o) { o.name = ""; })(), InvalidInput);
    EXPECT_THROW(with([](auto& o) { o.name = std::string(129, 'x'); })(), InvalidInput);
    EXPECT_THROW(with([](auto& o) { o.unanswered.messages = 0; })(), InvalidInput);
    EXPECT_THROW(with([](auto& o) { o.security = ClientSecurity{"short", generate_keys()}; })(), InvalidInput);
    EXPECT_THROW(with([](auto& o) { o.endpoint = "nonsense"; })(), InvalidInput);
}

}  // namespace
}  // namespace fairstream::zmq
