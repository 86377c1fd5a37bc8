#pragma once
/// Follows the fairness figures of one model, of any kind: all there is of one without outputs, such as group_metrics.

#include <chrono>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/subscriber.hpp>
#include <fairstream/zmq/subscriber_options.hpp>

namespace fairstream::zmq {

/// Follows the topic `fairness.<model>` alone. No hidden thread: everything happens inside `poll`, to be called often.
/// One thread at a time.
class FigureSubscriber {
public:
    using Event = std::variant<FairnessUpdate, Consistency, LostEvents>;

    /// Connects in the background. Throws `InvalidInput` (bad_option) or `SocketError`.
    explicit FigureSubscriber(const SubscriberOptions& options);
    ~FigureSubscriber();
    FigureSubscriber(FigureSubscriber&&) noexcept;
    FigureSubscriber& operator=(FigureSubscriber&&) noexcept;

    /// Processes arrived messages; waits up to `timeout` for the first event. Figures that are lost on the way are not
    /// sent again: the newest replace them. Throws `ControlRefused` when the engine does not know the model, and
    /// `SocketError`.
    [[nodiscard]] std::vector<Event> poll(std::chrono::milliseconds timeout);

    /// Returns the newest figures; empty before the first.
    [[nodiscard]] const std::optional<FairnessUpdate>& fairness() const noexcept;
    /// Returns the event up to which `fairness` is what the model has, whether or not it changed with that event, as
    /// updates and statuses say; 0 before the first.
    [[nodiscard]] Sequence fairness_as_of() const noexcept;
    /// Returns the newest event that is known of: of the figures, or as the newest status says.
    [[nodiscard]] Sequence sequence() const noexcept;
    /// Returns whether the engine was heard lately.
    [[nodiscard]] bool consistent() const noexcept;
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;
    /// Returns whether the engine ended in order, as its last status said.
    [[nodiscard]] bool engine_ended() const noexcept;
    /// Returns what the newest status says of points that came late, and of drift.
    [[nodiscard]] const wire::Condition& condition() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
