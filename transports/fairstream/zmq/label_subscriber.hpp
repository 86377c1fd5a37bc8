#pragma once
/// Keeps a live view of the labels of one model: subscribes to the engine's updates, joins by a snapshot, and repairs
/// what it missed.
///
/// The view is always exactly the engine's as of `sequence()`; `consistent()` says whether anything newer may exist
/// that has not arrived: after a loss, until it is repaired; and when the engine has been silent for longer than
/// `liveness`. No hidden thread: everything happens inside `poll`, which is to be called often; what arrives meanwhile
/// waits in the socket, and what does not fit there is lost and repaired. One thread at a time.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/point_view.hpp>
#include <fairstream/zmq/subscriber_options.hpp>

namespace fairstream::zmq {

struct LabelSubscriberOptions : SubscriberOptions {
    bool fairness = true;   ///< whether to follow the model's fairness figures too
    bool clusters = false;  ///< ... and its clusters
    bool front = true;      ///< ... and its front, if it keeps one
};

struct FairnessUpdate {
    Sequence sequence = 0;
    wire::FairnessReport report;
};
struct ClusterUpdate {
    Sequence sequence = 0;
    wire::ClusterReport report;
};
struct FrontUpdate {
    Sequence sequence = 0;
    wire::FrontReport report;
};
using SubscriberEvent = std::variant<LabelChanges, FairnessUpdate, ClusterUpdate, FrontUpdate, Consistency, LostEvents>;

class LabelSubscriber {
public:
    /// Connects in the background. Throws `InvalidInput` (bad_option) or `SocketError`.
    explicit LabelSubscriber(LabelSubscriberOptions options);
    ~LabelSubscriber();
    LabelSubscriber(LabelSubscriber&&) noexcept;
    LabelSubscriber& operator=(LabelSubscriber&&) noexcept;

    /// Takes in what arrived and repairs what is missing; waits up to `timeout` for the first event. Throws
    /// `ControlRefused` when the engine does not know the model, and `SocketError`.
    [[nodiscard]] std::vector<SubscriberEvent> poll(std::chrono::milliseconds timeout);

    [[nodiscard]] const LabelMap& labels() const noexcept;
    [[nodiscard]] Sequence sequence() const noexcept;
    [[nodiscard]] std::uint64_t topic_sequence() const noexcept;
    /// Whether the labels are, as far as can be known now, the engine's newest.
    [[nodiscard]] bool consistent() const noexcept;
    /// Of the engine; empty until its first word.
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;

    /// The newest figures that arrived; empty before the first. They may be of another event than the labels.
    [[nodiscard]] const std::optional<FairnessUpdate>& fairness() const noexcept;
    [[nodiscard]] const std::optional<ClusterUpdate>& clusters() const noexcept;
    /// Empty also for a model that keeps one clustering.
    [[nodiscard]] const std::optional<FrontUpdate>& front() const noexcept;
    [[nodiscard]] SubscriberStatistics statistics() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
