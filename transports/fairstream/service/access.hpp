#pragma once
/// Clients of an engine process: who they are, and which messages each of them may send to which socket.

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
enum class Door : std::uint8_t { ingest, updates, control };

/// A set of rights.
enum class Rights : std::uint8_t {
    none = 0,
    send = 1,     ///< to send points and outcomes
    follow = 2,   ///< to subscribe to updates
    ask = 4,      ///< to make requests that change nothing
    control = 8,  ///< to change options, refine models, remove producers and stop the engine
    remove = 16,  ///< to take points out
    all = 31,
};
[[nodiscard]] constexpr Rights operator|(Rights a, Rights b) noexcept {
    return static_cast<Rights>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr bool includes(Rights given, Rights needed) noexcept {
    return (given | needed) == given;
}

/// The rights that a message needs, all of them.
struct Rule {
    Door door;
    std::string_view message;  ///< in words, e.g. "a change of an option"
    Rights needed;
    bool internal = false;  ///< an event of the engine's own, which nobody may send
};

/// The rules of all messages: of a Hello, of the kinds of `Event` and of a subscription, and of the kinds of
/// `ControlRequest`, in their order.
inline constexpr std::array rules = {
    Rule{Door::ingest, "a Hello", Rights::send},
    Rule{Door::ingest, "points", Rights::send},
    Rule{Door::ingest, "a change of an option", Rights::send | Rights::control},
    Rule{Door::ingest, "a refinement", Rights::send | Rights::control},
    Rule{Door::ingest, "an expiry of producers", Rights::all, true},
    Rule{Door::ingest, "outcomes", Rights::send},
    Rule{Door::ingest, "a removal of points", Rights::send | Rights::remove},
    Rule{Door::updates, "a subscription", Rights::follow},
    Rule{Door::control, "a request for a snapshot", Rights::ask},
    Rule{Door::control, "a request for missed publications", Rights::ask},
    Rule{Door::control, "a request to label or score points", Rights::ask},
    Rule{Door::control, "a request for a report", Rights::ask},
    Rule{Door::control, "a change of an option", Rights::control},
    Rule{Door::control, "a refinement", Rights::control},
    Rule{Door::control, "a request for the engine's health", Rights::ask},
    Rule{Door::control, "a stop", Rights::control},
    Rule{Door::control, "a question about a known event", Rights::ask},
    Rule{Door::control, "a request for memberships", Rights::ask},
    Rule{Door::control, "a request for a description", Rights::ask},
    Rule{Door::control, "a request for the list of producers", Rights::control},
    Rule{Door::control, "a removal of a producer", Rights::control},
    Rule{Door::control, "a removal of points", Rights::remove},
};
inline constexpr std::size_t rule_of_hello = 0, first_rule_of_events = 1,
                             rule_of_subscription = first_rule_of_events + std::variant_size_v<Event>,
                             first_rule_of_requests = rule_of_subscription + 1;
static_assert(rules.size() == first_rule_of_requests + std::variant_size_v<decltype(wire::ControlRequest::body)>);
static_assert(rules[rule_of_subscription].door == Door::updates && rules[first_rule_of_requests].door == Door::control);

[[nodiscard]] inline const Rule& rule_of(const wire::IngestRequest& request) noexcept {
    const auto* const event = std::get_if<wire::EventMessage>(&request);
    return rules[event == nullptr ? rule_of_hello : first_rule_of_events + event->event.index()];
}
[[nodiscard]] inline const Rule& rule_of(const wire::ControlRequest& request) noexcept {
    return rules[first_rule_of_requests + request.body.index()];
}
/// Returns whether these rights allow any message to a socket.
[[nodiscard]] constexpr bool may_enter(Rights rights, Door door) noexcept {
    for (const Rule& rule : rules)
        if (rule.door == door && !rule.internal && includes(rights, rule.needed)) return true;
    return false;
}

/// Who sent a message, and what that client may do.
struct Client {
    /// What names, connections and waiting requests are counted by: "key:" and a public key; "name:" and the name of
    /// [security] that a key is bound to, so that another key keeps it; without keys "user:" and the id of the user at
    /// the other end of an ipc endpoint, or "loopback" for every program that uses tcp. Empty: a caller within the
    /// process, which nothing is counted of.
    std::string identity = {};
    Rights rights = Rights::all;
    std::size_t names = 100;  ///< producers known of it at most; above it the idlest are forgotten
    /// Returns whether it may send as a producer that is `owner`'s now, empty for nobody's. An empty function: as any.
    std::function<bool(std::string_view producer, std::string_view owner)> may_send_as = {};
};

}  // namespace fairstream::service
