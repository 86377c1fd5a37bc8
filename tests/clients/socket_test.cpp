#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/producer.hpp>
#include <fairstream/zmq/socket.hpp>

#include "clients/fake_server.hpp"
#include "support/names.hpp"

namespace fairstream::zmq {
namespace {

using namespace test;

bool allowed(const std::string& endpoint, bool has_keys, bool allow_insecure) {
    try {
        check_bind_allowed(endpoint, has_keys, allow_insecure);
        return true;
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.reason(), Reason::bad_option);
        EXPECT_NE(std::string(error.what()).find(endpoint), std::string::npos) << error.what();
        return false;
    }
}

TEST(Binding, WithoutKeysIsForThisMachineOnly) {
    for (const char* endpoint : {"ipc:///tmp/x", "inproc://x", "tcp://127.0.0.1:7101", "tcp://127.255.255.254:1",
                                 "tcp://localhost:7101", "tcp://[::1]:7101", "tcp://127.0.0.1:*"}) {
        EXPECT_TRUE(allowed(endpoint, false, false)) << endpoint;
    }
    for (const char* endpoint :
         {"tcp://*:7101", "tcp://0.0.0.0:7101", "tcp://[::]:7101", "tcp://eth0:7101", "tcp://10.0.0.1:7101",
          "tcp://128.0.0.1:1", "tcp://127.0.0.1.example.org:7101", "tcp://localhost.example.org:1", "tcp://127.1:7101",
          "tcp://0177.0.0.1:7101", "tcp://2130706433:1", "tcp://[::ffff:10.0.0.1]:1"}) {
        EXPECT_FALSE(allowed(endpoint, false, false)) << endpoint;
        EXPECT_TRUE(allowed(endpoint, true, false)) << endpoint << " with keys";
        EXPECT_TRUE(allowed(endpoint, false, true)) << endpoint << " when told so";
    }
}

TEST(Binding, RefusalNamesSettingsThatAllowIt) {
    try {
        check_bind_allowed("tcp://*:7101", false, false);
        ADD_FAILURE();
    } catch (const InvalidInput& error) {
        EXPECT_THAT(error.what(), fairstream::test::Names({"[security] keys", "[security] allow_plain_network"}));
    }
}

TEST(Binding, IsRefusedForTransportsThatAreNotSupported) {
    for (const char* endpoint : {"", "127.0.0.1:7101", "udp://127.0.0.1:1", "TCP://127.0.0.1:1", "pgm://x;1"}) {
        EXPECT_FALSE(allowed(endpoint, true, true)) << endpoint;
    }
}

TEST(Binding, NeedsAPortThatExists) {
    for (const char* endpoint : {"tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:", "tcp://127.0.0.1:65536",
                                 "tcp://127.0.0.1:99999", "tcp://127.0.0.1:-1", "tcp://127.0.0.1:71x"}) {
        EXPECT_FALSE(allowed(endpoint, true, true)) << endpoint;
        EXPECT_THROW(check_connectable(endpoint), InvalidInput) << endpoint;
    }
    for (const char* wildcard : {"tcp://127.0.0.1:*", "tcp://127.0.0.1:0"}) {
        EXPECT_TRUE(allowed(wildcard, false, false)) << wildcard;
        EXPECT_THROW(check_connectable(wildcard), InvalidInput) << "whoever connects must know the port";
    }
    EXPECT_NO_THROW(check_connectable("tcp://127.0.0.1:65535"));
    EXPECT_NO_THROW(check_connectable("ipc:///tmp/x"));
}

TEST(Keys, ThatAreGeneratedArePairsAndDiffer) {
    const KeyPair first = generate_keys(), second = generate_keys();
    EXPECT_NO_THROW(check(first));
    EXPECT_NE(first.secret_key, second.secret_key);
    EXPECT_THROW(check(KeyPair{first.public_key, second.secret_key}), InvalidInput);
    EXPECT_THROW(check(KeyPair{first.secret_key, first.public_key}), InvalidInput);
}

TEST(Keys, AreCheckedWithoutBeingShown) {
    const KeyPair keys = generate_keys();
    std::string bad = keys.secret_key;
    bad[7] = ' ';
    for (const std::string& key : {std::string(), keys.secret_key.substr(1), keys.secret_key + "0", bad}) {
        try {
            check_key(key, "the secret key");
            ADD_FAILURE() << "nothing was thrown";
        } catch (const InvalidInput& error) {
            EXPECT_EQ(error.reason(), Reason::bad_option);
            const std::string text = error.what();
            EXPECT_NE(text.find("the secret key"), std::string::npos);
            if (!key.empty()) {
                EXPECT_EQ(text.find(key), std::string::npos);
            }
        }
    }
}

class Curve : public testing::Test {
protected:
    /// Lets a client try until the server has rejected it, and expects that no message came through.
    void expect_kept_out(const std::optional<ClientSecurity>& security) {
        const char* address = "inproc://handshakes";
        ASSERT_EQ(zmq_socket_monitor(server.socket().handle(), address,
                                     ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                         ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_SUCCEEDED),
                  0);
        ::zmq::socket_t events(server.context(), ::zmq::socket_type::pair);
        events.set(::zmq::sockopt::linger, 0);
        events.connect(address);
        ProducerOptions options;
        options.endpoint = endpoint;
        options.name = "desk";
        options.security = security;
        Producer client(options);
        ::zmq::message_t event;
        ASSERT_TRUE(eventually([&] { return events.recv(event, ::zmq::recv_flags::dontwait).has_value(); }));
        std::uint16_t number = 0;
        std::memcpy(&number, event.data(), sizeof number);
        EXPECT_NE(number, ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        EXPECT_FALSE(client.connect(0ms));
        EXPECT_FALSE(server.receive());
    }

    Folder folder;
    std::string endpoint = folder.endpoint("control");
    KeyPair keys = generate_keys();
    FakeServer server{::zmq::socket_type::router, endpoint, keys};
};

TEST_F(Curve, AcceptsServerWithKey) {
    ControlClient client({.endpoint = endpoint,
                          .timeout = 30s,
                          .security = ClientSecurity{keys.public_key, generate_keys()},
                          .context = nullptr});
    std::jthread serving([&] {
        auto in = server.await();
        wire::Encoder encoder;
        server.reply(
            in, wire::write(wire::ControlReply{wire::read_request_number(in.message), {}, wire::Done{7}}, encoder));
    });
    EXPECT_EQ(client.stop(), 7U);
}

TEST_F(Curve, RefusesServerWithoutKey) {
    expect_kept_out(ClientSecurity{generate_keys().public_key, generate_keys()});
}

TEST_F(Curve, KeepsAClientWithoutKeysOut) {
    expect_kept_out({});
}

TEST(Sockets, NameTheEndpointThatCannotBeUsed) {
    for (const char* endpoint : {"", "nonsense", "tcp://no-port", "udp://127.0.0.1:1"}) {
        try {
            const ControlClient client({.endpoint = endpoint, .timeout = 1s, .security = {}, .context = nullptr});
            ADD_FAILURE() << "connected to " << endpoint;
        } catch (const InvalidInput& error) {
            EXPECT_NE(std::string(error.what()).find("'" + std::string(endpoint) + "'"), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace fairstream::zmq
