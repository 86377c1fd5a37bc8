#pragma once
/// Who may connect to a server with keys. For the sources of this folder only: shows ZeroMQ types.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <zmq.hpp>

namespace fairstream::zmq {

/// The ZAP handler of one context (RFC 27): admits CURVE clients whose public key is on a list, and nobody else. A
/// CURVE server without such a handler admits every client, whatever its key. Exists before the sockets it guards are
/// bound.
class Gate {
public:
    /// What a guarded socket sets as its `zap_domain`.
    static constexpr const char* domain = "fairstream";

    /// `clients` are public keys in Z85. Throws `SocketError` when the context has a handler already.
    Gate(::zmq::context_t& context, const std::vector<std::string>& clients);

    /// To be polled; `answer` when it is readable.
    [[nodiscard]] ::zmq::socket_t& socket() noexcept { return socket_; }
    /// Answers all connections that wait for admission.
    void answer();
    [[nodiscard]] std::uint64_t turned_away() const noexcept { return turned_away_; }

private:
    std::set<std::string> clients_;  // keys as 32 bytes
    ::zmq::socket_t socket_;
    std::uint64_t turned_away_ = 0;
};

}  // namespace fairstream::zmq
