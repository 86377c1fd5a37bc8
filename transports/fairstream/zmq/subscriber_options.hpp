#pragma once
/// Options, events and statistics common to all subscribers.

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
    bool fairness = true;                             ///< also follow the model's fairness and other figures
    bool clusters = false;                            ///< also follow the clusters of a model of labels
    bool front = true;                                ///< also follow the front, if the model keeps one
    std::chrono::milliseconds liveness{5000};         ///< longest silence; the engine publishes about once a second
    std::chrono::milliseconds request_timeout{5000};  ///< for snapshots and missing ranges
    ViewLimits kept = {};                             ///< early updates kept until the missing ones arrive
    int receive_queue = 1000;                         ///< messages that may wait in the socket between two polls
    std::optional<ClientSecurity> security = {};
    std::shared_ptr<Context> context = {};  ///< null: a context of its own
};

/// Returns the options with defaults filled in. Throws `InvalidInput` (bad_option).
[[nodiscard]] SubscriberOptions completed(SubscriberOptions options);

/// Event: a report published for a model.
template <class Report> struct ReportUpdate {
    Sequence sequence = 0;  ///< number of the event that caused it; in a snapshot, of the engine's newest event
    Report report;
};
using FairnessUpdate = ReportUpdate<wire::FairnessReport>;
using ClusterUpdate = ReportUpdate<wire::ClusterReport>;
using FrontUpdate = ReportUpdate<wire::FrontReport>;
using NetworkUpdate = ReportUpdate<wire::NetworkReport>;

/// Event: the view began to lag, or caught up.
struct Consistency {
    bool consistent = false;
    Sequence sequence = 0;
};

/// Event: the engine's recording lacks events that had been on disk; it ends before them, or has others in their place.
/// Anything derived from them cannot be undone: alert an operator. The view restarts from the engine's state.
struct LostEvents {
    Sequence known = 0;  ///< newest event known to this subscriber; some events up to it are missing
    bool operator==(const LostEvents&) const = default;
};

struct SubscriberStatistics {
    ViewStatistics view;
    std::uint64_t requests = 0;       ///< control requests sent
    std::uint64_t timeouts = 0;       ///< control requests without an answer in time
    std::uint64_t reconnections = 0;  ///< reconnections for updates, after silence
    std::uint64_t unreadable = 0;     ///< messages that could not be read at all
};

}  // namespace fairstream::zmq
