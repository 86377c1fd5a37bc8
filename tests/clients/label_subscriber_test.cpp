/// The subscriber over real sockets; the test plays the engine.

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include <fairstream/zmq/subscriber.hpp>

#include "clients/fake_server.hpp"
#include "clients/point_feed.hpp"

namespace fairstream::zmq {
namespace {

using namespace test;

class LabelSubscriberTest : public testing::Test {
protected:
    LabelSubscriberTest() { start(); }

    void start() {
        updates = std::make_unique<FakeServer>(::zmq::socket_type::xpub, folder.endpoint("updates"));
        control = std::make_unique<FakeServer>(::zmq::socket_type::router, folder.endpoint("control"));
    }
    void stop() { updates.reset(), control.reset(); }

    [[nodiscard]] SubscriberOptions options() const {
        SubscriberOptions out;
        out.updates_endpoint = folder.endpoint("updates");
        out.control_endpoint = folder.endpoint("control");
        out.model = "m";
        out.fairness = false;
        out.liveness = 20s;
        out.request_timeout = 20s;
        return out;
    }
    [[nodiscard]] static bool starts_with(const ::zmq::message_t& subscription, const std::string& topic) {
        return subscription.to_string() == '\1' + topic;
    }
    /// Returns once later publications will reach the subscriber.
    void await_subscription(const std::string& topic = "labels.m") {
        ASSERT_TRUE(eventually([&] {
            updates->wait();
            ::zmq::message_t subscription;
            while (updates->socket().recv(subscription, ::zmq::recv_flags::dontwait)) {
                if (starts_with(subscription, topic)) return true;
            }
            return false;
        }));
    }
    void serve() {
        while (auto in = control->receive()) {
            const auto request = wire::read_control_request(in->message);
            ++requests;
            if (const auto body = answer(request)) {
                control->reply(*in, wire::write(wire::ControlReply{request.request, engine.id(), *body}, encoder));
            }
        }
    }
    using Body = decltype(wire::ControlReply::body);
    std::optional<Body> answer_as_engine(const wire::ControlRequest& request) {
        if (const auto* range = std::get_if<wire::RangeRequest>(&request.body)) {
            return engine.range(range->first, range->last);
        }
        const std::string& topic = std::get<wire::SnapshotRequest>(request.body).topic;
        if (topic != "labels.m") return figures(topic, 1, 0.25);
        snapshot = engine.snapshot();
        return wire::read_publication(snapshot);
    }
    [[nodiscard]] wire::Publication figures(const std::string& topic, std::uint64_t number, double cost) const {
        wire::Publication out{engine.id(), topic, number, engine.sequence(), wire::FairnessReport{}};
        std::get<wire::FairnessReport>(out.body).cost = cost;
        if (topic.starts_with("clusters")) {
            const auto size = static_cast<std::int64_t>(cost * 100);
            out.body = wire::ClusterReport{.clusters = 1, .dimensions = 1, .sizes = {size}, .centres = {0}};
        }
        return out;
    }
    void publish(const wire::AlignedMessage& message) { updates->publish("labels.m", message.bytes()); }
    void publish_new(int count) {
        for (int i = 0; i < count; ++i) {
            engine.publish();
            publish(engine.updates.back());
        }
    }
    void publish_status() { updates->publish("status", engine.status().bytes()); }

    /// Runs both sides until `reached`; collects the subscriber's events.
    bool run(LabelSubscriber& subscriber, const std::function<bool()>& reached) {
        return eventually([&] {
            serve();
            for (auto& event : subscriber.poll(5ms)) events.push_back(std::move(event));
            return reached();
        });
    }
    bool run_until_consistent(LabelSubscriber& subscriber) {
        return run(subscriber, [&] { return subscriber.consistent() && exact(subscriber); });
    }
    [[nodiscard]] bool exact(const LabelSubscriber& subscriber) const {
        return contents(subscriber.labels()) == engine.now();
    }
    /// Returns the labels that a user gets by folding the events.
    [[nodiscard]] Labels folded() const {
        Labels out;
        for (const LabelSubscriber::Event& event : events) {
            const auto* change = std::get_if<LabelChanges>(&event);
            if (!change) continue;
            if (change->replaced) out.clear();
            for (const PointId id : change->departed) out.erase(id);
            for (std::size_t i = 0; i < change->ids.size(); ++i) out[change->ids[i]] = change->outputs[i];
        }
        return out;
    }

    Folder folder;
    std::unique_ptr<FakeServer> updates, control;
    LabelFeed engine{1, 11};
    std::function<std::optional<Body>(const wire::ControlRequest&)> answer = [this](const auto& request) {
        return answer_as_engine(request);
    };
    wire::AlignedMessage snapshot;
    wire::Encoder encoder;
    std::vector<LabelSubscriber::Event> events;
    int requests = 0;
};

TEST_F(LabelSubscriberTest, JoinsLateAndFollows) {
    for (int i = 0; i < 5; ++i) engine.publish();
    LabelSubscriber subscriber(options());
    EXPECT_FALSE(subscriber.consistent());
    await_subscription();
    publish_status();
    ASSERT_TRUE(run_until_consistent(subscriber));
    publish_new(20);
    ASSERT_TRUE(run(subscriber, [&] { return subscriber.topic_sequence() == 25; }));
    EXPECT_TRUE(subscriber.consistent());
    EXPECT_TRUE(exact(subscriber));
    EXPECT_EQ(folded(), engine.now());
    EXPECT_EQ(subscriber.recording(), engine.id());
    EXPECT_EQ(subscriber.statistics().view.snapshots, 1U);
    EXPECT_EQ(subscriber.statistics().view.gaps, 0U);
}

TEST_F(LabelSubscriberTest, RepairsLostUpdatesByTheMissingRange) {
    LabelSubscriber subscriber(options());
    await_subscription();
    publish_status();
    ASSERT_TRUE(run_until_consistent(subscriber));
    publish_new(2);
    for (int i = 0; i < 3; ++i) engine.publish();  // lost
    publish_new(1);
    ASSERT_TRUE(run_until_consistent(subscriber));
    EXPECT_EQ(subscriber.topic_sequence(), 6U);
    EXPECT_EQ(subscriber.statistics().view.repairs, 1U);
    EXPECT_EQ(subscriber.statistics().view.snapshots, 1U);
    EXPECT_EQ(folded(), engine.now());
}

TEST_F(LabelSubscriberTest, LagsFromStatusUntilRepair) {
    LabelSubscriber subscriber(options());
    await_subscription();
    publish_status();
    ASSERT_TRUE(run_until_consistent(subscriber));
    events.clear();
    for (int i = 0; i < 3; ++i) engine.publish();  // lost, and nothing follows
    publish_status();
    answer = [](const auto&) { return std::nullopt; };
    ASSERT_TRUE(run(subscriber, [&] { return !subscriber.consistent(); }));
    ASSERT_TRUE(run(subscriber, [&] { return requests == 2; }));
    ASSERT_EQ(events.size(), 1U);
    EXPECT_FALSE(std::get<Consistency>(events[0]).consistent);
    EXPECT_EQ(subscriber.topic_sequence(), 0U) << "exact as of its number meanwhile";
    EXPECT_TRUE(subscriber.labels().empty());
}

TEST_F(LabelSubscriberTest, RepeatsRequestOnNewConnection) {
    SubscriberOptions hasty = options();
    hasty.request_timeout = 20ms;
    int ignored = 3;
    answer = [&](const auto& request) -> std::optional<Body> {
        if (ignored-- > 0) return std::nullopt;
        return answer_as_engine(request);
    };
    LabelSubscriber subscriber(hasty);
    await_subscription();
    publish_status();
    ASSERT_TRUE(run_until_consistent(subscriber));
    EXPECT_GE(subscriber.statistics().timeouts, 3U);
}

TEST_F(LabelSubscriberTest, LagsWhileEngineIsSilent) {
    SubscriberOptions impatient = options();
    impatient.liveness = 100ms;
    LabelSubscriber subscriber(impatient);
    await_subscription();
    publish_status();
    ASSERT_TRUE(run(subscriber, [&] { return !events.empty() && std::holds_alternative<Consistency>(events.back()); }));
    ASSERT_TRUE(run(subscriber, [&] {
        const auto* last = std::get_if<Consistency>(&events.back());
        return last && !last->consistent;
    })) << "silence";
    ASSERT_TRUE(run(subscriber, [&] { return subscriber.statistics().reconnections > 0; }));
    ASSERT_TRUE(run(subscriber, [&] {
        publish_status();
        return subscriber.consistent();
    }));
}

TEST_F(LabelSubscriberTest, OutlivesARestartOfTheEngine) {
    SubscriberOptions impatient = options();
    impatient.liveness = 200ms;
    LabelSubscriber subscriber(impatient);
    await_subscription();
    publish_new(3);
    publish_status();
    ASSERT_TRUE(run_until_consistent(subscriber));
    stop();
    for (int i = 0; i < 4; ++i) engine.publish();
    start();
    ASSERT_TRUE(run(subscriber, [&] {
        publish_status();
        return subscriber.consistent() && subscriber.topic_sequence() == 7;
    }));
    EXPECT_TRUE(exact(subscriber));
    EXPECT_EQ(subscriber.statistics().view.restarts, 0U);
}

TEST_F(LabelSubscriberTest, StartsAgainWithAnotherRecording) {
    LabelSubscriber subscriber(options());
    await_subscription();
    publish_new(3);
    publish_status();
    ASSERT_TRUE(run_until_consistent(subscriber));
    engine = LabelFeed(2, 77);
    publish_new(2);
    ASSERT_TRUE(run(subscriber, [&] { return subscriber.consistent() && subscriber.recording() == engine.id(); }));
    EXPECT_TRUE(exact(subscriber));
    EXPECT_EQ(folded(), engine.now());
    EXPECT_EQ(subscriber.statistics().view.restarts, 1U);
}

TEST_F(LabelSubscriberTest, SkipsOtherTopicsAndUnreadableMessages) {
    LabelSubscriber subscriber(options());
    await_subscription();
    LabelFeed other(1, 5, "labels.m2");
    other.publish();
    updates->publish("labels.m2", other.updates[0].bytes());  // the subscription is a prefix of this topic
    updates->publish("labels.m", other.updates[0].bytes());
    updates->publish("labels.m", std::as_bytes(std::span("not a message")));
    updates->socket().send(::zmq::buffer("labels.m", 8), ::zmq::send_flags::none);
    publish_status();
    ASSERT_TRUE(run_until_consistent(subscriber));
    EXPECT_EQ(subscriber.statistics().unreadable, 3U);
    EXPECT_TRUE(subscriber.labels().empty());
}

TEST_F(LabelSubscriberTest, ThrowsWhatTheEngineRefuses) {
    answer = [](const auto&) { return wire::Nack{0, Reason::unknown_model, "no topic 'labels.m'", 0}; };
    LabelSubscriber subscriber(options());
    try {
        static_cast<void>(run(subscriber, [] { return false; }));
        FAIL() << "nothing was thrown";
    } catch (const ControlRefused& error) {
        EXPECT_EQ(error.reason(), Reason::unknown_model);
    }
}

TEST_F(LabelSubscriberTest, FollowsTheNewestFiguresFromTheFirstOn) {
    SubscriberOptions all = options();
    all.fairness = all.clusters = true;
    LabelSubscriber subscriber(all);
    await_subscription("clusters.m");
    ASSERT_TRUE(run(subscriber, [&] { return subscriber.fairness() && subscriber.clusters(); })) << "by snapshots";
    EXPECT_EQ(subscriber.fairness()->report.cost, 0.25);
    const auto send = [&](const std::string& topic, std::uint64_t number, double cost) {
        updates->publish(topic, wire::write(figures(topic, number, cost), encoder));
    };
    send("fairness.m", 3, 0.5);
    send("fairness.m", 2, 0.75);
    send("clusters.m", 2, 0.5);
    ASSERT_TRUE(run(subscriber, [&] { return subscriber.clusters()->report.sizes[0] == 50; }));
    EXPECT_EQ(subscriber.fairness()->report.cost, 0.5) << "an older one came later";
    // The newest fairness figures are lost, and nothing follows: the status reveals it.
    const wire::Status status{{{"labels.m", 0}, {"fairness.m", 4}, {"clusters.m", 2}}, 0};
    answer = [&](const wire::ControlRequest& request) -> std::optional<Body> {
        EXPECT_EQ(std::get<wire::SnapshotRequest>(request.body).topic, "fairness.m");
        return figures("fairness.m", 4, 1.0);
    };
    updates->publish("status", wire::write(wire::Publication{engine.id(), "status", 0, 9, status}, encoder));
    ASSERT_TRUE(run(subscriber, [&] { return subscriber.fairness()->report.cost == 1.0; }));
    // Another engine: figures of the first one no longer count, though its numbers are lower.
    engine = LabelFeed(2, 5);
    answer = [&](const auto& request) { return answer_as_engine(request); };
    publish_status();
    ASSERT_TRUE(run(subscriber, [&] { return subscriber.fairness() && subscriber.fairness()->report.cost == 0.25; }));
}

TEST_F(LabelSubscriberTest, SlowReaderLosesUpdatesButNoLabels) {
    SubscriberOptions narrow = options();
    narrow.receive_queue = 2;
    updates.reset();
    updates = std::make_unique<FakeServer>(::zmq::socket_type::xpub, folder.endpoint("updates"), std::nullopt, 2);
    LabelSubscriber subscriber(narrow);
    await_subscription();
    publish_status();
    ASSERT_TRUE(run_until_consistent(subscriber));
    publish_new(20'000);  // while nobody reads
    ASSERT_TRUE(run(subscriber, [&] {
        publish_status();
        return subscriber.consistent() && subscriber.topic_sequence() == 20'000;
    }));
    EXPECT_TRUE(exact(subscriber));
    EXPECT_EQ(folded(), engine.now());
    EXPECT_GT(subscriber.statistics().view.gaps, 0U) << "the queues were to overflow";
}

TEST_F(LabelSubscriberTest, RefusesBadOptions) {
    const auto with = [&](auto&& change) {
        SubscriberOptions bad = options();
        change(bad);
        return [bad] { LabelSubscriber subscriber(bad); };
    };
    EXPECT_THROW(with([](auto& o) { o.model = ""; })(), InvalidInput);
    EXPECT_THROW(with([](auto& o) { o.liveness = 0ms; })(), InvalidInput);
    EXPECT_THROW(with([](auto& o) { o.request_timeout = 0ms; })(), InvalidInput);
    EXPECT_THROW(with([](auto& o) { o.receive_queue = 0; })(), InvalidInput);
    EXPECT_THROW(with([](auto& o) { o.updates_endpoint = "x"; })(), InvalidInput);
    EXPECT_THROW(with([](auto& o) { o.control_endpoint = "x"; })(), InvalidInput);
}

}  // namespace
}  // namespace fairstream::zmq
