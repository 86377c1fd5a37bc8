#pragma once
/// Keeps the network of one predicting model, ready to run: a service predicts with it without the engine, and without
/// anyone's group.

#include <chrono>
#include <memory>
#include <optional>

#include <fairstream/network/network.hpp>
#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/subscriber_options.hpp>

namespace fairstream::zmq {

/// Follows only the topic `network.<model>`; other outputs named in `SubscriberOptions` are not received. No hidden
/// thread: everything happens inside `poll`, which must be called often. For one thread at a time, except `evaluation`,
/// whose result several threads may use.
class NetworkSubscriber {
public:
    /// Connects in the background. Throws `InvalidInput` (bad_option) or `SocketError`.
    explicit NetworkSubscriber(const SubscriberOptions& options);
    ~NetworkSubscriber();
    NetworkSubscriber(NetworkSubscriber&&) noexcept;
    NetworkSubscriber& operator=(NetworkSubscriber&&) noexcept;

    /// Processes arrived messages; waits up to `timeout` for a network. Returns whether a new network arrived. Throws
    /// `ControlRefused` when the engine does not know the model or the model has no network, and `SocketError`.
    bool poll(std::chrono::milliseconds timeout);

    /// Returns the newest network and its event; nothing before the first arrived.
    [[nodiscard]] const std::optional<NetworkUpdate>& newest() const noexcept;
    /// Returns the newest network, ready for rows prepared as by the engine; null before the first, and while the model
    /// is warming. Its predictions equal the engine's to the last bit.
    [[nodiscard]] std::shared_ptr<const Evaluation> evaluation() const noexcept;
    /// Returns whether the newest network here is the engine's newest, as far as can be known now.
    [[nodiscard]] bool consistent() const noexcept;
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept;
    /// Returns the counts of late points and the drift from the newest status.
    [[nodiscard]] const wire::Condition& condition() const noexcept;
    [[nodiscard]] SubscriberStatistics statistics() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
