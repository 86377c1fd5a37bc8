#pragma once
/// Events as a log keeps them, read and taken in again.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/log/event_log.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::service {

/// The name of the producer of all events of a recording that was made of a fit.
inline constexpr const char* fit_producer = "fit";

/// Returns the bytes that a recording keeps for the engine's decisions with an event; none for no decisions.
[[nodiscard]] std::vector<std::byte> write_decisions(std::span<const Decision> decisions);
/// Throws `InvalidInput` (malformed).
[[nodiscard]] std::vector<Decision> read_decisions(std::span<const std::byte> bytes);

/// Returns a recorded event; a batch borrows its columns from `message`, which is overwritten. Throws `RecordingError`.
[[nodiscard]] Event read_event(const log::RecordedEvent& recorded, wire::AlignedMessage& message);

/// An event that was replayed.
struct Replayed {
    const log::RecordedEvent& event;
    std::uint64_t running_hash;  ///< after this event; 0: not known
    const Update& update;
};

/// Replays every recorded event after `engine.sequence()`, with its recorded decisions, and calls `each` after it.
/// `running_hash` is the one after `engine.sequence()`, 0 before the first event or where it is not known.
/// Throws `RecordingError` when the event after `engine.sequence()` is no longer kept, or when the engine refuses one:
/// the recording is then not of this engine's configuration.
void replay_events(const log::EventLog& log, Engine& engine, std::uint64_t running_hash,
                   const std::function<void(const Replayed&)>& each);

}  // namespace fairstream::service
