#pragma once
/// What `fairstream watch` shows: a table that is drawn over on a terminal, JSON lines elsewhere.

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include <fairstream/zmq/label_subscriber.hpp>
#include <fairstream/zmq/score_subscriber.hpp>

namespace fairstream::command {

/// Draws the state of a subscriber of labels or of scores over what it drew before.
class LiveTable {
public:
    explicit LiveTable(std::string model) : model_(std::move(model)) {}

    /// Takes note of new figures for the trend.
    void note(const zmq::FairnessUpdate& update);
    void note(const zmq::ScoreFairnessUpdate& update);
    /// Shows from now on that events were lost.
    void note(const zmq::LostEvents& lost);
    /// At most ten times a second, unless `now`.
    void show(const zmq::LabelSubscriber& subscriber, bool now = false);
    void show(const zmq::ScoreSubscriber& subscriber, bool now = false);

private:
    // Newest last. `fairness`: of labels the balance of the first attribute, of scores the gap of the tails.
    struct Trend {
        std::deque<double> cost, fairness, churn;
    };

    [[nodiscard]] bool is_due(bool now);
    void draw(std::string text);

    std::string model_;
    std::string lost_;  // what is told of it; empty: nothing was
    Trend trend_;
    std::size_t lines_ = 0;  // drawn before
    std::chrono::steady_clock::time_point next_{};
};

/// What a person is told.
[[nodiscard]] std::string told_of(const zmq::LostEvents& lost);

/// One line of JSON for an event of a subscriber.
[[nodiscard]] std::string event_json(const zmq::SubscriberEvent& event, const std::string& model);
[[nodiscard]] std::string event_json(const zmq::ScoreSubscriberEvent& event, const std::string& model);

}  // namespace fairstream::command
