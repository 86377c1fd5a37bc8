#pragma once
/// Keeps a live view of the scores of one model, as a `LabelSubscriber` does of labels.

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
    bool fairness = true;  ///< whether to follow the model's fairness figures too
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

    /// Takes in what arrived and repairs what is missing; waits up to `timeout` for the first event. Throws
    /// `ControlRefused` when the engine does not know the model, or it gives no scores, and `SocketError`.
    [[nodiscard]] std::vector<ScoreSubscriberEvent> poll(std::chrono::milliseconds timeout);

    [[nodiscard]] const ScoreMap& scores() const noexcept;
    [[nodiscard]] Sequence sequence() const noexcept;
    [[nodiscard]] std::uint64_t topic_sequence() const noexcept;
    /// Whether the scores are, as far as can be known now, the engine's newest.
    [[nodiscard]] bool consistent() const noexcept;
    /// Of the engine; empty until its first word.
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;
    /// The newest figures that arrived; empty before the first. They may be of another event than the scores.
    [[nodiscard]] const std::optional<ScoreFairnessUpdate>& fairness() const noexcept;
    [[nodiscard]] SubscriberStatistics statistics() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
