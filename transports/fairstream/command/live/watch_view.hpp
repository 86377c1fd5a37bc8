#pragma once
/// The output of `fairstream watch`: a table redrawn in place on a terminal, JSON lines elsewhere.

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/zmq/subscriber.hpp>

namespace fairstream::command {

/// Draws the state of a subscriber over what it drew before.
class LiveTable {
public:
    explicit LiveTable(std::string model) : model_(std::move(model)) {}
    /// Notes what it waits for, while there is no connection.
    void wait_for(std::string what) { waiting_for_ = std::move(what); }

    /// Notes that there is a connection, and the recording and the format by whose names it shows groups, if the engine
    /// tells them.
    void connect(const std::optional<wire::Description>& description) {
        if (description) description_ = description;
        waiting_for_.clear();
        is_gone_ = false;
    }
    /// Notes that the engine is not there any more, and is waited for.
    void lose(std::string how) {
        waiting_for_ = std::move(how);
        is_gone_ = true;
    }
    /// Shows from now on that the engine ended, or was not there any more.
    void end(std::string how) { ended_ = std::move(how); }

    /// Adds new figures to the trend.
    void note(const zmq::FairnessUpdate& update);
    /// Shows from now on that events were lost.
    void note(const zmq::LostEvents& lost);
    /// Draws at most ten times a second, or at once if `now`.
    template <class T> void show(const zmq::Subscriber<T>& subscriber, bool now = false);

    /// Recent figures, newest last. `fairness`: for labels the balance of the first attribute, for scores the gap of
    /// the tails, of a model without outputs the largest demographic parity difference.
    struct Trend {
        std::deque<double> cost, fairness, churn;
    };

private:
    [[nodiscard]] bool is_due(bool now);
    void draw(std::string text);

    std::string model_;
    std::string waiting_for_;                       // until it is connected
    bool is_gone_ = false;                          // the engine it was connected to
    std::optional<wire::Description> description_;  // empty: not known, or of an engine that tells none
    std::string ended_;                             // text on the engine's end; empty: it goes on
    std::string lost_;                              // text about lost events; empty: none were
    Trend trend_;
    std::optional<ScoreIntervals> intervals_;  // that came last: not every report has some
    std::size_t lines_ = 0;                    // drawn before
    std::chrono::steady_clock::time_point next_{};
};

/// Returns the text about lost events for people.
[[nodiscard]] std::string told_of(const zmq::LostEvents& lost);

}  // namespace fairstream::command
