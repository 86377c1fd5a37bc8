#pragma once
/// The records that an engine process keeps of a stream: the log of its events, checkpoints, producers and refusals.
///
/// Implementations: `log/sqlite/recording.hpp`, one file, and `log/memory/recording.hpp`, for tests. Code that does
/// not open a log itself uses neither.

#include <cstdint>
#include <functional>
#include <vector>

#include <fairstream/log/checkpoints.hpp>
#include <fairstream/log/event_log.hpp>
#include <fairstream/log/producers.hpp>
#include <fairstream/log/refusals.hpp>

namespace fairstream::log {

/// Record of a log's creation from another log, without some of its points.
struct Erasure {
    RecordingId from{};        ///< the source log
    std::uint64_t points = 0;  ///< rows of points left out
    std::int64_t time = 0;     ///< microseconds since 1970
    bool operator==(const Erasure&) const = default;
};

/// `flush` also stores refusals, and writes a part of a pending checkpoint.
class Log : public EventLog, public CheckpointStore, public ProducerPositions, public RefusalSink {
public:
    /// Makes a log without events begin with this checkpoint: its first event will be the event after the checkpoint.
    /// The checkpoint is valid once it is finished. Throws `InvalidInput` (bad_state) if the log has events.
    virtual void begin_after(Checkpoint checkpoint) = 0;
    /// Completes the creation of this log from another log of the same implementation. All events of that log, from
    /// this log's first event on, must have been appended. Takes over the producers and floors of that log, and its
    /// refusals after `edit` changed their texts and messages; records the erasure.
    virtual void complete_copy(const Log& from, const std::function<void(Refusal&)>& edit, const Erasure& erasure) = 0;
    /// Returns the erasures that led to this log, the newest last.
    [[nodiscard]] virtual std::vector<Erasure> erasures() const = 0;
};

}  // namespace fairstream::log
