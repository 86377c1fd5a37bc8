#pragma once
/// Events in a log, read and taken in again.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/log/event_log.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

/// The producer of all events in a recording made from a fit.
inline constexpr const char* fit_producer = "fit";

/// Returns the recorded form of the engine's decisions for an event; empty without decisions.
[[nodiscard]] std::vector<std::byte> write_decisions(std::span<const Decision> decisions);
/// Throws `InvalidInput` (malformed).
[[nodiscard]] std::vector<Decision> read_decisions(std::span<const std::byte> bytes);

/// Returns a recorded event; a batch borrows its columns from `message`, which is overwritten. Throws `RecordingError`.
[[nodiscard]] Event read_event(const log::RecordedEvent& recorded, wire::AlignedMessage& message);

/// A replayed event.
struct Replayed {
    const log::RecordedEvent& event;
    std::uint64_t running_hash;  ///< running hash after this event; 0: unknown
    const Update& update;
};

/// Replays every recorded event after `engine.sequence()` with its recorded decisions, and calls `each` after it.
/// `running_hash` is the hash after `engine.sequence()`; 0 before the first event or if unknown. Throws
/// `RecordingError` when the event after `engine.sequence()` is no longer kept, or when the engine refuses an event:
/// the recording then belongs to another configuration.
void replay_events(const log::EventLog& log, Engine& engine, std::uint64_t running_hash,
                   const std::function<void(const Replayed&)>& each);

}  // namespace fairstream::service
