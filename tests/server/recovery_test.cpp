/// A server that recovers while it runs: health is answered, everything else waits, and a stop ends it.

#include <atomic>

#include "server/fixture.hpp"

namespace fairstream::zmq {
namespace {

using ::zmq::socket_type;

class ServerRecovery : public ServerTest {
protected:
    // A recording of ten events without a checkpoint, and a server that recovers from it and stays at the fourth event
    // until released.
    void SetUp() override {
        prepare();
        for (const Message& event : events(1, 10)) {
            service_->handle_ingest("c", event);
            service_->commit();
        }
        prepare({}, {.recover_later = true});
    }
    void run() {
        running_ = std::async(std::launch::async, [this] {
            server_->run({[this](Sequence done, Sequence) {
                              if (done != 4) return;
                              reached_.set_value();
                              go_on_.get_future().wait();
                          },
                          [this] { recovered_ = true; }});
        });
        ASSERT_EQ(reached_.get_future().wait_for(patience), std::future_status::ready);
    }
    [[nodiscard]] wire::Health health() {
        Client client(socket_type::dealer, endpoints().control);
        client.send(control(5, wire::HealthRequest{}));
        return std::get<wire::Health>(client.control_reply().value.body);
    }
    void expect_stopped() {
        go_on_.set_value();
        ASSERT_EQ(running_.wait_for(patience), std::future_status::ready);
        running_.get();
        EXPECT_FALSE(recovered_);
        EXPECT_FALSE(service_->recovered());
        EXPECT_EQ(service_->recording().last_sequence(), 10U);
        EXPECT_FALSE(service_->recording().newest_checkpoint().has_value());
        serve();
        EXPECT_EQ(health().sequence, 10U);
    }

    std::promise<void> reached_, go_on_;
    std::atomic<bool> recovered_ = false;
};

TEST_F(ServerRecovery, HealthIsAnsweredAndAllElseWaits) {
    run();
    const wire::Health meanwhile = health();
    EXPECT_FALSE(meanwhile.ready);
    EXPECT_THAT(meanwhile.activity, testing::StartsWith("recovering, event 4 of 10"));
    Client producer(socket_type::dealer, endpoints().ingest), asking(socket_type::dealer, endpoints().control);
    producer.send(hello("p", 1));
    producer.send(events(11, 1)[0]);
    asking.send(control(7, wire::DescriptionRequest{}));
    go_on_.set_value();
    EXPECT_EQ(std::get<wire::Welcome>(producer.ingest_reply().value.body).next_producer_sequence, 11U);
    EXPECT_EQ(std::get<wire::Ack>(producer.ingest_reply().value.body).sequence, 11U);
    EXPECT_EQ(asking.control_reply().value.request, 7U);
    EXPECT_TRUE(health().ready);
    EXPECT_TRUE(recovered_);
}

TEST_F(ServerRecovery, IsEndedByAStopFromOutside) {
    run();
    server_->request_stop();
    expect_stopped();
}

TEST_F(ServerRecovery, EndsByClientStop) {
    run();
    Client client(socket_type::dealer, endpoints().control);
    client.send(control(6, wire::StopRequest{}));
    client.send(control(8, wire::HealthRequest{}));  // answered at once, after the stop was seen
    EXPECT_EQ(client.control_reply().value.request, 8U);
    expect_stopped();
    const auto reply = client.control_reply();
    EXPECT_EQ(reply.value.request, 6U);
    EXPECT_TRUE(std::holds_alternative<wire::Done>(reply.value.body));
}

}  // namespace
}  // namespace fairstream::zmq
