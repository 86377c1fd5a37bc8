/// A server during an event that would not end by itself: health is answered, and a stop ends it.

#include "server/fixture.hpp"

namespace fairstream::zmq {
namespace {

using ::zmq::socket_type;

class LongEvent : public ServerTest {
protected:
    /// Serves ten events on an engine that accepts everything.
    void serve_ten() {
        options_.event_work_limit = options_.step_work_limit = no_work_limit;
        options_.models.erase(options_.models.begin() + 2, options_.models.end());  // without any in the background
        serve();
        Client producer(socket_type::dealer, endpoints().ingest);
        for (const Message& event : events(1, 10)) producer.send(event);
        for (int i = 0; i < 10; ++i) (void)producer.ingest_reply();
    }
    [[nodiscard]] wire::Health health() {
        Client client(socket_type::dealer, endpoints().control);
        client.send(control(5, wire::HealthRequest{}));
        return std::get<wire::Health>(client.control_reply().value.body);
    }
    void wait_for_refinement() {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (!health().activity.starts_with("refining plain")) {
            ASSERT_LT(std::chrono::steady_clock::now(), deadline);
        }
        EXPECT_EQ(health().sequence, 10U);
    }
    void expect_ended_without_it() {
        ASSERT_EQ(running_.wait_for(patience), std::future_status::ready) << "the stop waits for the event";
        running_.get();
        EXPECT_TRUE(service_->interrupted());
        EXPECT_EQ(service_->recording().last_sequence(), 10U);
        EXPECT_FALSE(service_->recording().newest_checkpoint().has_value());
        server_.reset();
        service_.reset();
        serve();
        EXPECT_EQ(health().sequence, 10U);
        EXPECT_EQ(health().activity, "");
        Client producer(socket_type::dealer, endpoints().ingest);
        producer.send(hello("p", 1));
        EXPECT_EQ(std::get<wire::Welcome>(producer.ingest_reply().value.body).next_producer_sequence, 11U);
        producer.send(events(11, 1)[0]);
        EXPECT_EQ(std::get<wire::Ack>(producer.ingest_reply().value.body).sequence, 11U);
    }

    const Refinement endless_{"plain", 1'000'000'000'000'000};
};

TEST_F(LongEvent, EndsByRequestStop) {
    serve_ten();
    Client producer(socket_type::dealer, endpoints().ingest);
    producer.send(event("p", 1, 11, endless_));
    wait_for_refinement();
    server_->request_stop();
    expect_ended_without_it();
    EXPECT_TRUE(std::holds_alternative<wire::Ending>(producer.ingest_reply().value.body)) << "it was not taken";
}

TEST_F(LongEvent, EndsByClientStop) {
    serve_ten();
    Client producer(socket_type::dealer, endpoints().ingest), stopping(socket_type::dealer, endpoints().control);
    producer.send(event("p", 1, 11, endless_));
    wait_for_refinement();
    stopping.send(control(3, wire::StopRequest{}));
    EXPECT_EQ(std::get<wire::Done>(stopping.control_reply().value.body).sequence, 10U);
    expect_ended_without_it();
}

TEST_F(LongEvent, UndoneRequestIsReported) {
    serve_ten();
    Client refining(socket_type::dealer, endpoints().control), waiting(socket_type::dealer, endpoints().control);
    refining.send(control(7, endless_));
    wait_for_refinement();
    waiting.send(control(8, wire::SnapshotRequest{"labels.plain"}));
    waiting.send(control(9, wire::ReportRequest{"plain"}));
    EXPECT_EQ(waiting.control_reply().value.request, 9U) << "it is told of while the other event lasts";
    EXPECT_EQ(health().sequence, 10U);
    server_->request_stop();
    const auto undone = refining.control_reply();
    EXPECT_EQ(undone.value.request, 7U);
    EXPECT_EQ(std::get<wire::Nack>(undone.value.body).reason, Reason::not_ready);
    EXPECT_EQ(std::get<wire::Nack>(waiting.control_reply().value.body).reason, Reason::not_ready);
    expect_ended_without_it();
}

TEST_F(LongEvent, AboveTheLimitIsRefusedOverBothSockets) {
    serve();
    Client producer(socket_type::dealer, endpoints().ingest), client(socket_type::dealer, endpoints().control);
    for (const Message& event : events(1, 2)) producer.send(event);
    producer.send(event("p", 1, 3, endless_));
    for (int i = 0; i < 2; ++i) (void)producer.ingest_reply();
    EXPECT_EQ(std::get<wire::Nack>(producer.ingest_reply().value.body).reason, Reason::oversized);
    client.send(control(1, endless_));
    EXPECT_EQ(std::get<wire::Nack>(client.control_reply().value.body).reason, Reason::oversized);
    EXPECT_EQ(health().sequence, 2U);
}

}  // namespace
}  // namespace fairstream::zmq
