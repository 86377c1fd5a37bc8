#pragma once
/// The log of a stream: its events in order, each with the engine's decisions. An engine with the same configuration
/// that takes them in reaches the same state again. Recovery, replay and comparison read nothing else. A checkpoint
/// (`checkpoints.hpp`) can replace the first events.
///
/// An event has two numbers. Its `Sequence` is the engine's: 1, 2, 3, ... without a gap, and the same in every copy of
/// the stream. Its `Position` is its place in this log. Positions rise with the sequences, but may leave numbers out,
/// as a log may hold other records between events. Only their order has a meaning, and only in this log. A log may
/// happen to use the sequence as the position: no caller may rely on that.
///
/// A log has one writer, which holds the claim to it, and any number of readers. `append` hands an event over; it may
/// return before the event is stored. `flush` returns once everything handed over survives the end of the process, as
/// the implementation promises. Events are stored in order: after a crash the log ends with some event, and lacks none
/// before it. So nothing that depends on an event may leave the process until a later `flush` has returned.
///
/// Calls that break a rule throw `InvalidInput` and change nothing. A failed write, or the loss of the claim to another
/// writer, appears as `RecordingError`: from the call that caused it or from a later one, at the latest from the next
/// flush. After that every call that writes throws. Which events since the last flush are stored is then unknown, and
/// the process must stop; a recovery reads what is there.
///
/// Reads see everything flushed, and may see more. A log is used by one thread at a time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/core/events.hpp>
#include <fairstream/log/producers.hpp>
#include <fairstream/log/recent_hashes.hpp>

namespace fairstream::log {

using Bytes = std::span<const std::byte>;
using RecordingId = std::array<std::byte, 16>;

/// The position of an event in one log. Positions rise, with gaps.
enum class Position : std::uint64_t {};

/// The log cannot be used, a write failed, or another writer took the log over; `what()` names the log and the cause.
class RecordingError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The file is empty or of another kind; it is not a damaged log.
class NotARecording : public RecordingError {
public:
    using RecordingError::RecordingError;
};

/// An event to append, with the engine's decisions and its update. Borrowed for the call.
struct NewEvent {
    Sequence sequence = 0;      ///< `last_sequence` + 1
    std::string_view producer;  ///< not empty
    ProducerMark mark;          ///< above every earlier mark of this producer
    Bytes message;              ///< an IngestRequest
    /// The client that owns the producer from now on; empty: unchanged.
    std::string_view owner = {};
    std::int64_t time = 0;  ///< by the writer's clock, in microseconds since 1970; 0: unknown
    Bytes decisions = {};   ///< opaque; empty for most events
    std::optional<std::uint64_t> update_digest = {};
    /// The producers that the log forgets with this event, and the floors that the event raises; null: none. A
    /// forgotten producer that comes back starts anew. Unknown names are ignored.
    const ProducerExpiry* expiry = nullptr;
};

/// An event as received, and the engine's decisions with it.
struct RecordedEvent {
    Sequence sequence = 0;
    std::string producer;
    ProducerMark mark;
    std::vector<std::byte> message;    ///< an IngestRequest
    std::vector<std::byte> decisions;  ///< opaque; empty for most events
    /// The digest of the update published with this event; nothing: not recorded.
    std::optional<std::uint64_t> update_digest = {};
    Position position = {};
};

/// The build that made the update digests from event `from` on.
struct Build {
    Sequence from = 0;
    std::string version;    ///< version of the library
    std::string cpu_level;  ///< CPU level of the machine
    /// First event at which this build's recovery, which ended before `from`, gave an update other than the published
    /// one; 0: none differed, or none could be compared.
    Sequence differs_from = 0;
    bool operator==(const Build&) const = default;
};

/// Returns the build that made the digest of an event; null if unknown.
[[nodiscard]] const Build* build_of_event(std::span<const Build> builds, Sequence sequence) noexcept;

/// The time, by the writer's clock, at which an event was appended, in microseconds since 1970.
struct AppendTime {
    Sequence sequence = 0;
    std::int64_t time = 0;
};

/// The storage that a log takes.
struct Storage {
    Sequence first_sequence = 1;   ///< events before it were deleted
    std::uint64_t file_bytes = 0;  ///< size of the file
    std::uint64_t log_bytes = 0;   ///< size of the file's own log of changes
    std::uint64_t kept_bytes = 0;  ///< approximate size of the messages of the kept events
    /// Bytes of messages a day, measured over the last day, or over the known times if they span at least an hour;
    /// nothing: unknown.
    std::optional<std::uint64_t> bytes_a_day = {};
    bool operator==(const Storage&) const = default;
};

/// The end of a log whose last writer did not close it: how much may be lost unnoticed.
struct UncleanEnd {
    /// Events after the last closed part. 0: the log was closed, or a writer is at work; nothing: unknown.
    std::optional<std::uint64_t> events = 0;
    /// Whether the log ends with an unreadable write, cut short or damaged. Acknowledged events may then be missing.
    bool unreadable = false;
};

/// What a reader does when a writer deletes its next event: it throws, or skips the deleted events.
enum class OnDeletion : std::uint8_t { fail, skip };

class EventLog {
public:
    virtual ~EventLog() = default;

    [[nodiscard]] virtual const RecordingId& id() const noexcept = 0;
    [[nodiscard]] virtual std::string name() const = 0;                    ///< for people: the path of a file
    [[nodiscard]] virtual const std::string& config() const noexcept = 0;  ///< the canonical configuration text
    [[nodiscard]] virtual const std::string& cpu_level()
        const noexcept = 0;  ///< CPU level of the machine that created the recording
    [[nodiscard]] virtual UncleanEnd unclean_end() const noexcept = 0;  ///< as found on opening
    /// Returns whether a writer was at work when this log was opened for reading.
    [[nodiscard]] virtual bool had_writer() const noexcept = 0;

    // -- writing

    virtual void append(const NewEvent& event) = 0;
    /// Records that, from this event on, this build's recovery gave updates other than the published updates.
    virtual void mark_recovery(Sequence differs_from) = 0;
    /// Stores everything handed over; see above. Cheap when nothing is pending.
    virtual void flush() = 0;
    /// Throws `RecordingError` when this writer may no longer write the log: its files were deleted or replaced, or
    /// another writer took it over. Every flush checks this, too; this call is for a writer without anything to flush.
    virtual void require_claim() = 0;
    /// Returns whether events are deleted some time after they were appended; `NewEvent::time` is then needed.
    [[nodiscard]] virtual bool needs_times() const noexcept = 0;

    // -- reading

    [[nodiscard]] virtual Sequence first_sequence() const = 0;  ///< number of the oldest event kept; 0: none
    [[nodiscard]] virtual Sequence last_sequence() const = 0;   ///< number of the newest event, flushed or not; 0: none
    /// Calls `each` for the events from `first` on, or from the oldest kept one if that is later, in order, until
    /// `each` returns false. If a writer deletes the next event meanwhile, throws `RecordingError`; with `skip`, goes
    /// on with the oldest kept event.
    virtual void for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each,
                                OnDeletion on_deletion = OnDeletion::fail) const = 0;
    /// Returns the sequence of the event with this mark, if it was taken and is still kept. An event of a producer that
    /// was forgotten since may not be found.
    [[nodiscard]] virtual std::optional<Sequence> find_event(const std::string& producer,
                                                             const ProducerMark& mark) const = 0;
    /// Returns the hash over all events up to the newest one, flushed or not (`running_hash.hpp`). A hash kept for an
    /// event shows later whether a log still holds the same events up to it. Nothing if unknown.
    [[nodiscard]] virtual std::optional<std::uint64_t> running_hash() const = 0;
    /// Returns the running hashes of the newest events present on opening, and moves them out: the next call returns
    /// none.
    [[nodiscard]] virtual RecentHashes take_recent_hashes() = 0;
    /// Returns the builds that made update digests, in order.
    [[nodiscard]] virtual std::vector<Build> builds() const = 0;
    /// Returns times at which events were appended, in order: about one for each minute, or more.
    [[nodiscard]] virtual std::vector<AppendTime> times() const = 0;
    /// Returns the storage taken after the last flush. For a log that is open for reading: only `kept_bytes`, as found
    /// on opening.
    [[nodiscard]] virtual Storage storage() const noexcept = 0;
};

}  // namespace fairstream::log
