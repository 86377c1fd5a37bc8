/// A server with keys lets in whom it knows, and nobody else.

#include <zmq.hpp>

#include "server/fixture.hpp"

namespace fairstream::zmq {
namespace {

using ::zmq::socket_type;

/// How the handshake of a client's first connection ended: an event of `zmq_socket_monitor`.
class Handshake : public ::zmq::monitor_t {
public:
    explicit Handshake(Client& client) { init(client.socket(), "inproc://handshake"); }
    /// 0 when none ended in time.
    [[nodiscard]] int result() {
        for (;;) {
            if (result_ != 0) return result_;
            if (!check_event(static_cast<int>(std::chrono::milliseconds(patience).count()))) return 0;
        }
    }

    void on_event_handshake_succeeded(const zmq_event_t&, const char*) override {
        result_ = ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
    }
    void on_event_handshake_failed_auth(const zmq_event_t&, const char*) override {
        result_ = ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
    }
    void on_event_handshake_failed_protocol(const zmq_event_t&, const char*) override {
        result_ = ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL;
    }
    void on_event_handshake_failed_no_detail(const zmq_event_t&, const char*) override {
        result_ = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
    }

private:
    int result_ = 0;
};

class Security : public ServerTest {
protected:
    void SetUp() override {
        serve({.endpoints = {}, .security = ServerSecurity{keys_.secret_key, {known_.public_key}}});
    }
    /// How a connection to each of the three sockets ends.
    std::vector<int> handshakes(const std::optional<ClientSecurity>& security) {
        std::vector<int> results;
        const std::pair<socket_type, std::string> sockets[]{{socket_type::dealer, endpoints().ingest},
                                                            {socket_type::sub, endpoints().updates},
                                                            {socket_type::dealer, endpoints().control}};
        for (const auto& [type, endpoint] : sockets) {
            Client client(type, "", security);
            Handshake handshake(client);
            client.socket().connect(endpoint);
            results.push_back(handshake.result());
        }
        return results;
    }
    [[nodiscard]] ClientSecurity with(const KeyPair& keys) const { return {keys_.public_key, keys}; }

    const KeyPair keys_ = generate_keys();
    const KeyPair known_ = generate_keys();
};

TEST_F(Security, AKnownKeyIsLetIn) {
    EXPECT_THAT(handshakes(with(known_)), testing::Each(ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    Client client(socket_type::dealer, endpoints().control, with(known_));
    client.send(control(3, wire::HealthRequest{}));
    EXPECT_EQ(client.control_reply().value.request, 3U);
}

TEST_F(Security, AnUnknownKeyIsRefused) {
    EXPECT_THAT(handshakes(with(generate_keys())), testing::Each(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH));
    stop();
    EXPECT_GE(server_->counters().turned_away, 3U);
}

TEST_F(Security, AClientWithoutKeysIsRefused) {
    EXPECT_THAT(handshakes({}),
                testing::Each(testing::AllOf(testing::Ne(0), testing::Ne(ZMQ_EVENT_HANDSHAKE_SUCCEEDED))));
}

TEST_F(Security, AClientThatTakesItForAnotherServerIsRefused) {
    const ClientSecurity mistaken{generate_keys().public_key, known_};
    EXPECT_THAT(handshakes(mistaken), testing::Each(testing::Ne(ZMQ_EVENT_HANDSHAKE_SUCCEEDED)));
}

}  // namespace
}  // namespace fairstream::zmq
