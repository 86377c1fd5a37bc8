#pragma once
/// What the clients of a server with keys may do, by their public keys. For the sources of this folder only.

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

/// All keys here are 40 characters of Z85. Fixed once made: several threads may ask.
class Rights {
public:
    explicit Rights(const ServerSecurity& security);

    /// Whether the client may connect. Subscribers may to `control` too, where they ask for what they missed.
    [[nodiscard]] bool may_enter(std::string_view key, Door door) const;
    /// Whether its events may be in the name of `producer`.
    [[nodiscard]] bool may_produce_as(std::string_view key, std::string_view producer) const;
    /// Whether its requests may change options, ask for refinements, and stop the engine.
    [[nodiscard]] bool may_change(std::string_view key) const { return controllers_.contains(key); }

private:
    using Keys = std::set<std::string, std::less<>>;

    Keys producers_, subscribers_, controllers_;
    std::map<std::string, Keys, std::less<>> owners_;  // of a producer's name that is bound to keys
    Keys bound_;                                       // keys that have names of their own
};

}  // namespace fairstream::zmq
