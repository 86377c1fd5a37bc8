#pragma once
/// What the server's loop receives and sends. For the sources of this folder only: shows ZeroMQ types.

#include <array>
#include <string>
#include <string_view>

#include <zmq.hpp>

#include <fairstream/service/shared_bytes.hpp>

namespace fairstream::zmq {

/// A message that a ROUTER received: from a DEALER [client, body], from a REQ [client, empty, body].
struct Incoming {
    std::array<::zmq::message_t, 3> frames;
    bool valid = false;  ///< whether it is one of these; nothing below means anything otherwise
    bool delimited = false;

    [[nodiscard]] const ::zmq::message_t& body() const noexcept { return frames[delimited ? 2 : 1]; }
    /// What `reply` needs to answer: how the client frames its messages, and its routing id.
    [[nodiscard]] std::string client() const;
};

/// Takes the next message, valid or not, off a ROUTER. False when there is none. Does not wait.
[[nodiscard]] bool receive(::zmq::socket_t& socket, Incoming& message);

/// Sends a frame that more will follow, without waiting. False, and nothing is sent, when the peer is gone or its queue
/// full.
[[nodiscard]] bool send_first(::zmq::socket_t& socket, std::string_view frame);

/// Answers a client of a ROUTER, without waiting. False when the client is gone or its queue full. `client` is an
/// `Incoming::client`.
[[nodiscard]] bool reply(::zmq::socket_t& socket, std::string_view client, const service::SharedBytes& message);

/// A frame of the same memory where that is cheaper than a copy.
[[nodiscard]] ::zmq::message_t frame_of(const service::SharedBytes& bytes);

/// A file descriptor that becomes readable when the loop is to wake up.
class Wakeup {
public:
    Wakeup();
    ~Wakeup();
    Wakeup(const Wakeup&) = delete;
    Wakeup& operator=(const Wakeup&) = delete;

    [[nodiscard]] int file() const noexcept { return file_; }
    /// From any thread, and from a signal handler.
    void set() noexcept;
    /// Makes the file wait for the next `set`.
    void clear() noexcept;

private:
    int file_;
};

}  // namespace fairstream::zmq
