#pragma once
/// Keeps a live view of one kind of output of one model: subscribes to the engine's updates, starts from a snapshot,
/// and repairs gaps.
///
/// The view always equals the engine's outputs as of `sequence()`. `consistent()` is false while newer outputs may
/// exist that have not arrived: after a loss until its repair, and when the engine has been silent for longer than
/// `liveness`. No hidden thread: everything happens inside `poll`, which must be called often. Meanwhile messages wait
/// in the socket; messages that do not fit are lost, and later repaired. For one thread at a time.

#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/point_view.hpp>
#include <fairstream/zmq/subscriber_options.hpp>

namespace fairstream::zmq {

/// `T` is one of `wire::PointOutputs` that the model has; memberships are within one per cent of the engine's.
/// `NoOutput` is for any kind of model, and follows only figures: lost figures are not sent again, as newer figures
/// replace them.
template <class T> class Subscriber {
public:
    using Event = std::variant<ViewChanges<T>, FairnessUpdate, ClusterUpdate, FrontUpdate, Consistency, LostEvents>;

    /// Connects in the background. Throws `InvalidInput` (bad_option) or `SocketError`.
    explicit Subscriber(const SubscriberOptions& options);
    ~Subscriber();
    Subscriber(Subscriber&&) noexcept;
    Subscriber& operator=(Subscriber&&) noexcept;

    /// Processes arrived messages and repairs gaps; waits up to `timeout` for the first event. Throws `ControlRefused`
    /// when the engine does not know the model or the model has other outputs, and `SocketError`.
    [[nodiscard]] std::vector<Event> poll(std::chrono::milliseconds timeout);

    [[nodiscard]] const PointMap<T>& outputs() const noexcept;
    [[nodiscard]] const PointMap<T>& labels() const noexcept requires std::same_as<T, ClusterId> { return outputs(); }
    [[nodiscard]] const PointMap<T>& scores() const noexcept requires std::same_as<T, Score> { return outputs(); }
    [[nodiscard]] const PointMap<T>& memberships() const noexcept requires std::same_as<T, wire::Memberships> {
        return outputs();
    }
    /// Returns the text of the id of a point in the view; empty for a stream without text ids.
    [[nodiscard]] std::string_view id_text(PointId id) const noexcept;
    [[nodiscard]] Sequence sequence() const noexcept;
    [[nodiscard]] std::uint64_t topic_sequence() const noexcept;
    /// Returns whether the outputs are the engine's newest, as far as can be known now.
    [[nodiscard]] bool consistent() const noexcept;
    /// Returns the id of the engine's recording; nothing until its first message.
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;

    /// Returns the newest figures that arrived; nothing before the first. They may belong to another event than the
    /// outputs.
    [[nodiscard]] const std::optional<FairnessUpdate>& fairness() const noexcept;
    /// Returns the event up to which `fairness` is known to be current, from updates and statuses; 0 before the first.
    [[nodiscard]] Sequence fairness_as_of() const noexcept;
    /// Returns the newest clusters; nothing before the first, and for a model of scores.
    [[nodiscard]] const std::optional<ClusterUpdate>& clusters() const noexcept;
    /// Returns the newest front; nothing before the first, and for a model that keeps one clustering.
    [[nodiscard]] const std::optional<FrontUpdate>& front() const noexcept;
    /// Returns the counts of late points and the drift from the newest status.
    [[nodiscard]] const wire::Condition& condition() const noexcept;
    /// Returns whether the engine announced the end of its process and no engine has published since then. A killed
    /// process announces nothing; `consistent` then becomes false.
    [[nodiscard]] bool engine_ended() const noexcept;
    [[nodiscard]] SubscriberStatistics statistics() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

using LabelSubscriber = Subscriber<ClusterId>;
using ScoreSubscriber = Subscriber<Score>;
using MembershipSubscriber = Subscriber<wire::Memberships>;
using FigureSubscriber = Subscriber<NoOutput>;

}  // namespace fairstream::zmq
