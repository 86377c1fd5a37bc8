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
    /// Receives the key of a rejected client, empty if it has none, and the socket's name: once for each pair, and at
    /// most a hundred times.
    using RejectionHandler = std::function<void(std::string_view key, std::string_view socket)>;
    /// Throws `SocketError` when the context already has a handler. `clients` must outlive this object.
    Gate(::zmq::context_t& context, const ClientList& clients, RejectionHandler on_rejected = {});

    /// Returns the `zap_domain` to set on the socket `role`.
    [[nodiscard]] static const char* domain(SocketRole role) noexcept;

    /// Returns the socket to poll; call `answer` when it is readable.
    [[nodiscard]] ::zmq::socket_t& socket() noexcept { return socket_; }
    /// Answers all pending admission requests.
    void answer();
    [[nodiscard]] std::uint64_t rejected() const noexcept { return rejected_; }

private:
    void reject(const std::string& key, std::optional<SocketRole> role);

    const ClientList& clients_;
    RejectionHandler on_rejected_;
    std::set<std::pair<std::string, SocketRole>> reported_;
    ::zmq::socket_t socket_;
    std::uint64_t rejected_ = 0;
};

}  // namespace fairstream::zmq
