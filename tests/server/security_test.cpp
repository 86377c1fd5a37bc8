/// A server with keys admits listed clients, and no others.

#include <unistd.h>

#include <zmq.hpp>

#include <fairstream/service/access.hpp>

#include "server/fixture.hpp"

namespace fairstream::zmq {
namespace {

using ::zmq::socket_type;

/// The end of the handshake of a client's first connection: an event of `zmq_socket_monitor`.
class Handshake : public ::zmq::monitor_t {
public:
    explicit Handshake(Client& client) { init(client.socket(), "inproc://handshake"); }
    /// Returns 0 if none ended in time.
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
        serve({.endpoints = {},
               .security = ServerSecurity{keys_.secret_key, {known_.public_key}},
               .on_rejected = [this](std::string_view key, std::string_view socket) {
                   rejected_.push_back(std::string(socket) + " " + std::string(key));
               }});
    }
    /// Returns how a connection to each of the three sockets ends.
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
    std::vector<std::string> rejected_;  // written by the server's thread while it runs
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
    EXPECT_GE(server_->counters().rejected, 3U);
}

TEST_F(Security, UnknownKeyIsReportedPerSocket) {
    const KeyPair stranger = generate_keys();
    for (int again = 0; again < 2; ++again) (void)handshakes(with(stranger));
    (void)handshakes(with(known_));
    stop();
    EXPECT_THAT(rejected_,
                testing::UnorderedElementsAre("ingest " + stranger.public_key, "updates " + stranger.public_key,
                                              "control " + stranger.public_key));
}

TEST_F(Security, AClientWithoutKeysIsRefused) {
    EXPECT_THAT(handshakes({}),
                testing::Each(testing::AllOf(testing::Ne(0), testing::Ne(ZMQ_EVENT_HANDSHAKE_SUCCEEDED))));
}

/// Clients with one right each.
class Roles : public Security {
protected:
    void SetUp() override {
        ServerSecurity security{keys_.secret_key, {all_.public_key}};
        security.producers = {{anyone_.public_key, {}}, {bound_.public_key, "p"}};
        security.subscribers = {subscriber_.public_key};
        security.controllers = {controller_.public_key};
        serve({.endpoints = {}, .security = security});
    }
    decltype(wire::IngestReply::body) said_to(const KeyPair& client, const Message& message) {
        Client producer(socket_type::dealer, endpoints().ingest, with(client));
        producer.send(message);
        return producer.ingest_reply().value.body;
    }
    decltype(wire::ControlReply::body) asked_by(const KeyPair& client, decltype(wire::ControlRequest::body) request) {
        Client asking(socket_type::dealer, endpoints().control, with(client));
        asking.send(control(1, std::move(request)));
        return asking.control_reply().value.body;
    }
    static Reason reason(const auto& body) {
        const auto* const nack = std::get_if<wire::Nack>(&body);
        return nack == nullptr ? Reason{} : nack->reason;
    }

    const KeyPair anyone_ = generate_keys(), bound_ = generate_keys(), subscriber_ = generate_keys(),
                  controller_ = generate_keys(), all_ = generate_keys();
};

TEST_F(Roles, EachKeyGetsAsFarAsItsRole) {
    constexpr int in = ZMQ_EVENT_HANDSHAKE_SUCCEEDED, out = ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
    EXPECT_THAT(handshakes(with(anyone_)), testing::ElementsAre(in, out, out));
    EXPECT_THAT(handshakes(with(bound_)), testing::ElementsAre(in, out, out));
    EXPECT_THAT(handshakes(with(subscriber_)), testing::ElementsAre(out, in, in));
    EXPECT_THAT(handshakes(with(controller_)), testing::ElementsAre(out, out, in));
}

TEST_F(Roles, SubscriberMayOnlyAsk) {
    EXPECT_TRUE(std::holds_alternative<wire::Health>(asked_by(subscriber_, wire::HealthRequest{})));
    EXPECT_TRUE(std::holds_alternative<wire::Publication>(asked_by(subscriber_, wire::SnapshotRequest{"labels.fair"})));
    const KnobChange knob{"fair", "kmeans_updates", "3"};
    EXPECT_EQ(reason(asked_by(subscriber_, knob)), Reason::not_allowed);
    EXPECT_EQ(reason(asked_by(subscriber_, Refinement{"plain", 1})), Reason::not_allowed);
    EXPECT_EQ(reason(asked_by(subscriber_, wire::StopRequest{})), Reason::not_allowed);
    EXPECT_EQ(std::get<wire::Done>(asked_by(controller_, knob)).sequence, 1U);
    EXPECT_TRUE(std::holds_alternative<wire::Done>(asked_by(controller_, wire::StopRequest{})));
    running_.get();
}

/// Each rule of the table is tried with every key that may connect to the socket: clients without the rights are
/// refused, others are not.
TEST_F(Roles, RulesApplyToEveryMessage) {
    const std::vector<float> features(options_.format.dimensions);
    const PointColumns columns = points_.next(3);
    const std::vector<Event> of_events{columns.view(),
                                       KnobChange{"fair", "kmeans_updates", "3"},
                                       Refinement{"fair", 1},
                                       ProducerExpiry{.names = {"p"}},
                                       Outcomes{},
                                       PointRemoval{}};
    using Request = decltype(wire::ControlRequest::body);
    const std::vector<Request> requests{wire::SnapshotRequest{"labels.fair"},
                                        wire::RangeRequest{"labels.fair", 1, 1},
                                        wire::AssignRequest{"fair", features, {}},
                                        wire::ReportRequest{"fair"},
                                        KnobChange{"fair", "kmeans_updates", "3"},
                                        Refinement{"fair", 1},
                                        wire::HealthRequest{},
                                        wire::StopRequest{},
                                        wire::KnownRequest{},
                                        wire::RowRequest{"fair", features},
                                        wire::DescriptionRequest{},
                                        wire::ProducersRequest{},
                                        wire::RemovalRequest{"nobody"},
                                        PointRemoval{}};
    ASSERT_EQ(of_events.size(), std::variant_size_v<Event>);
    ASSERT_EQ(requests.size(), std::variant_size_v<Request>);
    using service::Rights;
    const std::vector<std::pair<const KeyPair*, Rights>> producers{{&anyone_, Rights::send}, {&all_, Rights::all}},
        askers{{&subscriber_, Rights::follow | Rights::ask},
               {&controller_, Rights::ask | Rights::control | Rights::remove},
               {&all_, Rights::all}};
    for (const auto& [key, rights] : producers) {
        const std::string name = key == &all_ ? "all" : "anyone";
        EXPECT_TRUE(std::holds_alternative<wire::Welcome>(said_to(*key, hello(name, 1))));
        for (std::size_t kind = 0; kind < of_events.size(); ++kind) {
            const wire::EventMessage message{name, kind + 1, 1, of_events[kind]};  // an epoch for each
            const service::Rule& rule = service::rule_of(wire::IngestRequest{message});
            const Reason reply = reason(said_to(*key, event(name, kind + 1, 1, of_events[kind])));
            EXPECT_EQ(reply == Reason::not_allowed, !rule.internal && !includes(rights, rule.needed)) << rule.message;
            if (rule.internal) {
                EXPECT_EQ(reply, Reason::malformed) << rule.message;
            }
        }
    }
    for (const auto& [key, rights] : askers) {
        for (const Request& request : requests) {
            const service::Rule& rule = service::rule_of(wire::ControlRequest{1, request});
            const bool allowed = includes(rights, rule.needed);
            if (allowed && std::holds_alternative<wire::StopRequest>(request)) continue;  // another test's
            EXPECT_EQ(reason(asked_by(*key, request)) != Reason::not_allowed, allowed) << rule.message;
        }
    }
}

TEST_F(Roles, UsedNameIsProtected) {
    EXPECT_EQ(std::get<wire::Ack>(said_to(anyone_, event("q", 5, 1, points_.next(3).view()))).sequence, 1U);
    EXPECT_EQ(reason(said_to(all_, hello("q", 6))), Reason::not_allowed);
    EXPECT_EQ(reason(said_to(all_, event("q", 6, 1, points_.next(3).view()))), Reason::not_allowed);
    EXPECT_EQ(std::get<wire::Welcome>(said_to(anyone_, hello("q", 5))).next_producer_sequence, 2U);
    EXPECT_EQ(std::get<wire::Done>(asked_by(controller_, wire::RemovalRequest{"q"})).sequence, 2U);
    EXPECT_EQ(std::get<wire::Ack>(said_to(all_, event("q", 6, 1, points_.next(3).view()))).sequence, 3U);
}

TEST_F(Roles, BoundNameIsProtected) {
    const std::vector<Message> sent = events(1, 1);
    EXPECT_EQ(reason(said_to(anyone_, hello("p", 9))), Reason::not_allowed);
    EXPECT_EQ(reason(said_to(anyone_, sent[0])), Reason::not_allowed);
    // A refusal for its content would use up the producer's number.
    EXPECT_EQ(
        std::get<wire::Nack>(said_to(anyone_, event("p", 9, 1, KnobChange{"nobody", "a", "b"}))).producer_sequence, 0U);
    EXPECT_EQ(reason(said_to(bound_, hello("q", 1))), Reason::not_allowed);
    EXPECT_TRUE(std::holds_alternative<wire::Welcome>(said_to(anyone_, hello("q", 1))));
    // Nothing that others sent under its name has changed its numbers.
    EXPECT_EQ(std::get<wire::Welcome>(said_to(bound_, hello("p", 1))).next_producer_sequence, 1U);
    EXPECT_EQ(std::get<wire::Ack>(said_to(bound_, sent[0])).sequence, 1U);
}

/// Identities of clients, by which producers' names and all limits are counted.
class Identities : public ServerTest {
protected:
    /// Sends an event as this producer, and returns its owner afterwards.
    std::string owner_after(const std::string& producer, const std::optional<ClientSecurity>& sender = {},
                            const std::optional<ClientSecurity>& controller = {}) {
        Client client(socket_type::dealer, endpoints().ingest, sender);
        client.send(event(producer, 1, 1, points_.next(3).view()));
        EXPECT_TRUE(std::holds_alternative<wire::Ack>(client.ingest_reply().value.body));
        Client asking(socket_type::dealer, endpoints().control, controller);
        asking.send(control(1, wire::ProducersRequest{}));
        const auto reply = asking.control_reply();
        const auto& known = std::get<wire::Producers>(reply.value.body).producers;
        const auto found = std::ranges::find(known, producer, &wire::ProducerState::name);
        return found == known.end() ? "unknown" : found->client;
    }
};

TEST_F(Identities, UsersAndTcpWithoutKeys) {
    serve();
    EXPECT_EQ(owner_after("p"), "user:" + std::to_string(::getuid()));
    stop();
    server_.reset();
    service_.reset();
    std::filesystem::remove(path_);
    serve({.endpoints = {"tcp://127.0.0.1:*", "tcp://127.0.0.1:*", "tcp://127.0.0.1:*"}});
    EXPECT_EQ(owner_after("p"), "loopback");
}

TEST_F(Identities, KeysOrBoundNames) {
    const KeyPair server = generate_keys(), anyone = generate_keys(), former = generate_keys(),
                  renewed = generate_keys(), controller = generate_keys();
    ServerSecurity security{server.secret_key};
    security.producers = {{anyone.public_key, {}}, {former.public_key, "desk"}, {renewed.public_key, "desk"}};
    security.controllers = {controller.public_key};
    serve({.endpoints = {}, .security = security});
    const auto with = [&](const KeyPair& keys) { return ClientSecurity{server.public_key, keys}; };
    EXPECT_EQ(owner_after("p", with(anyone), with(controller)), "key:" + anyone.public_key);
    EXPECT_EQ(owner_after("desk", with(former), with(controller)), "name:desk");
    EXPECT_EQ(owner_after("desk", with(renewed), with(controller)), "name:desk") << "a duplicate";
}

TEST_F(Security, WrongServerIsRefused) {
    const ClientSecurity mistaken{generate_keys().public_key, known_};
    EXPECT_THAT(handshakes(mistaken), testing::Each(testing::Ne(ZMQ_EVENT_HANDSHAKE_SUCCEEDED)));
}

}  // namespace
}  // namespace fairstream::zmq
