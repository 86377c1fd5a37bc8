/// The control socket's thread, while the loop for other requests is busy as long as the test wants.

#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/server/detail/control_thread.hpp>

#include "server/fixture.hpp"

namespace fairstream::zmq {
namespace {

using ::zmq::socket_type;

class Desk : public testing::Test {
protected:
    Desk() : endpoint_("ipc://" + (directory_ / "control").string()), socket_(context_, socket_type::router) {
        socket_.set(::zmq::sockopt::linger, 1000);
        socket_.set(::zmq::sockopt::router_mandatory, true);
        socket_.bind(endpoint_);
        control_thread_.begin();
    }

    /// Returns the next request that waits for the loop.
    [[nodiscard]] ControlThread::Request next_request() {
        ControlThread::Request request;
        while (!control_thread_.take(request)) {
            ::zmq::pollitem_t item{nullptr, loop_.file(), ZMQ_POLLIN, 0};
            if (!wait({&item, 1}, Clock::now() + patience)) throw std::runtime_error("no request came");
            loop_.clear();
        }
        return request;
    }

    TemporaryDirectory directory_;
    std::string endpoint_;
    service::Service service_{
        log::sqlite::Recording::create(directory_ / "stream.fairstream", config::write_toml(small_options())),
        small_options()};
    ::zmq::context_t context_;
    ::zmq::socket_t socket_;
    Wakeup loop_;
    Connections connections_{context_, {}};
    std::optional<Gate> no_gate_;
    ClientList clients_{{}, 100};
    static constexpr std::size_t waiting_bytes = 100'000;
    ControlThread control_thread_{socket_, no_gate_, clients_, connections_, service_, loop_, waiting_bytes};
};

TEST_F(Desk, HealthAndReportsDoNotWait) {
    Client client(socket_type::dealer, endpoint_);
    client.send(control(1, Refinement{"fair", 3}));
    (void)next_request();  // the loop works on it now
    client.send(control(2, wire::SnapshotRequest{"labels.fair"}));
    client.send(control(5, wire::ReportRequest{"nobody"}));
    client.send(control(6, wire::DescriptionRequest{}));
    client.send(control(7, wire::ReportRequest{"fair"}));
    client.send(control(3, wire::HealthRequest{}));
    const auto described = client.control_reply(), reported = client.control_reply(), reply = client.control_reply();
    EXPECT_EQ(described.value.request, 6U);
    EXPECT_EQ(std::get<wire::Description>(described.value.body).models.at(0).name, "fair");
    EXPECT_EQ(reported.value.request, 7U);
    EXPECT_TRUE(std::holds_alternative<wire::ModelReport>(reported.value.body));
    EXPECT_EQ(reply.value.request, 3U);
    EXPECT_EQ(reply.value.recording, service_.id());
    EXPECT_EQ(std::get<wire::Health>(reply.value.body).cpu_level, cpu_level());
    EXPECT_EQ(wire::read_request_number(wire::AlignedMessage(bytes(next_request().message))), 2U);
    EXPECT_EQ(wire::read_request_number(wire::AlignedMessage(bytes(next_request().message))), 5U) << "to be refused";
}

TEST_F(Desk, LoopRepliesArrive) {
    Client dealer(socket_type::dealer, endpoint_), requester(socket_type::req, endpoint_);
    wire::Encoder encoder;
    std::vector<service::Reply> replies;
    for (Client* const client : {&dealer, &requester}) {
        client->send(control(9, wire::SnapshotRequest{"labels.fair"}));
        const wire::ControlReply reply{9, service_.id(), wire::Done{4}};
        replies.push_back({next_request().client, service::SharedBytes(wire::write(reply, encoder))});
    }
    control_thread_.send(replies);
    EXPECT_TRUE(replies.empty());
    control_thread_.finish();
    EXPECT_EQ(std::get<wire::Done>(dealer.control_reply().value.body).sequence, 4U);
    EXPECT_EQ(std::get<wire::Done>(requester.control_reply().value.body).sequence, 4U);
    EXPECT_EQ(control_thread_.counters().dropped_replies, 0U);
}

TEST_F(Desk, FloodIsRefused) {
    Client flooding(socket_type::dealer, endpoint_), other(socket_type::dealer, endpoint_);
    for (std::uint64_t number = 1; number <= 100; ++number)
        flooding.send(control(number, wire::SnapshotRequest{"labels.fair"}));
    const auto refused = flooding.control_reply();
    EXPECT_EQ(refused.value.request, 65U) << "64 of a client may wait";
    EXPECT_EQ(std::get<wire::Nack>(refused.value.body).reason, Reason::not_ready);
    flooding.send(control(101, wire::HealthRequest{}));
    for (std::uint64_t number = 66; number <= 100; ++number) EXPECT_EQ(flooding.control_reply().value.request, number);
    EXPECT_TRUE(std::holds_alternative<wire::Health>(flooding.control_reply().value.body));
    other.send(control(7, wire::SnapshotRequest{"labels.fair"}));
    other.send(control(8, wire::HealthRequest{}));
    EXPECT_EQ(other.control_reply().value.request, 8U) << "so request 7 waits";
    const auto next_number = [&] {
        return wire::read_request_number(wire::AlignedMessage(bytes(next_request().message)));
    };
    EXPECT_EQ(next_number(), 1U);
    EXPECT_EQ(next_number(), 7U) << "connections take turns";
    for (std::uint64_t number = 2; number <= 64; ++number) EXPECT_EQ(next_number(), number);
    flooding.send(control(102, wire::SnapshotRequest{"labels.fair"}));
    EXPECT_EQ(wire::read_request_number(wire::AlignedMessage(bytes(next_request().message))), 102U);
}

TEST_F(Desk, WaitingBytesAreBounded) {
    Client client(socket_type::dealer, endpoint_);
    const auto request = [](std::uint64_t number, std::size_t features) {
        const std::vector<float> points(features);
        return control(number, wire::AssignRequest{"fair", points, {}});
    };
    client.send(request(1, waiting_bytes));  // four times the bytes that may wait together
    client.send(request(2, 10));
    const auto refused = client.control_reply();
    EXPECT_EQ(refused.value.request, 2U);
    EXPECT_EQ(std::get<wire::Nack>(refused.value.body).reason, Reason::not_ready);
    EXPECT_EQ(wire::read_request_number(wire::AlignedMessage(bytes(next_request().message))), 1U);
    // Requests of 40,000 bytes each: two may wait, and a short one beside them.
    for (const std::uint64_t number : {3, 4, 5}) client.send(request(number, 10'000));
    EXPECT_EQ(client.control_reply().value.request, 5U);
    client.send(request(6, 10));
    for (const std::uint64_t number : {3, 4, 6})
        EXPECT_EQ(wire::read_request_number(wire::AlignedMessage(bytes(next_request().message))), number);
}

}  // namespace
}  // namespace fairstream::zmq
