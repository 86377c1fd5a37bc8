/// Clients that take more than their share: of connections, of subscriptions, of memory. The server keeps its bounds,
/// and continues to serve all others.

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
    static std::uint16_t port_of(const std::string& endpoint) {
        return static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1)));
    }
    static std::string path_of(const std::string& endpoint) {
        return endpoint.substr(std::string_view("ipc://").size());
    }
    [[nodiscard]] std::vector<BareConnection> silent(const std::string& endpoint, int count) const {
        std::vector<BareConnection> all;
        for (int i = 0; i < count; ++i) all.emplace_back(path_of(endpoint));
        return all;
    }
    /// Returns a subscription to a topic of its own, `size` bytes including the first.
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
    // At most four of them still have a place: the newest.
    for (const auto& connections : all)
        for (std::size_t i = 0; i + 4 < connections.size(); ++i) EXPECT_TRUE(connections[i].ends()) << i;
    stop();
    EXPECT_GE(server_->counters().surplus, 3U * 16);
}

/// Clients with listed keys that hold all places of all sockets.
class Crowded : public HostileClients {
protected:
    void SetUp() override {
        ServerSecurity security{server_keys_.secret_key};
        security.producers = {{crowd_.public_key, {}}, {desk_.public_key, "p"}};
        security.subscribers = {crowd_.public_key, other_.public_key};
        security.controllers = {controller_.public_key};
        serve({.endpoints = {}, .security = security, .connections = {8, 8, 8}});
    }
    [[nodiscard]] ClientSecurity with(const KeyPair& keys) const { return {server_keys_.public_key, keys}; }
    [[nodiscard]] wire::ControlReply asked_by(const KeyPair& keys) const {
        Client client(socket_type::dealer, endpoints().control, with(keys));
        client.send(control(5, wire::HealthRequest{}));
        return client.control_reply().value;
    }

    const KeyPair server_keys_ = generate_keys(), crowd_ = generate_keys(), desk_ = generate_keys(),
                  other_ = generate_keys(), controller_ = generate_keys();
};

TEST_F(Crowded, ManyConnectionsExcludeNobody) {
    std::vector<std::unique_ptr<Client>> crowd;
    for (int i = 0; i < 12; ++i) {
        crowd.push_back(std::make_unique<Client>(socket_type::dealer, endpoints().ingest, with(crowd_)));
        crowd.back()->send(hello("crowd " + std::to_string(i), 1));
        crowd.push_back(std::make_unique<Client>(socket_type::sub, endpoints().updates, with(crowd_)));
        crowd.push_back(std::make_unique<Client>(socket_type::dealer, endpoints().control, with(crowd_)));
        crowd.back()->send(control(1, wire::HealthRequest{}));
    }
    const std::vector<Message> sent = events(1, 5);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        Client desk(socket_type::dealer, endpoints().ingest, with(desk_));
        desk.send(sent[i]);
        EXPECT_EQ(std::get<wire::Ack>(desk.ingest_reply().value.body).sequence, i + 1);
        Client subscriber(socket_type::sub, endpoints().updates, with(other_));
        (void)subscriber.publication();
        EXPECT_TRUE(std::holds_alternative<wire::Health>(asked_by(other_).body));
        EXPECT_TRUE(std::holds_alternative<wire::Health>(asked_by(controller_).body));
    }
    stop();
    EXPECT_GE(server_->counters().surplus, 12U);
}

/// Eight keys with one connection each hold all places.
TEST_F(HostileClients, ControllerGetsLastConnection) {
    const KeyPair server = generate_keys(), controller = generate_keys();
    std::vector<KeyPair> keys(9);
    ServerSecurity security{server.secret_key};
    security.controllers = {controller.public_key};
    for (KeyPair& each : keys) {
        each = generate_keys();
        security.subscribers.push_back(each.public_key);
    }
    serve({.endpoints = {}, .security = security, .connections = {8, 8, 8}});
    std::vector<std::unique_ptr<Client>> subscribers;
    for (std::size_t i = 0; i < 8; ++i) {
        subscribers.push_back(std::make_unique<Client>(socket_type::dealer, endpoints().control,
                                                       ClientSecurity{server.public_key, keys[i]}));
        subscribers.back()->send(control(1, wire::HealthRequest{}));
        (void)subscribers.back()->control_reply();
    }
    Client ninth(socket_type::dealer, "", ClientSecurity{server.public_key, keys[8]});
    Ending ending(ninth);
    ninth.socket().connect(endpoints().control);
    ninth.send(control(1, wire::HealthRequest{}));
    EXPECT_TRUE(ending.comes());
    Client client(socket_type::dealer, endpoints().control, ClientSecurity{server.public_key, controller});
    client.send(control(2, wire::HealthRequest{}));
    EXPECT_TRUE(std::holds_alternative<wire::Health>(client.control_reply().value.body));
    client.send(control(3, wire::HealthRequest{}));
    EXPECT_TRUE(std::holds_alternative<wire::Health>(client.control_reply().value.body)) << "it stays";
}

TEST_F(HostileClients, SubscriptionsCountPerClient) {
    serve({.endpoints = {}, .client_limits = {.subscriptions = 20}});
    Client first(socket_type::xsub, endpoints().updates), second(socket_type::xsub, "");
    const auto topic = [](int number) {
        const std::string text = subscription(number, 12);
        const auto bytes = std::as_bytes(std::span(text));
        return Message(bytes.begin(), bytes.end());
    };
    for (int i = 0; i < 15; ++i) first.send(topic(i));
    first.send(Message{std::byte{1}});
    (void)first.publication();
    Ending ending(second);
    second.socket().connect(endpoints().updates);
    for (int i = 0; i < 6; ++i) second.send(topic(100 + i));
    EXPECT_TRUE(ending.comes());
    first.send(Message{std::byte{0}});
    first.send(Message{std::byte{1}});
    (void)first.publication();
    stop();
    EXPECT_GE(server_->counters().oversubscribed, 1U);
}

TEST_F(HostileClients, WhoHasSpokenStaysWhenMoreCome) {
    serve({.endpoints = {}, .connections = {2, 1, 1}});
    Client first(socket_type::dealer, endpoints().ingest), second(socket_type::dealer, endpoints().ingest);
    const std::vector<Message> sent = events(1, 3);
    first.send(sent[0]);
    (void)first.ingest_reply();
    second.send(sent[1]);
    (void)second.ingest_reply();
    const std::vector<BareConnection> newcomers = silent(endpoints().ingest, 9);  // four silent ones may stay
    for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(newcomers[i].ends());
    first.send(sent[2]);
    EXPECT_EQ(std::get<wire::Ack>(first.ingest_reply().value.body).sequence, 3U);
    stop();
    EXPECT_EQ(server_->counters().surplus, 5U);
}

TEST_F(HostileClients, EndlessPartsAreCutOff) {
    const std::string any = "tcp://127.0.0.1:*";
    serve({.endpoints = {any, any, any}, .max_message_bytes = 1 << 20});
    struct Attack {
        const std::string& endpoint;
        const char* type;
        std::string part;
        std::size_t most;
    };
    for (const Attack& attack : {Attack{endpoints().ingest, "DEALER", std::string(100'000, 'x'), 2560},
                                 Attack{endpoints().control, "DEALER", std::string(100'000, 'x'), 2560},
                                 Attack{endpoints().updates, "SUB", std::string(500, 'x'), 256'000}}) {
        const BareConnection connection(port_of(attack.endpoint));
        connection.introduce(attack.type);
        std::size_t parts = 0;
        while (parts < attack.most && connection.send_part(attack.part)) ++parts;
        EXPECT_TRUE(connection.ends()) << attack.endpoint;
    }
    EXPECT_EQ(health().sequence, 0U);
    stop();
    EXPECT_EQ(server_->counters().endless, 3U);
}

TEST_F(HostileClients, WholeMessagesAreNotCutOff) {
    const std::string any = "tcp://127.0.0.1:*";
    serve({.endpoints = {any, any, any}, .max_message_bytes = 1 << 18});
    Client producer(socket_type::dealer, endpoints().ingest);
    constexpr std::uint64_t count = 100;
    for (std::uint64_t number = 1; number <= count; ++number) {
        const PointColumns columns = points_.next(2000);
        producer.send(event("p", 1, number, columns.view()));
    }
    for (std::uint64_t number = 1; number <= count; ++number)
        EXPECT_EQ(std::get<wire::Ack>(producer.ingest_reply().value.body).sequence, number);
    stop();
    EXPECT_EQ(server_->counters().endless, 0U);
}

TEST_F(HostileClients, OversubscriberIsCutOff) {
    serve();
    Client subscriber(socket_type::sub, endpoints().updates);
    (void)subscriber.publication();
    const BareConnection many(path_of(endpoints().updates)), long_one(path_of(endpoints().updates));
    for (const BareConnection* const each : {&many, &long_one}) each->introduce("SUB");
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

TEST_F(HostileClients, LongMessageIsRefused) {
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

TEST_F(HostileClients, StrangersAreCutOff) {
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
        // The bytes are read as a greeting of ZMTP 3, or as frames of ZMTP 1, which has no greeting.
        for (const char junk : {'\xff', '\x7f', '\1', '\0'}) {
            const BareConnection stranger(path_of(endpoint));
            (void)stranger.send(std::string(1 << 20, junk));
            EXPECT_TRUE(stranger.ends()) << int{junk} << " to " << endpoint;
        }
    }
    EXPECT_EQ(health(ClientSecurity{server.public_key, known}).sequence, 0U);
}

TEST_F(HostileClients, BusyServerHoldsFewMessages) {
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
    // Four connections that have sent nothing yet may be open beside the one connection of each socket.
    EXPECT_LT(receive_bound(options), 5 * 9 * bytes);
    EXPECT_GT(taken, 0U);
    // One connection to each socket: a few messages wait in the client itself, and some in a buffer of the system.
    EXPECT_LT(taken, 9 * bytes + 8 * bytes);
}

}  // namespace
}  // namespace fairstream::zmq
