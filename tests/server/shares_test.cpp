/// Requests of one client do not delay another's events; a client with too much waiting is cut off.

#include <condition_variable>
#include <deque>
#include <mutex>

#include "server/fixture.hpp"

namespace fairstream::zmq {
namespace {

using ::zmq::socket_type;

/// Holds the answers that the server has begun until the test makes them.
class HeldAnswers {
public:
    [[nodiscard]] RunInBackground keep() {
        return [this](std::function<void()> task) {
            const std::scoped_lock lock(mutex_);
            tasks_.push_back(std::move(task));
            ++begun_;
            changed_.notify_one();
        };
    }
    /// Makes the next answer, which must come in time.
    void make_next() {
        std::function<void()> task;
        {
            std::unique_lock lock(mutex_);
            ASSERT_TRUE(changed_.wait_for(lock, patience, [&] { return !tasks_.empty(); })) << "no question came";
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        task();
    }
    void await_one() {
        std::unique_lock lock(mutex_);
        ASSERT_TRUE(changed_.wait_for(lock, patience, [&] { return !tasks_.empty(); })) << "no question came";
    }
    [[nodiscard]] int begun() {
        const std::scoped_lock lock(mutex_);
        return begun_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    int begun_ = 0;
};

class Shares : public ServerTest {
protected:
    /// Sends events from number `first` on one by one, and expects acks.
    void feed(Client& producer, std::uint64_t first, std::uint64_t count) {
        std::uint64_t number = first;
        for (const Message& event : events(first, count)) {
            producer.send(event);
            EXPECT_EQ(std::get<wire::Ack>(producer.ingest_reply().value.body).sequence, number++);
        }
    }
};

TEST_F(Shares, EventsAreAckedBesideQuestions) {
    HeldAnswers answers;
    serve({.endpoints = {}, .answer_runner = answers.keep()});
    Client producer(socket_type::dealer, endpoints().ingest);
    feed(producer, 1, 5);
    const PointColumns points = points_.next(50);
    const std::vector<GroupId> groups(50, 1);
    std::deque<Client> askers;
    for (std::uint64_t number = 1; number <= 8; ++number)
        askers.emplace_back(socket_type::dealer, endpoints().control)
            .send(control(number, wire::AssignRequest{"fair", points.features, groups}));
    answers.await_one();
    feed(producer, 6, 30);
    Client other(socket_type::dealer, endpoints().control);
    other.send(control(9, wire::SnapshotRequest{"labels.fair"}));
    EXPECT_EQ(std::get<wire::Publication>(other.control_reply().value.body).sequence, 35U);
    EXPECT_EQ(answers.begun(), 1) << "the others wait";
    for (int i = 0; i < 8; ++i) answers.make_next();
    for (std::uint64_t number = 1; number <= 8; ++number) {
        const auto reply = askers[number - 1].control_reply();
        EXPECT_EQ(reply.value.request, number);
        EXPECT_TRUE(std::holds_alternative<wire::Assigned>(reply.value.body));
    }
    stop();
}

TEST_F(Shares, QuestionsAreSequential) {
    serve();
    Client producer(socket_type::dealer, endpoints().ingest), asker(socket_type::dealer, endpoints().control);
    feed(producer, 1, 5);
    const PointColumns points = points_.next(50);
    // A client that does not read may lose the fourth of its answers.
    constexpr std::uint64_t open_requests = 3;
    const auto ask = [&](std::uint64_t number) {
        asker.send(control(number, wire::AssignRequest{"fair", points.features, {}}));
    };
    for (std::uint64_t number = 1; number <= open_requests; ++number) ask(number);
    for (std::uint64_t number = 1; number <= 20; ++number) {
        const auto reply = asker.control_reply();
        EXPECT_EQ(reply.value.request, number);
        EXPECT_TRUE(std::holds_alternative<wire::Assigned>(reply.value.body));
        if (number + open_requests <= 20) ask(number + open_requests);
    }
}

TEST_F(Shares, ExcessIsCutOff) {
    const KeyPair keys = generate_keys(), good = generate_keys(), flooding = generate_keys();
    ServerSecurity security{keys.secret_key};
    security.producers = {{good.public_key, "p"}, {flooding.public_key, "q"}};
    // Four messages may wait.
    serve({.endpoints = {}, .security = security, .max_message_bytes = 4096, .connections = {4, 4, 4}});
    Client producer(socket_type::dealer, endpoints().ingest, ClientSecurity{keys.public_key, good});
    feed(producer, 1, 1);
    std::deque<Client> floods;
    for (int i = 0; i < 3; ++i)
        floods.emplace_back(socket_type::dealer, endpoints().ingest, ClientSecurity{keys.public_key, flooding});
    for (int i = 0; i < 2000; ++i)
        for (Client& each : floods) each.send(hello("q", 1));
    // Another connection in its place would lose the answers.
    feed(producer, 2, 30);
    stop();
    EXPECT_GE(server_->counters().surplus, 1U);
}

TEST_F(Shares, ShortEventsGetMoreCredit) {
    serve();
    Client producer(socket_type::dealer, endpoints().ingest);
    producer.send(hello("p", 1));
    // A quarter of 256 MiB, for events that may be nearly as long as the limit of 4 MiB.
    EXPECT_EQ(producer.ingest_reply().value.credit, 18U);
    std::uint32_t credit = 0;
    for (const Message& event : events(1, 60)) {
        producer.send(event);
        const std::uint32_t next = producer.ingest_reply().value.credit;
        EXPECT_GE(next, credit);
        credit = next;
    }
    EXPECT_EQ(credit, service::Settings().credit);
}

}  // namespace
}  // namespace fairstream::zmq
