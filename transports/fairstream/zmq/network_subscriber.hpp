#pragma once
/// Keeps the network of one model that predicts, ready to run: a service predicts by it without the engine, and without
/// anyone's group.

#include <chrono>
#include <memory>
#include <optional>

#include <fairstream/network/network.hpp>
#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/subscriber_options.hpp>

namespace fairstream::zmq {

/// Follows the topic `network.<model>` alone: what models of `SubscriberOptions` give otherwise is not received. No
/// hidden thread: everything happens inside `poll`, to be called often. One thread at a time, but for `evaluation`,
/// whose result may be used from many.
class NetworkSubscriber {
public:
    /// Connects in the background. Throws `InvalidInput` (bad_option) or `SocketError`.
    explicit NetworkSubscriber(const SubscriberOptions& options);
    ~NetworkSubscriber();
    NetworkSubscriber(NetworkSubscriber&&) noexcept;
    NetworkSubscriber& operator=(NetworkSubscriber&&) noexcept;

    /// Processes arrived messages; waits up to `timeout` for a network. Returns whether there is another one. Throws
    /// `ControlRefused` when the engine does not know the model, or it has no network, and `SocketError`.
    bool poll(std::chrono::milliseconds timeout);

    /// Returns the newest network, and the event; empty before the first arrived.
    [[nodiscard]] const std::optional<NetworkUpdate>& newest() const noexcept;
    /// Returns that network ready for rows as the engine prepares them; null before the first, and while the model is
    /// warming. Its predictions are those of the engine, to the last bit.
    [[nodiscard]] std::shared_ptr<const Evaluation> evaluation() const noexcept;
    /// Returns whether that network is the engine's newest, as far as can be known now.
    [[nodiscard]] bool consistent() const noexcept;
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;
    /// Returns what the newest status says of points that came late, and of drift.
    [[nodiscard]] const wire::Condition& condition() const noexcept;
    [[nodiscard]] SubscriberStatistics statistics() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
