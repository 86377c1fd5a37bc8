#pragma once
/// Clients of an engine process: their identities, and the messages that each may send to each socket.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

/// The sockets of an engine process.
enum class SocketRole : std::uint8_t { ingest, updates, control };

/// A set of rights.
enum class Rights : std::uint8_t {
    none = 0,
    send = 1,     ///< to send points and outcomes
    follow = 2,   ///< to subscribe to updates
    ask = 4,      ///< to make requests that change nothing
    control = 8,  ///< to change options, refine models, remove producers, and stop the engine
    remove = 16,  ///< to remove points
    all = 31,
};
[[nodiscard]] constexpr Rights operator|(Rights a, Rights b) noexcept {
    return static_cast<Rights>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr bool includes(Rights given, Rights needed) noexcept {
    return (given | needed) == given;
}

/// The rights that a message needs; all are required.
struct Rule {
    SocketRole role;
    std::string_view message;  ///< in words, e.g. "a change of an option"
    Rights needed;
    bool internal = false;  ///< an event of the engine itself, which no client may send
};

/// The rules of all messages, in this order: of a Hello, of the kinds of `Event`, of a subscription, and of the kinds
/// of `ControlRequest`.
inline constexpr std::array rules = {
    Rule{SocketRole::ingest, "a Hello", Rights::send},
    Rule{SocketRole::ingest, "points", Rights::send},
    Rule{SocketRole::ingest, "a change of an option", Rights::send | Rights::control},
    Rule{SocketRole::ingest, "a refinement", Rights::send | Rights::control},
    Rule{SocketRole::ingest, "an expiry of producers", Rights::all, true},
    Rule{SocketRole::ingest, "outcomes", Rights::send},
    Rule{SocketRole::ingest, "a removal of points", Rights::send | Rights::remove},
    Rule{SocketRole::updates, "a subscription", Rights::follow},
    Rule{SocketRole::control, "a request for a snapshot", Rights::ask},
    Rule{SocketRole::control, "a request for missed publications", Rights::ask},
    Rule{SocketRole::control, "a request to label or score points", Rights::ask},
    Rule{SocketRole::control, "a request for a report", Rights::ask},
    Rule{SocketRole::control, "a change of an option", Rights::control},
    Rule{SocketRole::control, "a refinement", Rights::control},
    Rule{SocketRole::control, "a request for the engine's health", Rights::ask},
    Rule{SocketRole::control, "a stop", Rights::control},
    Rule{SocketRole::control, "a question about a known event", Rights::ask},
    Rule{SocketRole::control, "a request for memberships", Rights::ask},
    Rule{SocketRole::control, "a request for a description", Rights::ask},
    Rule{SocketRole::control, "a request for the list of producers", Rights::control},
    Rule{SocketRole::control, "a removal of a producer", Rights::control},
    Rule{SocketRole::control, "a removal of points", Rights::remove},
};
inline constexpr std::size_t rule_of_hello = 0, first_rule_of_events = 1,
                             rule_of_subscription = first_rule_of_events + std::variant_size_v<Event>,
                             first_rule_of_requests = rule_of_subscription + 1;
static_assert(rules.size() == first_rule_of_requests + std::variant_size_v<decltype(wire::ControlRequest::body)>);
static_assert(rules[rule_of_subscription].role == SocketRole::updates &&
              rules[first_rule_of_requests].role == SocketRole::control);

[[nodiscard]] inline const Rule& rule_of(const wire::IngestRequest& request) noexcept {
    const auto* const event = std::get_if<wire::EventMessage>(&request);
    return rules[event == nullptr ? rule_of_hello : first_rule_of_events + event->event.index()];
}
[[nodiscard]] inline const Rule& rule_of(const wire::ControlRequest& request) noexcept {
    return rules[first_rule_of_requests + request.body.index()];
}
/// Returns whether these rights allow any message to a socket.
[[nodiscard]] constexpr bool may_connect(Rights rights, SocketRole role) noexcept {
    for (const Rule& rule : rules)
        if (rule.role == role && !rule.internal && includes(rights, rule.needed)) return true;
    return false;
}

/// The sender of a message, and its rights.
struct Client {
    /// The identity by which names, connections and waiting requests are counted: "key:" and a public key; "name:" and
    /// the name in [security] that the key is bound to, so that a new key of that name has the same identity. Without
    /// keys, "user:" and the id of the user at the other end of an ipc endpoint, or "loopback" for every program that
    /// uses tcp. Empty: a caller within the process, for which nothing is counted.
    std::string identity = {};
    Rights rights = Rights::all;
    std::size_t names = 100;  ///< largest number of producers remembered; beyond it those idle longest are forgotten
    /// Returns whether the client may send as a producer with this owner; `owner` is empty if there is none. If the
    /// function itself is empty, the client may send as any producer.
    std::function<bool(std::string_view producer, std::string_view owner)> may_send_as = {};
};

}  // namespace fairstream::service
