#pragma once
/// The part of the shared socket code that shows ZeroMQ types. For the sources of this folder only.

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

/// How many messages may wait in a socket, for each peer. libzmq counts messages, not bytes; queues on both sides and
/// the TCP buffers between add up. What happens above it depends on the socket: DEALER and ROUTER (mandatory) refuse to
/// take more, which bounds a sender; XPUB drops for that subscriber, silently.
struct QueueLimits {
    int send = 1000;
    int receive = 1000;
};

/// Sets what every socket of this project has. Before bind or connect: most options only count for later ones.
void set_common_options(::zmq::socket_t& socket, const QueueLimits& queues, std::string_view endpoint);

/// A connected client socket. `subscriptions` are topic prefixes, for SUB only. Throws `SocketError`.
[[nodiscard]] ::zmq::socket_t connected(Context& context, ::zmq::socket_type type, const std::string& endpoint,
                                        const QueueLimits& queues, const std::optional<ClientSecurity>& security,
                                        std::span<const std::string> subscriptions = {});

/// Receives without waiting a message of exactly `frames.size()` frames. Empty when there is none. A message with
/// another number of frames is taken off the socket whole and reported as false.
[[nodiscard]] std::optional<bool> receive(::zmq::socket_t& socket, std::span<::zmq::message_t> frames);

/// Sends one frame without waiting. False: the queue is full, `frame` is as it was.
[[nodiscard]] bool send(::zmq::socket_t& socket, ::zmq::message_t& frame);

/// Waits until one of `items` is ready or `deadline` has passed, and says whether one is. A signal ends the wait early.
bool wait(std::span<::zmq::pollitem_t> items, Clock::time_point deadline);

/// `timeout` from now; a negative one is none, and an endless one ends within the clock's range.
[[nodiscard]] inline Clock::time_point deadline_after(std::chrono::milliseconds timeout) noexcept {
    constexpr std::chrono::milliseconds longest = std::chrono::years(10);
    return Clock::now() + std::clamp(timeout, std::chrono::milliseconds(0), longest);
}

[[nodiscard]] inline wire::Bytes bytes(const ::zmq::message_t& frame) noexcept {
    return {static_cast<const std::byte*>(frame.data()), frame.size()};
}

}  // namespace fairstream::zmq
