/// The library's own clients against the real server: a subscriber sees what a producer sends, through losses, restarts
/// and failures.

#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/producer.hpp>
#include <fairstream/zmq/subscriber.hpp>

#include "server/failing_disk.hpp"
#include "server/fixture.hpp"

namespace fairstream::zmq {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds step{50};

class Clients : public ServerTest {
protected:
    [[nodiscard]] Producer producer(std::optional<ClientSecurity> security = {}) const {
        ProducerOptions options;
        options.endpoint = endpoints().ingest;
        options.name = "p";
        options.epoch = 1;
        options.timing = {milliseconds(500), milliseconds(20), milliseconds(100)};
        options.security = std::move(security);
        return Producer(options);
    }
    [[nodiscard]] LabelSubscriber subscriber(const std::string& model, int receive_queue = 1000,
                                             std::optional<ClientSecurity> security = {}) const {
        SubscriberOptions options;
        options.updates_endpoint = endpoints().updates;
        options.control_endpoint = endpoints().control;
        options.model = model;
        options.request_timeout = milliseconds(500);
        options.liveness = milliseconds(500);
        options.receive_queue = receive_queue;
        options.security = std::move(security);
        return LabelSubscriber(options);
    }
    [[nodiscard]] ControlClient control_client() const {
        ControlOptions options;
        options.endpoint = endpoints().control;
        return ControlClient(options);
    }

    void send_batches(Producer& producer, int count) {
        for (int i = 0; i < count; ++i) {
            const PointColumns columns = points_.next(1 + points_.below(30));
            ASSERT_TRUE(producer.send(columns.view(), patience).has_value());
        }
    }
    /// Polls until the subscriber has seen event `sequence` and no longer lags.
    static void catch_up(LabelSubscriber& subscriber, Sequence sequence) {
        poll_until([&] { (void)subscriber.poll(step); },
                   [&] { return subscriber.consistent() && subscriber.sequence() >= sequence; });
    }
    template <class Poll, class Done> static void poll_until(Poll&& poll, Done&& done) {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (!done()) {
            ASSERT_LT(std::chrono::steady_clock::now(), deadline);
            poll();
        }
    }
    static View view_of_subscriber(const LabelSubscriber& subscriber) {
        View view;
        for (const auto& [id, label] : subscriber.labels()) view.emplace(id, label);
        return view;
    }
};

TEST_F(Clients, AllSubscribersMatchEngine) {
    serve();
    Producer sender = producer();
    LabelSubscriber early = subscriber("fair");
    LabelSubscriber lossy = subscriber("plain", 1);
    catch_up(early, 0);
    send_batches(sender, 150);
    LabelSubscriber late = subscriber("fair");
    // Sent events may wait for the engine's Welcome: the producer works only while it is called.
    poll_until([&] { sender.poll(milliseconds(0)), (void)late.poll(step); },
               [&] { return late.consistent() && late.sequence() >= 1; });
    send_batches(sender, 150);
    ASSERT_TRUE(sender.flush(patience));
    EXPECT_EQ(sender.statistics().acked, 300U);
    for (LabelSubscriber* const each : {&early, &late, &lossy}) catch_up(*each, 300);
    // The figures come after the labels, in a message of their own.
    poll_until([&] { (void)late.poll(step); }, [&] { return late.fairness() && late.fairness()->sequence == 300; });
    stop();
    EXPECT_EQ(service_->engine().sequence(), 300U);
    EXPECT_EQ(view_of_subscriber(early), view_of(service_->engine(), "fair"));
    EXPECT_EQ(view_of_subscriber(late), view_of(service_->engine(), "fair"));
    EXPECT_EQ(view_of_subscriber(lossy), view_of(service_->engine(), "plain"));
    EXPECT_EQ(late.fairness()->report, wire::fairness_report(service_->engine().report("fair"), options_.format));
}

TEST_F(Clients, TheyGoOnThroughRestartsAndFailures) {
    serve();
    const ServerOptions same{.endpoints = endpoints()};
    Producer sender = producer();
    LabelSubscriber viewer = subscriber("fair");
    send_batches(sender, 20);
    for (int life = 0; life < 6; ++life) {
        if (life % 2 == 0) {
            const FailingDisk full(0);
            send_batches(sender, 20);
            const auto deadline = std::chrono::steady_clock::now() + patience;
            while (running_.wait_for(milliseconds(0)) != std::future_status::ready) {
                ASSERT_LT(std::chrono::steady_clock::now(), deadline);
                sender.poll(step);
            }
            EXPECT_THROW(running_.get(), service::ServiceFailure);
        } else {
            send_batches(sender, 20);
            sender.poll(milliseconds(0));
            stop();
        }
        serve(same);
        send_batches(sender, 20);
        (void)viewer.poll(milliseconds(0));
    }
    ASSERT_TRUE(sender.flush(patience));
    EXPECT_EQ(sender.statistics().acked, 260U);
    catch_up(viewer, 260);
    stop();
    EXPECT_EQ(service_->engine().sequence(), 260U);
    EXPECT_EQ(view_of_subscriber(viewer), view_of(service_->engine(), "fair"));
}

TEST_F(Clients, ClockStepBackRaisesEpoch) {
    serve();
    constexpr std::uint64_t ahead = std::uint64_t{1} << 55;  // of any clock
    const auto live = [&](std::uint64_t epoch) {
        ProducerOptions options;
        options.endpoint = endpoints().ingest;
        options.name = "p";
        options.epoch = epoch;
        return Producer(std::move(options));
    };
    Producer first = live(ahead);
    send_batches(first, 2);
    ASSERT_TRUE(first.flush(patience));
    Producer second = live(0);
    send_batches(second, 3);
    ASSERT_TRUE(second.flush(patience));
    EXPECT_EQ(second.epoch(), ahead + 1);
    EXPECT_EQ(second.statistics().acked, 3U);
    EXPECT_EQ(second.statistics().last_sequence, 5U);
    EXPECT_THROW(
        {
            send_batches(first, 1);
            (void)first.flush(patience);
        },
        ProducerError);
}

TEST_F(Clients, RefusedProducerContinuesAfterRestart) {
    serve();
    Producer sending = producer();
    const PointColumns wrong = [&] {
        PointColumns columns = points_.next(2);
        columns.ids[1] = columns.ids[0];
        return columns;
    }();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(sending.send(wrong.view(), patience).has_value());
    ASSERT_TRUE(sending.flush(patience));
    EXPECT_EQ(sending.take_refused().size(), 3U);
    stop();
    server_.reset();
    service_.reset();
    serve();
    send_batches(sending, 2);
    ASSERT_TRUE(sending.flush(patience));
    EXPECT_EQ(sending.statistics().acked, 2U);
    stop();
    EXPECT_EQ(service_->engine().sequence(), 2U);
}

TEST_F(Clients, RefusalsReachProducer) {
    serve();
    Producer sender = producer();
    send_batches(sender, 3);
    PointColumns bad = points_.next(5);
    bad.ids[4] = bad.ids[0];
    const auto refused_number = sender.send(bad.view(), patience);
    ASSERT_EQ(sender.set_option({"fair", "kmeans_updates", "7"}, patience), 5U);
    send_batches(sender, 3);
    ASSERT_TRUE(sender.flush(patience));
    const std::vector<Refused> refused = sender.take_refused();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].producer_sequence, refused_number);
    EXPECT_EQ(refused[0].reason, Reason::repeated_id);
    EXPECT_EQ(sender.statistics().acked, 7U);
    EXPECT_EQ(sender.format(), options_.format);
    stop();
    EXPECT_EQ(service_->engine().sequence(), 7U);
}

TEST_F(Clients, LongBatchIsRefusedByProducer) {
    serve({.endpoints = {}, .max_message_bytes = 4096});
    Producer sender = producer();
    ASSERT_TRUE(sender.connect(patience));
    const PointColumns small = points_.next(30), large = points_.next(1000);
    EXPECT_TRUE(sender.send(small.view(), patience));
    try {
        (void)sender.send(large.view(), patience);
        FAIL() << "taken over";
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.reason(), Reason::oversized);
        EXPECT_THAT(error.what(), testing::HasSubstr("4096"));
    }
    EXPECT_TRUE(sender.send(small.view(), patience));
    ASSERT_TRUE(sender.flush(patience));
    EXPECT_EQ(sender.statistics().acked, 2U);
}

TEST_F(Clients, HealthCountsTheSubscribers) {
    serve();
    ControlClient client = control_client();
    const auto come_to = [&](std::uint32_t count) {
        poll_until([] {}, [&] { return client.health().subscribers == count; });
    };
    come_to(0);
    LabelSubscriber fair = subscriber("fair");
    {
        LabelSubscriber plain = subscriber("plain");
        poll_until([&] { (void)fair.poll(step), (void)plain.poll(step); },
                   [&] { return client.health().subscribers == 2; });
    }
    come_to(1);
}

TEST_F(Clients, EveryRequestOfAControlClientIsAnswered) {
    serve();
    Producer sender = producer();
    send_batches(sender, 30);
    ASSERT_TRUE(sender.flush(patience));
    ControlClient client = control_client();
    const auto snapshot = client.snapshot("labels.fair");
    EXPECT_EQ(snapshot.sequence, 30U);
    EXPECT_TRUE(std::holds_alternative<wire::LabelUpdate>(snapshot.body));
    const auto range = client.range("fairness.fair", snapshot.topic_sequence - 2, snapshot.topic_sequence);
    EXPECT_EQ(std::get<std::vector<wire::AlignedMessage>>(range).size(), 3U);
    EXPECT_EQ(client.report("plain").clusters.clusters, 3U);
    const PointColumns points = points_.next(4);
    EXPECT_EQ(client.assign("fair", points.features).size(), 4U);
    EXPECT_EQ(client.set_option({"fair", "kmeans_updates", "3"}), 31U);
    EXPECT_EQ(client.refine({"plain", 2}), 32U);
    EXPECT_EQ(client.health().sequence, 32U);
    EXPECT_EQ(client.recording(), service_->recording().id());
    try {
        (void)client.report("nobody");
        FAIL() << "a report of a model that does not exist";
    } catch (const ControlRefused& refused) {
        EXPECT_EQ(refused.reason(), Reason::unknown_model);
    }
    EXPECT_EQ(client.stop(), 32U);
    running_.get();
}

TEST_F(Clients, WithKeysTheyWorkAsWithout) {
    const KeyPair server = generate_keys();
    const KeyPair client = generate_keys();
    serve({.endpoints = {}, .security = ServerSecurity{server.secret_key, {client.public_key}}});
    const ClientSecurity security{server.public_key, client};
    Producer sender = producer(security);
    LabelSubscriber viewer = subscriber("fair", 1000, security);
    send_batches(sender, 40);
    ASSERT_TRUE(sender.flush(patience));
    catch_up(viewer, 40);
    stop();
    EXPECT_EQ(view_of_subscriber(viewer), view_of(service_->engine(), "fair"));
}

}  // namespace
}  // namespace fairstream::zmq
