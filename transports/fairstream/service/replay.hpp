#pragma once
/// Running a recording's events through an engine again.

#include <functional>
#include <span>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/recording/recording.hpp>

namespace fairstream::service {

/// The bytes a recording keeps for what the engine decided with an event; none for no decisions.
[[nodiscard]] std::vector<std::byte> write_decisions(std::span<const Decision> decisions);
/// Throws `InvalidInput` (malformed).
[[nodiscard]] std::vector<Decision> read_decisions(std::span<const std::byte> bytes);

/// Takes in every recorded event after `engine.sequence()`, with what was decided then, and calls `each` after it.
/// Throws `RecordingError` when the event after `engine.sequence()` is no longer kept, or when the engine refuses one:
/// the recording is then not of this engine's configuration.
void replay(const recording::Recording& recording, Engine& engine,
            const std::function<void(const recording::RecordedEvent&, const Update&)>& each);

}  // namespace fairstream::service
