/// The subscriber of scores over real sockets; the test plays the engine.

#include <gtest/gtest.h>

#include <memory>

#include <fairstream/zmq/subscriber.hpp>

#include "clients/fake_server.hpp"
#include "clients/point_feed.hpp"

namespace fairstream::zmq {
namespace {

using namespace test;

class ScoreSubscriberTest : public testing::Test {
protected:
    [[nodiscard]] SubscriberOptions options() const {
        SubscriberOptions out;
        out.updates_endpoint = folder.endpoint("updates");
        out.control_endpoint = folder.endpoint("control");
        out.model = "m";
        out.liveness = 20s;
        out.request_timeout = 20s;
        return out;
    }
    void await_subscription(const std::string& topic) {
        ASSERT_TRUE(eventually([&] {
            updates.wait();
            ::zmq::message_t subscription;
            while (updates.socket().recv(subscription, ::zmq::recv_flags::dontwait))
                if (subscription.to_string() == '\1' + topic) return true;
            return false;
        }));
    }
    void serve() {
        while (auto in = control.receive()) {
            const auto request = wire::read_control_request(in->message);
            control.reply(*in, wire::write(wire::ControlReply{request.request, engine.id(), answer(request)}, encoder));
        }
    }
    decltype(wire::ControlReply::body) answer(const wire::ControlRequest& request) {
        if (refuses) return wire::Nack{0, Reason::unknown_model, "no topic 'scores.m'", 0};
        if (const auto* range = std::get_if<wire::RangeRequest>(&request.body))
            return engine.range(range->first, range->last);
        if (std::get<wire::SnapshotRequest>(request.body).topic == "fairness.m") return figures(1, 0.5);
        snapshot = engine.snapshot();
        return wire::read_publication(snapshot);
    }
    [[nodiscard]] wire::Publication figures(std::uint64_t number, double gauc) const {
        wire::FairnessReport report;
        report.fairness = ScoreFairness{.gauc = gauc};
        return {engine.id(), "fairness.m", number, engine.sequence(), report};
    }
    void publish_new(int count, bool lost = false) {
        for (int i = 0; i < count; ++i) {
            engine.publish();
            if (!lost) updates.publish("scores.m", engine.updates.back().bytes());
        }
    }
    /// Runs both sides until the subscriber has the engine's scores.
    bool run(ScoreSubscriber& subscriber) {
        return eventually([&] {
            serve();
            for (auto& event : subscriber.poll(5ms)) events.push_back(std::move(event));
            return subscriber.consistent() && contents(subscriber.scores()) == engine.now();
        });
    }

    Folder folder;
    FakeServer updates{::zmq::socket_type::xpub, folder.endpoint("updates")};
    FakeServer control{::zmq::socket_type::router, folder.endpoint("control")};
    ScoreFeed engine{1, 11};
    bool refuses = false;
    wire::AlignedMessage snapshot;
    wire::Encoder encoder;
    std::vector<ScoreSubscriber::Event> events;
};

TEST_F(ScoreSubscriberTest, JoinsLateFollowsAndRepairsWhatWasLost) {
    for (int i = 0; i < 5; ++i) engine.publish();
    ScoreSubscriber subscriber(options());
    EXPECT_FALSE(subscriber.consistent());
    await_subscription("scores.m");
    updates.publish("status", engine.status().bytes());
    ASSERT_TRUE(run(subscriber));
    publish_new(20);
    ASSERT_TRUE(run(subscriber));
    publish_new(3, true);
    publish_new(1);
    ASSERT_TRUE(run(subscriber));
    EXPECT_EQ(subscriber.topic_sequence(), 29U);
    EXPECT_EQ(subscriber.statistics().view.gaps, 1U);
    EXPECT_EQ(subscriber.recording(), engine.id());
}

TEST_F(ScoreSubscriberTest, FollowsTheFairnessOfTheScores) {
    ScoreSubscriber subscriber(options());
    await_subscription("fairness.m");
    updates.publish("status", engine.status().bytes());
    ASSERT_TRUE(run(subscriber));
    ASSERT_TRUE(eventually([&] { return run(subscriber) && subscriber.fairness().has_value(); }));
    EXPECT_EQ(subscriber.fairness()->report.scores()->gauc, 0.5);
    const wire::Publication newer = figures(8, 0.25);
    updates.publish("fairness.m", wire::write(newer, encoder));
    ASSERT_TRUE(eventually([&] { return run(subscriber) && subscriber.fairness()->report.scores()->gauc == 0.25; }));
    EXPECT_TRUE(
        std::ranges::any_of(events, [](const auto& event) { return std::holds_alternative<FairnessUpdate>(event); }));
}

TEST_F(ScoreSubscriberTest, ModelWithoutScoresIsRefused) {
    refuses = true;
    ScoreSubscriber subscriber(options());
    await_subscription("scores.m");
    updates.publish("status", engine.status().bytes());
    EXPECT_TRUE(eventually([&] {
        serve();
        try {
            (void)subscriber.poll(5ms);
            return false;
        } catch (const ControlRefused& error) {
            return error.reason() == Reason::unknown_model;
        }
    }));
}

TEST_F(ScoreSubscriberTest, OptionsThatCannotBeAreRefused) {
    SubscriberOptions bad = options();
    bad.model.clear();
    EXPECT_THROW(ScoreSubscriber{bad}, InvalidInput);
    bad = options();
    bad.liveness = 0ms;
    EXPECT_THROW(ScoreSubscriber{bad}, InvalidInput);
}

}  // namespace
}  // namespace fairstream::zmq
