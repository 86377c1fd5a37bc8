#pragma once
/// Who may connect to a server with keys. For the sources of this folder only: shows ZeroMQ types.

#include <cstdint>
#include <string>

#include <zmq.hpp>

#include <fairstream/server/detail/rights.hpp>

namespace fairstream::zmq {

/// The ZAP handler of one context (RFC 27): admits CURVE clients whose public key has the right to, and nobody else. A
/// CURVE server without such a handler admits every client, whatever its key. Exists before the sockets it guards are
/// bound. `key_of` names the client that a message of theirs came from.
class Gate {
public:
    /// Throws `SocketError` when the context has a handler already. `rights` must live longer.
    Gate(::zmq::context_t& context, const Rights& rights);

    /// What the socket `door` sets as its `zap_domain`.
    [[nodiscard]] static const char* domain(Door door) noexcept;

    /// To be polled; `answer` when it is readable.
    [[nodiscard]] ::zmq::socket_t& socket() noexcept { return socket_; }
    /// Answers all connections that wait for admission.
    void answer();
    [[nodiscard]] std::uint64_t turned_away() const noexcept { return turned_away_; }

private:
    const Rights& rights_;
    ::zmq::socket_t socket_;
    std::uint64_t turned_away_ = 0;
};

/// The public key of the client that a message came from, in Z85; empty where the server has no keys.
[[nodiscard]] std::string_view key_of(const ::zmq::message_t& message) noexcept;

}  // namespace fairstream::zmq
