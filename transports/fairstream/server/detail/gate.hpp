#pragma once
/// Admission of clients to a server with keys. For the sources of this folder only: includes ZeroMQ types.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <zmq.hpp>

#include <fairstream/server/detail/clients.hpp>

namespace fairstream::zmq {

/// The ZAP handler of one context (RFC 27): admits only CURVE clients whose public key has the right to the socket. A
/// CURVE server without such a handler admits every client, whatever its key. Must exist before the sockets it guards
/// are bound. `ClientList::sender_of` identifies the sender of a message.
class Gate {
public:
    /// Receives the key of a rejected client, empty if it has none, and the socket's name: once for each pair, for the
    /// first hundred.
    using TurnedAway = std::function<void(std::string_view key, std::string_view socket)>;
    /// Throws `SocketError` when the context already has a handler. `clients` must outlive this object.
    Gate(::zmq::context_t& context, const ClientList& clients, TurnedAway told = {});

    /// Returns the `zap_domain` to set on the socket `door`.
    [[nodiscard]] static const char* domain(Door door) noexcept;

    /// Returns the socket to poll; call `answer` when it is readable.
    [[nodiscard]] ::zmq::socket_t& socket() noexcept { return socket_; }
    /// Answers all pending admission requests.
    void answer();
    [[nodiscard]] std::uint64_t turned_away() const noexcept { return turned_away_; }

private:
    void turn_away(const std::string& key, std::optional<Door> door);

    const ClientList& clients_;
    TurnedAway told_;
    std::set<std::pair<std::string, Door>> told_of_;
    ::zmq::socket_t socket_;
    std::uint64_t turned_away_ = 0;
};

}  // namespace fairstream::zmq
