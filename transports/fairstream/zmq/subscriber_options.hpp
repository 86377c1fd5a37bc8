#pragma once
/// What every subscriber is told, and what it counts.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fairstream/zmq/point_view.hpp>
#include <fairstream/zmq/socket.hpp>

namespace fairstream::zmq {

struct SubscriberOptions {
    std::string updates_endpoint = {};
    std::string control_endpoint = {};
    std::string model = {};
    std::chrono::milliseconds liveness{5000};         ///< the engine speaks about once a second
    std::chrono::milliseconds request_timeout{5000};  ///< for snapshots and missing ranges
    ViewLimits kept = {};                             ///< updates kept while what is before them is on its way
    int receive_queue = 1000;                         ///< messages that may wait in the socket between two polls
    std::optional<ClientSecurity> security = {};
    std::shared_ptr<Context> context = {};  ///< none: one of its own
};

/// The options with what they leave open. Throws `InvalidInput` (bad_option).
[[nodiscard]] SubscriberOptions completed(SubscriberOptions options);

/// The view began to lag, or caught up.
struct Consistency {
    bool consistent = false;
    Sequence sequence = 0;
};

/// Events that had been on disk are missing from the engine's recording, which ends before them or goes on with others.
/// What was built on them cannot be taken back: somebody should know. The view begins anew with what the engine has.
struct LostEvents {
    Sequence known = 0;  ///< the newest event that this subscriber had been told of; some up to it are missing
    bool operator==(const LostEvents&) const = default;
};

struct SubscriberStatistics {
    ViewStatistics view;
    std::uint64_t requests = 0;       ///< to control
    std::uint64_t timeouts = 0;       ///< of them without an answer in time
    std::uint64_t reconnections = 0;  ///< of the updates, after silence
    std::uint64_t unreadable = 0;     ///< messages that could not be read at all
};

}  // namespace fairstream::zmq
