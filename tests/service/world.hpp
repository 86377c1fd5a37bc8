#pragma once
/// A service under a random schedule of messages, commits and kills, beside a model that knows its expected answers.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/service_stream.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::service {

using namespace fairstream::test;

/// The expected answer to a message.
struct Expected {
    std::uint64_t number = 0;
    std::optional<Reason> reason = {};          ///< empty: an Ack, or a Welcome
    Sequence sequence = 0;                      ///< of an Ack
    std::optional<std::uint64_t> welcome = {};  ///< next number of a Welcome
};

class World {
public:
    World(std::uint64_t seed, WindowPolicy policy, const Settings& settings);

    /// Takes one random action. Fails the test on any unexpected answer.
    void act();
    /// Commits, and compares everything with an uninterrupted run.
    void finish();

private:
    struct Accepted {
        std::string producer;
        ProducerMark mark;
        Message message;
    };
    /// The state that a commit makes durable and a kill reverts.
    struct Books {
        std::map<std::string, ProducerMark> marks;
        std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>, Expected> verdicts;
        std::vector<Accepted> events;
    };
    /// A subscriber of one label topic that misses some of its messages.
    struct Subscriber {
        std::string topic;
        std::uint64_t at = 0;  // number of the newest publication folded in
        View view;
        bool joined = false;
    };

    void open();
    void end_and_open_again();
    void submit(const Message& message, const Expected& expected);
    void send_batch(const std::string& producer);
    void send_bad(const std::string& producer);
    void send_old(const std::string& producer);
    void send_out_of_order(const std::string& producer);
    void send_garbage();
    void change_a_knob();
    void commit();
    void check_released(const Outbox& out);
    void check_ranges();
    void join_or_repair(Subscriber& subscriber, std::uint64_t last);
    void check_recorded(Engine& oracle, Publisher& publisher);
    [[nodiscard]] std::pair<Event, Reason> bad_event();

    TemporaryDirectory directory_;
    EngineOptions options_;
    Settings settings_;
    Points points_;
    PointColumns columns_;  // of the event made last
    std::unique_ptr<Service> service_;
    Books now_, durable_;
    std::vector<Expected> waiting_;
    std::map<std::string, std::map<std::uint64_t, Message>> seen_;  // publications by topic and number
    std::vector<Subscriber> subscribers_;
};

}  // namespace fairstream::service
