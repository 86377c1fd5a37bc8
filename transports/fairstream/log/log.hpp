#pragma once
/// The records that an engine process keeps of a stream: the log of its events, checkpoints, producers and refusals.
///
/// Implementations: `log/sqlite/recording.hpp`, one file, and `log/memory/recording.hpp`, for tests. Programs open logs
/// by `log/open/open.hpp`, which chooses the implementation.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fairstream/log/checkpoints.hpp>
#include <fairstream/log/event_log.hpp>
#include <fairstream/log/producers.hpp>
#include <fairstream/log/refusals.hpp>

namespace fairstream::log {

/// Limits on what a log keeps, and the receiver of its warnings.
struct Settings {
    /// Newest refusals kept with text and message. Reason and text of each producer's newest 4,096 refusals are always
    /// kept.
    std::size_t refused_rows = 1000;
    std::size_t refused_bytes = 64 << 10;  ///< kept of each refused message
    // Limits on the events that are kept. All events after the older of the two kept checkpoints stay. Earlier events
    // stay if every limit allows them. The other events are deleted, a few with each flush.
    Sequence keep_events = 0;      ///< events before the older kept checkpoint; 0: all
    std::int64_t keep_for = 0;     ///< microseconds since the event was appended, exact to a minute; 0: for ever
    std::uint64_t keep_bytes = 0;  ///< bytes of the newest events' messages, exact to 4 MiB; 0: no limit
    /// Called with a warning for the operator, by the thread that opens, flushes or closes. Must not throw, and must
    /// not call the log.
    std::function<void(const std::string& text)> warn = {};
};

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
