#pragma once
/// The part of the shared socket code that includes ZeroMQ types. For the sources of this folder only.

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include <zmq.hpp>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/socket.hpp>

namespace fairstream::zmq {

struct Context::Native {
    ::zmq::context_t context{1};
};

using Clock = std::chrono::steady_clock;

/// Largest number of messages that may wait in a socket, for each peer. libzmq counts messages, not bytes; the queues
/// on both sides and the TCP buffers between them add up. Above the limit, DEALER and ROUTER (mandatory) accept no
/// more, which bounds a sender; XPUB silently drops messages to that subscriber.
struct QueueLimits {
    int send = 1000;
    int receive = 1000;
};

/// Sets the options common to all sockets. Call before bind or connect: most options only affect later calls of these.
void set_common_options(::zmq::socket_t& socket, const QueueLimits& queues, std::string_view endpoint);

/// Returns a connected client socket. `subscriptions` are topic prefixes, for SUB only. Throws `SocketError`.
[[nodiscard]] ::zmq::socket_t connected(Context& context, ::zmq::socket_type type, const std::string& endpoint,
                                        const QueueLimits& queues, const std::optional<ClientSecurity>& security,
                                        std::span<const std::string> subscriptions = {});

/// Receives a message of exactly `frames.size()` frames without waiting. Returns nothing when there is no message;
/// false for a message with another number of frames, which is discarded.
[[nodiscard]] std::optional<bool> receive(::zmq::socket_t& socket, std::span<::zmq::message_t> frames);

/// Sends one frame without waiting; returns false, with `frame` unchanged, when the queue is full.
[[nodiscard]] bool send(::zmq::socket_t& socket, ::zmq::message_t& frame);

/// Waits until one of `items` is ready or `deadline` has passed; returns whether one is ready. A signal ends the wait
/// early.
bool wait(std::span<::zmq::pollitem_t> items, Clock::time_point deadline);

/// Returns the time `timeout` from now; a negative timeout counts as 0, a huge one is cut to the clock's range.
[[nodiscard]] inline Clock::time_point deadline_after(std::chrono::milliseconds timeout) noexcept {
    constexpr std::chrono::milliseconds longest = std::chrono::years(10);
    return Clock::now() + std::clamp(timeout, std::chrono::milliseconds(0), longest);
}

[[nodiscard]] inline wire::Bytes bytes(const ::zmq::message_t& frame) noexcept {
    return {static_cast<const std::byte*>(frame.data()), frame.size()};
}

}  // namespace fairstream::zmq
