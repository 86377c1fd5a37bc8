#pragma once
/// The rights of a server's clients, by their public keys. For the sources of this folder only.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fairstream/server/server.hpp>

namespace fairstream::zmq {

/// The sockets of a server.
enum class Door : std::uint8_t { ingest, updates, control };

/// Immutable after construction, so safe from several threads. All keys are 40 characters of Z85.
class Rights {
public:
    explicit Rights(const ServerSecurity& security);

    /// Returns whether the client may connect to socket `door`. Subscribers may also connect to `control`, to request
    /// missed updates.
    [[nodiscard]] bool may_enter(std::string_view key, Door door) const;
    /// Returns whether the client may send events as `producer`.
    [[nodiscard]] bool may_produce_as(std::string_view key, std::string_view producer) const;
    /// Returns whether the client's requests may change options, start refinements and stop the engine.
    [[nodiscard]] bool may_change(std::string_view key) const { return controllers_.contains(key); }

private:
    using Keys = std::set<std::string, std::less<>>;

    Keys producers_, subscribers_, controllers_;
    std::map<std::string, Keys, std::less<>> owners_;  // keys by the producer name that is bound to them
    Keys bound_;                                       // keys that are bound to names
};

}  // namespace fairstream::zmq
