/// Clients that take more than their share: of connections, of subscriptions, of memory. The server keeps to its bounds
/// and goes on with everybody else.

#include "server/fixture.hpp"
#include "support/bare_connection.hpp"

namespace fairstream::zmq {
namespace {

using ::zmq::socket_type;

/// Waits for the end of a client's first connection.
class Ending : public ::zmq::monitor_t {
public:
    explicit Ending(Client& client) { init(client.socket(), "inproc://ending", ZMQ_EVENT_DISCONNECTED); }
    [[nodiscard]] bool comes() {
        while (!ended_ && check_event(static_cast<int>(std::chrono::milliseconds(patience).count()))) {
        }
        return ended_;
    }
    void on_event_disconnected(const zmq_event_t&, const char*) override { ended_ = true; }

private:
    bool ended_ = false;
};

class HostileClients : public ServerTest {
protected:
    wire::Health health(const std::optional<ClientSecurity>& security = {}) {
        Client client(socket_type::dealer, endpoints().control, security);
        client.send(control(5, wire::HealthRequest{}));
        return std::get<wire::Health>(client.control_reply().value.body);
    }
    static std::string path_of(const std::string& endpoint) {
        return endpoint.substr(std::string_view("ipc://").size());
    }
    [[nodiscard]] std::vector<BareConnection> silent(const std::string& endpoint, int count) const {
        std::vector<BareConnection> all;
        for (int i = 0; i < count; ++i) all.emplace_back(path_of(endpoint));
        return all;
    }
    /// To a topic of its own, `size` bytes with the first.
    static std::string subscription(int number, std::size_t size) {
        std::string text = "\1" + std::to_string(number);
        text.resize(size, 'x');
        return text;
    }
};

TEST_F(HostileClients, ConnectionsThatSayNothingKeepNobodyOut) {
    const KeyPair server = generate_keys(), known = generate_keys();
    serve(
        {.endpoints = {}, .security = ServerSecurity{server.secret_key, {known.public_key}}, .connections = {2, 2, 2}});
    const ClientSecurity security{server.public_key, known};
    std::vector<std::vector<BareConnection>> all;
    for (const std::string& endpoint : {endpoints().ingest, endpoints().updates, endpoints().control})
        all.push_back(silent(endpoint, 20));
    Client producer(socket_type::dealer, endpoints().ingest, security);
    Client subscriber(socket_type::sub, endpoints().updates, security);
    producer.send(events(1, 1)[0]);
    EXPECT_EQ(std::get<wire::Ack>(producer.ingest_reply().value.body).sequence, 1U);
    EXPECT_EQ(health(security).sequence, 1U);
    (void)subscriber.publication();
    // Two of them have a place still, at most: the newest.
    for (const auto& connections : all)
        for (std::size_t i = 0; i + 2 < connections.size(); ++i) EXPECT_TRUE(connections[i].ends()) << i;
    stop();
    EXPECT_GE(server_->counters().surplus, 3U * 18);
}

TEST_F(HostileClients, WhoHasSpokenStaysWhenMoreCome) {
    serve({.endpoints = {}, .connections = {2, 1, 1}});
    Client first(socket_type::dealer, endpoints().ingest), second(socket_type::dealer, endpoints().ingest);
    const std::vector<Message> sent = events(1, 3);
    first.send(sent[0]);
    (void)first.ingest_reply();
    second.send(sent[1]);
    (void)second.ingest_reply();
    for (const BareConnection& newcomer : silent(endpoints().ingest, 5)) EXPECT_TRUE(newcomer.ends());
    first.send(sent[2]);
    EXPECT_EQ(std::get<wire::Ack>(first.ingest_reply().value.body).sequence, 3U);
    stop();
    EXPECT_EQ(server_->counters().surplus, 5U);
}

TEST_F(HostileClients, ASubscriberToTooMuchIsCutOffAndTheOthersAreServed) {
    serve();
    Client subscriber(socket_type::sub, endpoints().updates);
    (void)subscriber.publication();
    const BareConnection many(path_of(endpoints().updates)), long_one(path_of(endpoints().updates));
    for (const BareConnection* const each : {&many, &long_one}) each->introduce_subscriber();
    int taken = 0;
    while (taken < 200'000 && many.send_message(subscription(taken, 21))) ++taken;
    EXPECT_TRUE(many.ends());
    EXPECT_LT(taken, 200'000);
    (void)long_one.send_message(subscription(0, 1 << 20));
    EXPECT_TRUE(long_one.ends());
    EXPECT_EQ(health().sequence, 0U);
    (void)subscriber.publication();
    stop();
    EXPECT_GE(server_->counters().oversubscribed, 1U);
}

TEST_F(HostileClients, SubscribingAndUnsubscribingForEverIsNoAbuse) {
    serve();
    Client subscriber(socket_type::xsub, endpoints().updates);
    for (std::uint64_t number = 0; number < 2'000; ++number) {
        for (const char first : {'\1', '\0'}) {
            Message message(12, static_cast<std::byte>(number % 7));
            message[0] = static_cast<std::byte>(first);
            subscriber.send(message);
        }
    }
    subscriber.send(Message{std::byte{1}});
    (void)subscriber.publication();
    stop();
    EXPECT_EQ(server_->counters().oversubscribed, 0U);
}

TEST_F(HostileClients, AMessageAboveTheLimitIsNotTakenAndTheOthersAreServed) {
    serve({.endpoints = {}, .max_message_bytes = 8192});
    for (const std::string& endpoint : {endpoints().ingest, endpoints().control}) {
        Client hostile(socket_type::dealer, "");
        Ending ending(hostile);
        hostile.socket().connect(endpoint);
        hostile.send(Message(8193, std::byte{1}));
        EXPECT_TRUE(ending.comes());
    }
    Client producer(socket_type::dealer, endpoints().ingest);
    producer.send(Message(8192, std::byte{1}));
    EXPECT_TRUE(std::holds_alternative<wire::Nack>(producer.ingest_reply().value.body));
    EXPECT_EQ(health().sequence, 0U);
}

TEST_F(HostileClients, StrangersWhoSendNoHandshakeAreCutOffAndTheOthersAreServed) {
    const KeyPair server = generate_keys(), known = generate_keys();
    constexpr std::size_t limit = 8192;
    serve({.endpoints = {},
           .security = ServerSecurity{server.secret_key, {known.public_key}},
           .max_message_bytes = limit});
    for (const std::string& endpoint : {endpoints().ingest, endpoints().updates, endpoints().control}) {
        for (const std::size_t size : {std::size_t{40'000'000}, limit}) {  // above the limit and within it
            const BareConnection stranger(path_of(endpoint));
            stranger.greet("CURVE");
            (void)stranger.send_message(std::string(size, 'x'));
            EXPECT_TRUE(stranger.ends()) << size << " bytes to " << endpoint;
        }
        // Read as a greeting of ZMTP 3, or as frames of ZMTP 1, which has no greeting.
        for (const char junk : {'\xff', '\x7f', '\1', '\0'}) {
            const BareConnection stranger(path_of(endpoint));
            (void)stranger.send(std::string(1 << 20, junk));
            EXPECT_TRUE(stranger.ends()) << int{junk} << " to " << endpoint;
        }
    }
    EXPECT_EQ(health(ClientSecurity{server.public_key, known}).sequence, 0U);
}

TEST_F(HostileClients, FewMessagesWaitForAServerThatIsBusy) {
    constexpr std::size_t bytes = 1 << 20;
    const ServerOptions options{.endpoints = {}, .max_message_bytes = bytes, .connections = {1, 1, 1}};
    prepare(options);  // it does not run, and so reads nothing
    std::size_t taken = 0;
    for (const std::string& endpoint : {endpoints().ingest, endpoints().control}) {
        Client hostile(socket_type::dealer, endpoint);
        hostile.socket().set(::zmq::sockopt::sndtimeo, 500);
        hostile.socket().set(::zmq::sockopt::sndhwm, 1);
        const Message message(bytes, std::byte{1});
        for (int i = 0; i < 200 && hostile.socket().send(::zmq::buffer(message)); ++i) taken += bytes;
    }
    // A few wait in the client itself, and what one buffer of the system holds.
    EXPECT_LT(receive_bound(options), 9 * bytes);
    EXPECT_GT(taken, 0U);
    EXPECT_LT(taken, receive_bound(options) + 8 * bytes);
}

}  // namespace
}  // namespace fairstream::zmq
