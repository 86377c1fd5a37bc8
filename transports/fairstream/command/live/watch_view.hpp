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

/// Draws the state of a subscriber in place of its last drawing.
class LiveTable {
public:
    explicit LiveTable(std::string model) : model_(std::move(model)) {}
    /// Sets the text that is shown while there is no connection: the engine's activity.
    void wait_for(std::string what) { waiting_for_ = std::move(what); }

    /// Notes that there is a connection, with the engine's description if it gives one. Its recording is shown, and its
    /// format names the groups.
    void connect(const std::optional<wire::Description>& description) {
        if (description) description_ = description;
        waiting_for_.clear();
        is_gone_ = false;
    }
    /// Notes that the engine is gone, and that the watch waits for its return.
    void note_engine_gone(std::string how) {
        waiting_for_ = std::move(how);
        is_gone_ = true;
    }
    /// Shows from now on that the engine ended or was gone.
    void end(std::string how) { ended_ = std::move(how); }

    /// Adds new figures to the trend.
    void note(const zmq::FairnessUpdate& update);
    /// Shows from now on that events were lost.
    void note(const zmq::LostEvents& lost);
    /// Draws at most ten times a second, or at once if `now`.
    template <class T> void show(const zmq::Subscriber<T>& subscriber, bool now = false);

    /// Recent figures, newest last. `fairness` is the balance of the first attribute for labels, the gap of the tails
    /// for scores, and the largest demographic parity difference for a model without outputs.
    struct Trend {
        std::deque<double> cost, fairness, churn;
    };

private:
    [[nodiscard]] bool is_due(bool now);
    void draw(std::string text);

    std::string model_;
    std::string waiting_for_;                       // shown until there is a connection
    bool is_gone_ = false;                          // whether the engine of the last connection is gone
    std::optional<wire::Description> description_;  // empty: unknown
    std::string ended_;                             // how the engine ended; empty: it runs
    std::string lost_;                              // text about lost events; empty: none were
    Trend trend_;
    std::optional<ScoreIntervals> intervals_;  // the last intervals received: some reports have none
    std::size_t lines_ = 0;                    // lines drawn last time
    std::chrono::steady_clock::time_point next_{};
};

/// Returns the text about lost events for people.
[[nodiscard]] std::string lost_events_text(const zmq::LostEvents& lost);

}  // namespace fairstream::command
