/// The server over real sockets: messages are answered and published, and no client can end it.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include <fairstream/config/config.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/zmq/subscriber.hpp>

#include "server/failing_disk.hpp"
#include "server/fixture.hpp"

namespace fairstream::zmq {
namespace {

using ::zmq::socket_type;

class ServerRuns : public ServerTest {
protected:
    /// Asks the server for health, and so waits until it has handled everything sent to `control` before.
    wire::Health health() {
        Client client(socket_type::dealer, endpoints().control);
        client.send(control(5, wire::HealthRequest{}));
        const auto reply = client.control_reply();
        EXPECT_EQ(reply.value.request, 5U);
        return std::get<wire::Health>(reply.value.body);
    }
};

TEST_F(ServerRuns, EventsAreAckedInOrderAndPublished) {
    serve();
    Client subscriber(socket_type::sub, endpoints().updates);
    // The first status shows that the subscription is active.
    EXPECT_TRUE(std::holds_alternative<wire::Status>(subscriber.publication().value.body));
    Client producer(socket_type::dealer, endpoints().ingest);
    producer.send(hello("p", 1));
    EXPECT_TRUE(std::holds_alternative<wire::Welcome>(producer.ingest_reply().value.body));
    for (const Message& event : events(1, 30)) producer.send(event);
    for (std::uint64_t number = 1; number <= 30; ++number) {
        const auto reply = producer.ingest_reply();
        EXPECT_EQ(std::get<wire::Ack>(reply.value.body).producer_sequence, number);
        EXPECT_EQ(std::get<wire::Ack>(reply.value.body).sequence, number);
    }
    std::map<std::string, std::uint64_t> numbers;
    View view;
    for (Sequence sequence = 0; sequence < 30;) {
        const auto read = subscriber.publication();
        if (std::holds_alternative<wire::Status>(read.value.body)) continue;
        EXPECT_EQ(read.value.topic_sequence, ++numbers[read.value.topic]) << read.value.topic;
        if (read.value.topic == "labels.fair") fold(std::get<wire::LabelUpdate>(read.value.body), view);
        if (read.value.topic == "clusters.fair") sequence = read.value.sequence;
    }
    stop();
    EXPECT_EQ(service_->engine().sequence(), 30U);
    EXPECT_EQ(view, view_of(service_->engine(), "fair"));
}

TEST_F(ServerRuns, EndIsToldAfterAnswers) {
    serve();
    Client producer(socket_type::dealer, endpoints().ingest), idle(socket_type::dealer, endpoints().ingest);
    idle.send(hello("q", 1));
    EXPECT_TRUE(std::holds_alternative<wire::Welcome>(idle.ingest_reply().value.body));
    for (const Message& event : events(1, 30)) producer.send(event);
    std::uint64_t acked = 0;
    const auto next_is_ack = [&](const auto& reply) {
        if (!std::holds_alternative<wire::Ack>(reply.value.body)) return false;
        EXPECT_EQ(std::get<wire::Ack>(reply.value.body).producer_sequence, ++acked);
        return true;
    };
    EXPECT_TRUE(next_is_ack(producer.ingest_reply()));
    stop();
    auto last = producer.ingest_reply();
    while (next_is_ack(last)) last = producer.ingest_reply();
    EXPECT_TRUE(std::holds_alternative<wire::Ending>(last.value.body));
    EXPECT_EQ(service_->engine().sequence(), acked) << "what was not acked was not taken";
    EXPECT_TRUE(std::holds_alternative<wire::Ending>(idle.ingest_reply().value.body));
}

TEST_F(ServerRuns, ARequesterAndADealerAreAnsweredAlike) {
    serve();
    for (const socket_type type : {socket_type::req, socket_type::dealer}) {
        Client client(type, endpoints().control);
        client.send(control(9, wire::HealthRequest{}));
        EXPECT_EQ(client.control_reply().value.request, 9U);
    }
}

TEST_F(ServerRuns, MalformedMessagesAreHarmless) {
    serve();
    const Message some(40, std::byte{7});
    for (const std::string& endpoint : {endpoints().ingest, endpoints().control}) {
        Client client(socket_type::dealer, endpoint);
        client.send(std::vector<Message>{some, some});
        client.send(std::vector<Message>{{}, some, some});
        client.send(std::vector<Message>{{}, {}, {}});
        client.send(std::vector<Message>(50, some));
        client.send(Message{});
        client.send(Message(100'000, std::byte{1}));
        client.send(std::vector<Message>{{}, some});
        // Three are answered, the last one in the framing it came in.
        EXPECT_EQ(client.receive().size(), 1U);
        EXPECT_EQ(client.receive().size(), 1U);
        EXPECT_EQ(client.receive().size(), 2U);
    }
    Client subscriber(socket_type::xsub, endpoints().updates);
    for (const Message& garbage : {Message{}, Message(5, std::byte{9}), Message(1000, std::byte{1})})
        subscriber.send(garbage);
    for (const Message& event : events(1, 3)) {
        Client producer(socket_type::dealer, endpoints().ingest);
        producer.send(event);
        EXPECT_TRUE(std::holds_alternative<wire::Ack>(producer.ingest_reply().value.body));
    }
    EXPECT_EQ(health().sequence, 3U);
    stop();
    EXPECT_EQ(server_->counters().dropped_messages, 8U);
}

TEST_F(ServerRuns, VanishedClientsEventIsAckedLater) {
    serve();
    const std::vector<Message> sent = events(1, 1);
    {
        Client producer(socket_type::dealer, endpoints().ingest);
        producer.socket().set(::zmq::sockopt::linger, 20'000);
        producer.send(sent[0]);
    }
    Client producer(socket_type::dealer, endpoints().ingest);
    producer.send(sent[0]);
    EXPECT_EQ(std::get<wire::Ack>(producer.ingest_reply().value.body).sequence, 1U);
    EXPECT_EQ(health().sequence, 1U);
}

TEST_F(ServerRuns, DeafClientBlocksNobody) {
    serve();
    Client deaf(socket_type::dealer, "");
    deaf.socket().set(::zmq::sockopt::rcvhwm, 1);
    deaf.socket().connect(endpoints().control);
    Client other(socket_type::dealer, endpoints().ingest);
    for (const Message& event : events(1, 20)) other.send(event);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(std::holds_alternative<wire::Ack>(other.ingest_reply().value.body));
    for (int i = 0; i < 20'000; ++i) deaf.send(control(1, wire::SnapshotRequest{"labels.fair"}));
    for (std::uint64_t number = 21; number <= 60; ++number) {
        other.send(events(number, 1)[0]);
        EXPECT_EQ(std::get<wire::Ack>(other.ingest_reply().value.body).sequence, number);
    }
    // The clients take turns: after these requests, the client that does not read has asked for more than its
    // connection holds.
    Client asking(socket_type::dealer, endpoints().control);
    for (std::uint64_t request = 1; request <= 3'000; ++request) {
        asking.send(control(request, wire::HealthRequest{}));
        EXPECT_EQ(std::get<wire::Health>(asking.control_reply().value.body).sequence, 60U);
    }
    stop();
    EXPECT_GT(server_->counters().dropped_replies, 0U);
}

TEST_F(ServerRuns, StopIsAnsweredWithCheckpoint) {
    serve();
    Client producer(socket_type::dealer, endpoints().ingest);
    for (const Message& event : events(1, 10)) producer.send(event);
    for (int i = 0; i < 10; ++i) (void)producer.ingest_reply();
    Client client(socket_type::dealer, endpoints().control);
    client.send(control(1, wire::StopRequest{}));
    EXPECT_EQ(std::get<wire::Done>(client.control_reply().value.body).sequence, 10U);
    running_.get();
    EXPECT_EQ(service_->recording().newest_checkpoint()->sequence, 10U);
}

TEST_F(ServerRuns, AStopFromOutsideLeavesACheckpointToo) {
    serve();
    Client producer(socket_type::dealer, endpoints().ingest);
    producer.send(events(1, 1)[0]);
    (void)producer.ingest_reply();
    stop();
    EXPECT_EQ(service_->recording().newest_checkpoint()->sequence, 1U);
    serve();
    EXPECT_EQ(health().sequence, 1U);
}

TEST_F(ServerRuns, LastPublicationIsMarked) {
    serve();
    SubscriberOptions options;
    options.updates_endpoint = endpoints().updates;
    options.control_endpoint = endpoints().control;
    options.model = "fair";
    LabelSubscriber subscriber(options);
    while (!subscriber.consistent()) (void)subscriber.poll(std::chrono::seconds(60));
    EXPECT_FALSE(subscriber.engine_ended());
    stop();
    while (!subscriber.engine_ended()) (void)subscriber.poll(std::chrono::milliseconds(10));
    serve();
    while (subscriber.engine_ended()) (void)subscriber.poll(std::chrono::milliseconds(10));
}

TEST_F(ServerRuns, AFreePortIsNamed) {
    serve({.endpoints = {"tcp://127.0.0.1:*", "tcp://127.0.0.1:*", "tcp://127.0.0.1:*"}});
    EXPECT_THAT(endpoints().ingest, testing::MatchesRegex("tcp://127\\.0\\.0\\.1:[1-9][0-9]+"));
    EXPECT_NE(endpoints().ingest, endpoints().control);
    EXPECT_EQ(health().sequence, 0U);
}

TEST_F(ServerRuns, WhatCannotBeBoundIsSaid) {
    serve({.endpoints = {"tcp://127.0.0.1:*", "tcp://127.0.0.1:*", "tcp://127.0.0.1:*"}});
    const Endpoints taken = endpoints();
    try {
        const Server second(*service_, {.endpoints = taken});
        FAIL() << "bound twice";
    } catch (const SocketError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr(taken.ingest));
    }
}

TEST_F(ServerRuns, OccupiedIpcPathIsRefused) {
    serve();  // on ipc endpoints of its own
    const test::TemporaryDirectory directory;
    int tried = 0;
    const auto refusal = [&](const std::string& updates) -> std::string {
        service::Service other(
            log::sqlite::Recording::create(directory / std::to_string(++tried), config::write_toml(options_)), options_,
            {});
        ServerOptions with;
        with.endpoints = {"inproc://i", updates, "inproc://c"};
        try {
            const Server server(other, with);
        } catch (const SocketError& error) {
            return error.what();
        }
        return "";
    };
    const std::string taken = "ipc://" + (directory / "taken").string();
    ::zmq::context_t context;
    ::zmq::socket_t listener(context, socket_type::pub);
    listener.bind(taken);
    EXPECT_NE(refusal(taken).find("'" + taken + "': another"), std::string::npos);
    const std::string file = directory.write("file", "kept").string();
    EXPECT_NE(refusal("ipc://" + file).find("'ipc://" + file + "': "), std::string::npos);
    EXPECT_EQ(test::file_bytes(file), "kept");
    // A socket left by a killed process is no obstacle.
    const std::string left = (directory / "left").string();
    const int abandoned = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(left, address.sun_path);
    ASSERT_EQ(::bind(abandoned, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(abandoned);
    EXPECT_EQ(refusal("ipc://" + left), "");
}

TEST_F(ServerRuns, KeylessServerIsLocal) {
    const ServerOptions open{.endpoints = {"tcp://0.0.0.0:*", "tcp://127.0.0.1:*", "tcp://127.0.0.1:*"}};
    EXPECT_THROW(serve(open), InvalidInput);
    service_.reset();
    ServerOptions told = open;
    told.allow_insecure = true;
    EXPECT_NO_THROW(serve(told));
}

TEST_F(ServerRuns, BadOptionsAreRefused) {
    const Endpoints local{"inproc://a", "inproc://b", "inproc://c"};
    EXPECT_THROW(check(ServerOptions{}), InvalidInput);
    EXPECT_THROW(check(ServerOptions{.endpoints = local, .commit_events = 0}), InvalidInput);
    EXPECT_THROW(check(ServerOptions{.endpoints = local, .commit_bytes = 0}), InvalidInput);
    EXPECT_THROW(check(ServerOptions{.endpoints = local, .update_queue = 0}), InvalidInput);
    EXPECT_THROW(check(ServerOptions{.endpoints = local, .status_interval = std::chrono::milliseconds(0)}),
                 InvalidInput);
    EXPECT_THROW(check(ServerOptions{.endpoints = local, .security = ServerSecurity{"short", {}}}), InvalidInput);
    EXPECT_THROW(
        check(ServerOptions{.endpoints = local, .security = ServerSecurity{generate_keys().secret_key, {"?"}}}),
        InvalidInput);
    EXPECT_NO_THROW(check(ServerOptions{.endpoints = local}));
}

TEST_F(ServerRuns, FailedWriteKeepsAckedEvents) {
    serve();
    Client producer(socket_type::dealer, endpoints().ingest);
    const std::vector<Message> sent = events(1, 2000);
    producer.send(sent[0]);
    (void)producer.ingest_reply();
    std::uint64_t acked = 1;
    {
        const FailingDisk limit(1 << 20);
        for (std::size_t i = 1; i < sent.size(); ++i) producer.send(sent[i]);
        EXPECT_THROW(running_.get(), service::ServiceFailure);
        EXPECT_THROW(service_->commit(), service::ServiceFailure);
        producer.socket().set(::zmq::sockopt::rcvtimeo, 0);
        for (auto frames = producer.receive(); !frames.empty(); frames = producer.receive()) {
            const auto reply = read_ingest_reply(frames.at(0));
            EXPECT_EQ(std::get<wire::Ack>(reply.value.body).producer_sequence, ++acked);
        }
    }
    EXPECT_LT(acked, 2000U);
    server_.reset();
    service_.reset();
    serve();
    EXPECT_GE(health().sequence, acked);
}

}  // namespace
}  // namespace fairstream::zmq
