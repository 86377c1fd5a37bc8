#pragma once
/// Producers, subscribers and an operator: the library's own windows and views on a simulated clock and network.

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/zmq/point_view.hpp>
#include <fairstream/zmq/producer_window.hpp>

#include "simulation/agenda.hpp"
#include "simulation/ledger.hpp"

namespace fairstream::simulation {

/// Sends a message to the engine, which answers the client of that name.
using ToEngine = std::function<void(const std::string& client, const Message& message)>;

/// Distinct ids for the first point of each batch.
class Tags {
public:
    [[nodiscard]] PointId next() { return ++last_; }

private:
    PointId last_ = PointId{1} << 40U;
};

/// The stream that producers send to.
struct ProducedStream {
    bool may_expire = false;           ///< whether the engine forgets producers that are idle
    bool outcomes_come_later = false;  ///< whether targets may be missing, and come later by the ids of their points
};

class SimulatedProducer {
public:
    SimulatedProducer(Agenda& agenda, Dice& dice, Ledger& ledger, Tags& tags, std::string name, ProducedStream stream,
                      ToEngine send);

    /// Begins a life: sends batches at random times until `stop`.
    void begin();
    /// Forgets everything, and begins a new life with a higher epoch.
    void die();
    void stop() { producing_ = false; }
    void receive(const std::string& client, const Message& message);
    [[nodiscard]] bool idle() const { return window_->unanswered() == 0; }
    /// Returns the newest event that an Ack named.
    [[nodiscard]] wire::KnownEvent known() const { return window_->hello(name_).known.value_or(wire::KnownEvent{}); }
    /// Returns whether it detected that acked events are missing.
    [[nodiscard]] bool found_loss() const { return found_loss_; }
    /// Returns the ids of recently sent points, some of them not yet taken.
    [[nodiscard]] const std::deque<PointId>& recent() const { return recent_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
    [[nodiscard]] std::string client() const { return name_ + "/" + std::to_string(session_); }

private:
    void produce(std::uint64_t life);
    [[nodiscard]] Message next_points(std::uint64_t number);
    [[nodiscard]] Message next_outcomes(std::uint64_t number);
    void pump();
    void wake_when_due();
    [[nodiscard]] Message hello() const;

    Agenda& agenda_;
    Dice& dice_;
    Ledger& ledger_;
    Tags& tags_;
    std::string name_;
    ProducedStream stream_;
    ToEngine send_;
    test::Points points_;
    Duration pause_;
    std::uint64_t epoch_ = 0;
    std::uint64_t session_ = 0;
    std::optional<zmq::ProducerWindow> window_;
    std::deque<Message> kept_;
    std::deque<PointId> recent_;  // ids of recently sent points, some of them not yet taken
    std::uint64_t first_kept_ = 1;
    std::optional<Time> woken_at_;  // the earliest planned wake-up
    bool producing_ = true;
    bool found_loss_ = false;
};

class SimulatedSubscriber {
public:
    SimulatedSubscriber(Agenda& agenda, Dice& dice, Ledger& ledger, std::string name, std::string topic, ToEngine ask);

    /// Forgets its view.
    void begin_anew();
    void receive_update(const Message& message);
    void receive_reply(const std::string& client, const Message& message);
    [[nodiscard]] const zmq::LabelView& view() const { return *view_; }
    /// Returns whether it detected that known events are missing.
    [[nodiscard]] bool found_loss() const { return view_->statistics().losses > 0; }
    [[nodiscard]] const std::string& topic() const { return topic_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    struct Pending {
        std::uint64_t request;
        Time deadline;
    };
    void note(const std::vector<zmq::LabelChanges>& changes);
    void ask();

    Agenda& agenda_;
    Dice& dice_;
    Ledger& ledger_;
    std::string name_;
    std::string topic_;
    ToEngine ask_;
    std::optional<zmq::LabelView> view_;
    std::optional<Pending> pending_;
    zmq::ViewNeed asked_;
    std::uint64_t requests_ = 0;
};

}  // namespace fairstream::simulation
