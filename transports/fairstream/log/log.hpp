#pragma once
/// All that an engine process keeps of a stream: the log of its events, checkpoints, producers and refusals.
///
/// Implementations: `log/sqlite/recording.hpp`, one file, and `log/memory/recording.hpp`, for tests. Code that does
/// not open a log itself knows none of them.

#include <cstdint>
#include <functional>
#include <vector>

#include <fairstream/log/checkpoints.hpp>
#include <fairstream/log/event_log.hpp>
#include <fairstream/log/producers.hpp>
#include <fairstream/log/refusals.hpp>

namespace fairstream::log {

/// Says that a log was made from another one, without some of its points.
struct Erasure {
    RecordingId from{};        ///< the other one
    std::uint64_t points = 0;  ///< rows of points that were left out
    std::int64_t time = 0;     ///< microseconds since 1970
    bool operator==(const Erasure&) const = default;
};

/// `flush` covers refusals, too, and writes a part of a pending checkpoint.
class Log : public EventLog, public CheckpointStore, public ProducerPositions, public RefusalSink {
public:
    /// Begins a log without events after this checkpoint: its first event is the next one. The checkpoint is valid once
    /// it is finished. Throws `InvalidInput` (bad_state) where there are events.
    virtual void begin_after(Checkpoint checkpoint) = 0;
    /// Ends the making of this log from another one of the same implementation, whose events from this one's first on
    /// were appended: takes over its producers and floors, and its refusals as `edit` leaves their texts and messages,
    /// and records the erasure.
    virtual void take_over(const Log& from, const std::function<void(Refusal&)>& edit, const Erasure& erasure) = 0;
    /// Returns the erasures by which this log was made, the newest last.
    [[nodiscard]] virtual std::vector<Erasure> erasures() const = 0;
};

}  // namespace fairstream::log
