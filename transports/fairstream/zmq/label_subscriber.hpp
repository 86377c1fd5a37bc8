#pragma once
/// Keeps a live view of the labels of one model: subscribes to the engine's updates, starts from a snapshot, and
/// repairs gaps.
///
/// The view always equals the engine's labels as of `sequence()`. `consistent()` is false while newer ones may exist
/// that have not arrived: after a loss until its repair, and when the engine has been silent for longer than
/// `liveness`. No hidden thread: everything happens inside `poll`, to be called often; meanwhile messages wait in the
/// socket, and those that do not fit are lost and repaired. One thread at a time.

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
    bool fairness = true;   ///< also follow the model's fairness figures
    bool clusters = false;  ///< also follow its clusters
    bool front = true;      ///< also follow its front, if it keeps one
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

    /// Processes arrived messages and repairs gaps; waits up to `timeout` for the first event. Throws `ControlRefused`
    /// when the engine does not know the model, and `SocketError`.
    [[nodiscard]] std::vector<SubscriberEvent> poll(std::chrono::milliseconds timeout);

    [[nodiscard]] const LabelMap& labels() const noexcept;
    [[nodiscard]] Sequence sequence() const noexcept;
    [[nodiscard]] std::uint64_t topic_sequence() const noexcept;
    /// Returns whether the labels are the engine's newest, as far as can be known now.
    [[nodiscard]] bool consistent() const noexcept;
    /// Returns the id of the engine's recording; empty until its first message.
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;

    /// Returns the newest figures that arrived; empty before the first. They may belong to another event than the
    /// labels.
    [[nodiscard]] const std::optional<FairnessUpdate>& fairness() const noexcept;
    [[nodiscard]] const std::optional<ClusterUpdate>& clusters() const noexcept;
    /// Returns the newest front; empty before the first and for a model that keeps one clustering.
    [[nodiscard]] const std::optional<FrontUpdate>& front() const noexcept;
    [[nodiscard]] SubscriberStatistics statistics() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
