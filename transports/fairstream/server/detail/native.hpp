#pragma once
/// Receiving and sending in the server's loop. For the sources of this folder only: includes ZeroMQ types.

#include <array>
#include <string>
#include <string_view>

#include <zmq.hpp>

#include <fairstream/service/shared_bytes.hpp>

namespace fairstream::zmq {

/// A message that a ROUTER received: from a DEALER [client, body], from a REQ [client, empty, body].
struct Incoming {
    std::array<::zmq::message_t, 3> frames;
    bool valid = false;  ///< whether the message has one of these forms; if not, ignore the other members
    bool delimited = false;

    [[nodiscard]] const ::zmq::message_t& body() const noexcept { return frames[delimited ? 2 : 1]; }
    /// Returns the client's address for `reply`: the framing of its messages, and its routing id.
    [[nodiscard]] std::string client() const;
};

/// Returns the routing id in an `Incoming::client`: one connection may use both framings.
[[nodiscard]] inline std::string_view connection_of(std::string_view client) noexcept {
    return client.substr(1);
}

/// Receives the next message, valid or not, from a ROUTER without waiting; returns false when there is none.
[[nodiscard]] bool receive(::zmq::socket_t& socket, Incoming& message);

/// Sends a message's first frame, with more to follow, without waiting. Returns false, with nothing sent, when the peer
/// is gone or its queue is full.
[[nodiscard]] bool send_first(::zmq::socket_t& socket, std::string_view frame);

/// Answers a client of a ROUTER without waiting; returns false when the client is gone or its queue is full. `client`
/// is an `Incoming::client`.
[[nodiscard]] bool reply(::zmq::socket_t& socket, std::string_view client, const service::SharedBytes& message);

/// Returns a frame that shares the memory of `bytes`, if that is cheaper than a copy.
[[nodiscard]] ::zmq::message_t frame_of(const service::SharedBytes& bytes);

/// A file descriptor that becomes readable in order to wake the loop.
class Wakeup {
public:
    Wakeup();
    ~Wakeup();
    Wakeup(const Wakeup&) = delete;
    Wakeup& operator=(const Wakeup&) = delete;

    [[nodiscard]] int file() const noexcept { return file_; }
    /// Makes the descriptor readable. Callable from any thread and from a signal handler.
    void set() noexcept;
    /// Makes the descriptor unreadable until the next `set`.
    void clear() noexcept;

private:
    int file_;
};

}  // namespace fairstream::zmq
