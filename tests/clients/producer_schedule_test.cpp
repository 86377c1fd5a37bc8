/// A producer's window against an engine behind a network that loses, repeats, delays and reorders messages. The engine
/// is killed repeatedly. Every event is in its log once and in order, or reported as refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include <fairstream/zmq/producer_window.hpp>

namespace fairstream::zmq {
namespace {

using namespace std::chrono_literals;
using Action = ProducerWindow::Action;
using Time = ProducerWindow::Time;

/// A message to the engine: a Hello (number 0) or an event.
struct Request {
    int session = 0;
    std::uint64_t number = 0;
};
struct Answer {
    int session = 0;
    wire::IngestReply reply;
};

/// One direction of the network.
template <class Message> class Link {
public:
    Link(std::mt19937_64& random, bool orderly) : random_(random), orderly_(orderly) {}

    void send(const Message& message, int now, double loss) {
        const int copies = chance(loss) ? 0 : chance(loss / 2) ? 2 : 1;
        for (int i = 0; i < copies; ++i) {
            int at = now + 1 + static_cast<int>(random_() % 8);
            if (orderly_) at = last_ = std::max(at, last_);
            waiting_.emplace(at, message);
        }
    }
    template <class Each> void deliver(int now, const Each& each) {
        while (!waiting_.empty() && waiting_.begin()->first <= now) {
            const Message message = waiting_.begin()->second;
            waiting_.erase(waiting_.begin());
            each(message);
        }
    }

private:
    bool chance(double probability) { return static_cast<double>(random_() % 10'000) < probability * 10'000; }

    std::mt19937_64& random_;
    bool orderly_;
    int last_ = 0;
    std::multimap<int, Message> waiting_;  // by time of arrival; equal times in order of sending
};

bool refuses(std::uint64_t number) {
    return number % 7 == 3;
}

/// The rules of the engine for one producer, with group commit.
class Engine {
public:
    void handle(const Request& request) {
        wire::IngestReply reply{{}, 8, {}};
        if (request.number == 0) {
            reply.body = wire::Welcome{state_.next, {}};
        } else if (request.number > state_.next) {
            reply.body = wire::Nack{request.number, Reason::sequence_gap, "", state_.next};
        } else {
            if (request.number == state_.next) {
                ++state_.next;
                if (!refuses(request.number)) state_.log.push_back(request.number);
            }
            if (refuses(request.number)) {
                reply.body = wire::Nack{request.number, Reason::bad_feature, "", state_.next};
            } else {
                reply.body = wire::Ack{request.number, 1};
            }
        }
        held_back_.push_back({request.session, reply});
    }
    template <class Send> void commit(const Send& send) {
        durable_ = state_;
        for (const Answer& answer : held_back_) send(answer);
        held_back_.clear();
    }
    void kill() {
        state_ = durable_;
        held_back_.clear();
    }
    [[nodiscard]] const std::vector<std::uint64_t>& log() const { return durable_.log; }

private:
    struct State {
        std::uint64_t next = 1;
        std::vector<std::uint64_t> log;
    };
    State state_, durable_;
    std::vector<Answer> held_back_;
};

struct ProducerSchedule {
    std::uint64_t seed;
    bool orderly;
    double loss;
    int kill_every;  // in milliseconds, on average; 0: never
};

struct Result {
    std::vector<std::uint64_t> log;
    std::vector<Refused> refused;
    ProducerStatistics statistics;
    std::string failure;
    bool finished = false;
};

constexpr std::uint64_t sent_events = 300;

Result run(const ProducerSchedule& schedule) {
    std::mt19937_64 random(schedule.seed);
    Link<Request> to_engine(random, schedule.orderly);
    Link<Answer> to_producer(random, schedule.orderly);
    Engine engine;
    const auto at = [](int now) { return Time(std::chrono::milliseconds(now)); };
    ProducerWindow window({.messages = 20, .bytes = 1000},
                          {.answer_timeout = 60ms, .hello_interval = 40ms, .hello_interval_max = 200ms}, at(0));
    Result result;
    int session = 0;
    for (int now = 0; now < 200'000 && !result.finished && !window.failure(); ++now) {
        while (window.next_number() <= sent_events && window.has_room(10)) window.add(10, at(now));
        for (auto step = window.next(at(now)); step.action != Action::none; step = window.next(at(now))) {
            session += step.action == Action::reconnect;
            to_engine.send({session, step.producer_sequence}, now, schedule.loss);
            window.done(step, at(now));
        }
        to_engine.deliver(now, [&](const Request& request) { engine.handle(request); });
        if (schedule.kill_every != 0 && random() % static_cast<std::uint64_t>(schedule.kill_every) == 0) engine.kill();
        if (random() % 3 == 0) {
            engine.commit([&](const Answer& answer) { to_producer.send(answer, now, schedule.loss); });
        }
        to_producer.deliver(now, [&](const Answer& answer) {
            if (answer.session == session) window.on_reply(answer.reply, at(now), result.refused);
        });
        result.finished = window.next_number() > sent_events && window.unanswered() == 0;
    }
    result.log = engine.log();
    result.statistics = window.statistics();
    if (window.failure()) result.failure = window.failure()->what();
    return result;
}

void expect_exactly_once(const Result& result) {
    EXPECT_EQ(result.failure, "");
    ASSERT_TRUE(result.finished);
    std::vector<std::uint64_t> log, refused;
    for (std::uint64_t number = 1; number <= sent_events; ++number) (refuses(number) ? refused : log).push_back(number);
    EXPECT_EQ(result.log, log);
    std::vector<std::uint64_t> reported;
    for (const Refused& refusal : result.refused) reported.push_back(refusal.producer_sequence);
    std::ranges::sort(reported);
    EXPECT_EQ(reported, refused);
    EXPECT_EQ(result.statistics.accepted, sent_events);
    EXPECT_EQ(result.statistics.acked, log.size());
    EXPECT_EQ(result.statistics.refused, refused.size());
}

TEST(ProducerSchedules, EveryEventIsTakenOnceOrRefused) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        SCOPED_TRACE(seed);
        const ProducerSchedule schedule{.seed = seed,
                                        .orderly = seed % 2 == 0,
                                        .loss = static_cast<double>(seed % 5) * 0.06,
                                        .kill_every = seed % 3 == 0 ? 0 : 40};
        expect_exactly_once(run(schedule));
        if (testing::Test::HasFailure()) return;
    }
}

TEST(ProducerSchedules, NothingIsSentTwiceWhenNothingIsLost) {
    const Result result = run({.seed = 5, .orderly = true, .loss = 0, .kill_every = 0});
    expect_exactly_once(result);
    EXPECT_EQ(result.statistics.sent, sent_events);
    EXPECT_EQ(result.statistics.resent, 0U);
    EXPECT_EQ(result.statistics.hellos, 1U);
    EXPECT_EQ(result.statistics.repeated, 0U);
}

}  // namespace
}  // namespace fairstream::zmq
