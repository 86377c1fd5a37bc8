#pragma once
/// The clients of a server: the sender of a message, and its rights. For the sources of this folder only: includes
/// ZeroMQ types.

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <zmq.hpp>

#include <fairstream/server/server.hpp>
#include <fairstream/service/access.hpp>

namespace fairstream::zmq {

using service::Rights;
using service::SocketRole;

/// The listed clients, their keys and their rights. Safe from several threads.
class ClientList {
public:
    /// Without keys every client has all rights. `names` is the number of producers that each client may introduce.
    ClientList(const std::optional<ServerSecurity>& security, std::size_t names);

    /// Returns the client that sent a message; valid as long as this object. With keys it is the client whose key the
    /// gate admitted. Without keys it is the user at the other end of an ipc endpoint, or a single client for all of
    /// tcp on loopback.
    [[nodiscard]] const service::Client& sender_of(const ::zmq::message_t& message) const;
    /// Returns whether the client with this key, 40 characters of Z85, may connect to a socket.
    [[nodiscard]] bool may_connect(std::string_view key, SocketRole role) const;

private:
    using Keys = std::set<std::string, std::less<>>;

    [[nodiscard]] bool may_send_as(std::string_view key, std::string_view producer, std::string_view owner) const;
    [[nodiscard]] const service::Client& without_keys(std::string_view identity) const;

    std::map<std::string, service::Client, std::less<>> by_key_;
    Keys identities_;                                  // identities of the listed clients
    std::map<std::string, Keys, std::less<>> owners_;  // keys by the name bound to them
    Keys bound_;                                       // keys that are bound to names
    service::Client unknown_{.rights = Rights::none};  // with keys: sender of a message without a listed key
    bool has_keys_;
    std::size_t names_;
    mutable std::mutex mutex_;                                                 // guards the members below
    mutable std::map<std::string, service::Client, std::less<>> by_identity_;  // without keys
};

}  // namespace fairstream::zmq
