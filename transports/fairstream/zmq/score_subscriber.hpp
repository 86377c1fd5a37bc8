#pragma once
/// Keeps a live view of the scores of one model, as a `LabelSubscriber` does for labels.

#include <chrono>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/point_view.hpp>
#include <fairstream/zmq/subscriber_options.hpp>

namespace fairstream::zmq {

struct ScoreSubscriberOptions : SubscriberOptions {
    bool fairness = true;  ///< also follow the model's fairness figures
};

struct ScoreFairnessUpdate {
    Sequence sequence = 0;
    wire::ScoreFairnessReport report;
};
using ScoreSubscriberEvent = std::variant<ScoreChanges, ScoreFairnessUpdate, Consistency, LostEvents>;

class ScoreSubscriber {
public:
    /// Connects in the background. Throws `InvalidInput` (bad_option) or `SocketError`.
    explicit ScoreSubscriber(ScoreSubscriberOptions options);
    ~ScoreSubscriber();
    ScoreSubscriber(ScoreSubscriber&&) noexcept;
    ScoreSubscriber& operator=(ScoreSubscriber&&) noexcept;

    /// Processes arrived messages and repairs gaps; waits up to `timeout` for the first event. Throws `ControlRefused`
    /// when the engine does not know the model, or it gives no scores, and `SocketError`.
    [[nodiscard]] std::vector<ScoreSubscriberEvent> poll(std::chrono::milliseconds timeout);

    [[nodiscard]] const ScoreMap& scores() const noexcept;
    [[nodiscard]] Sequence sequence() const noexcept;
    [[nodiscard]] std::uint64_t topic_sequence() const noexcept;
    /// Returns whether the scores are the engine's newest, as far as can be known now.
    [[nodiscard]] bool consistent() const noexcept;
    /// Returns the id of the engine's recording; empty until its first message.
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;
    /// Returns the newest figures that arrived; empty before the first. They may belong to another event than the
    /// scores.
    [[nodiscard]] const std::optional<ScoreFairnessUpdate>& fairness() const noexcept;
    [[nodiscard]] SubscriberStatistics statistics() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
