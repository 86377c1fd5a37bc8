/// The subscriber of networks over real sockets; the test plays the engine.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include <fairstream/zmq/network_subscriber.hpp>

#include "clients/fake_server.hpp"

namespace fairstream::zmq {
namespace {

using namespace test;

/// Returns the network x -> factor x.
Network times(double factor) {
    Layer layer{Matrix(1, 1), {0.0}, Activation::identity};
    layer.weights.values[0] = factor;
    return {{layer}};
}

class NetworkSubscriberTest : public testing::Test {
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
    [[nodiscard]] wire::Publication publication(std::uint64_t number, Network network) const {
        wire::Publication out;
        out.recording = id, out.topic = "network.m", out.topic_sequence = number, out.sequence = 10 * number;
        out.body = wire::NetworkReport{std::move(network)};
        return out;
    }
    void publish(std::uint64_t number, Network network) {
        updates.publish("network.m", wire::write(publication(number, std::move(network)), encoder));
    }
    void publish_status(std::uint64_t number) {
        wire::Publication status;
        status.recording = id, status.topic = "status", status.sequence = 10 * number;
        status.body = wire::Status{{{"network.m", number, 0}}, 0, {}};
        updates.publish("status", wire::write(status, encoder));
    }
    void serve() {
        while (auto in = control.receive()) {
            const auto request = wire::read_control_request(in->message);
            wire::ControlReply reply;
            reply.request = request.request, reply.recording = id;
            if (refuses)
                reply.body = wire::Nack{0, Reason::unknown_model, "no topic 'network.m'", 0};
            else
                reply.body = newest;
            ++answered;
            control.reply(*in, wire::write(reply, encoder));
        }
    }
    /// Runs both sides until the subscriber's network multiplies by `factor`.
    bool runs(NetworkSubscriber& subscriber, float factor) {
        return eventually([&] {
            serve();
            subscriber.poll(5ms);
            return multiplies_by(subscriber, factor);
        });
    }
    static bool multiplies_by(const NetworkSubscriber& subscriber, float factor) {
        const auto evaluation = subscriber.evaluation();
        return evaluation != nullptr && (*evaluation)(std::vector<float>{1}) == std::vector<float>{factor};
    }

    Folder folder;
    FakeServer updates{::zmq::socket_type::xpub, folder.endpoint("updates")};
    FakeServer control{::zmq::socket_type::router, folder.endpoint("control")};
    wire::RecordingId id{std::byte{7}};
    wire::Publication newest = publication(1, times(2));
    bool refuses = false;
    int answered = 0;
    wire::Encoder encoder;
};

TEST_F(NetworkSubscriberTest, StartsFromASnapshotAndFollows) {
    NetworkSubscriber subscriber(options());
    EXPECT_EQ(subscriber.evaluation(), nullptr);
    EXPECT_FALSE(subscriber.consistent());
    ASSERT_TRUE(runs(subscriber, 2));
    EXPECT_EQ(subscriber.newest()->sequence, 10U);
    ASSERT_TRUE(eventually([&] {
        publish(2, times(3));
        serve();
        subscriber.poll(5ms);
        return multiplies_by(subscriber, 3);
    })) << "published until the subscription has arrived";
    EXPECT_EQ(subscriber.newest()->sequence, 20U);
    publish(1, times(5));
    publish_status(2);
    ASSERT_TRUE(eventually([&] {
        subscriber.poll(5ms);
        return subscriber.consistent();
    }));
    EXPECT_TRUE(multiplies_by(subscriber, 3)) << "an older network does not replace a newer one";
    EXPECT_EQ(subscriber.recording(), id);
}

TEST_F(NetworkSubscriberTest, AsksForOneThatItMissed) {
    NetworkSubscriber subscriber(options());
    ASSERT_TRUE(runs(subscriber, 2));
    const int before = answered;
    newest = publication(7, times(-1));
    ASSERT_TRUE(eventually([&] {
        publish_status(7);
        serve();
        subscriber.poll(5ms);
        return answered > before;
    }));
    EXPECT_TRUE(runs(subscriber, -1));
}

TEST_F(NetworkSubscriberTest, HasNoneWhileTheModelIsWarming) {
    newest = publication(1, {});
    NetworkSubscriber subscriber(options());
    ASSERT_TRUE(eventually([&] {
        serve();
        return subscriber.poll(5ms);
    }));
    EXPECT_EQ(subscriber.evaluation(), nullptr);
    ASSERT_TRUE(subscriber.newest().has_value());
}

TEST_F(NetworkSubscriberTest, ThrowsForAModelWithoutOne) {
    refuses = true;
    NetworkSubscriber subscriber(options());
    EXPECT_THROW((void)eventually([&] {
                     serve();
                     subscriber.poll(5ms);
                     return false;
                 }),
                 ControlRefused);
}

}  // namespace
}  // namespace fairstream::zmq
