#pragma once
/// The log of a stream: its events in order, each with the engine's decisions. An engine with the same configuration
/// that takes them in comes to the same state again. Recovery, replay and comparison read nothing else, except where a
/// checkpoint (`checkpoints.hpp`) saves them the beginning.
///
/// An event has two numbers. Its `Sequence` is the engine's: 1, 2, 3, ... without a gap, and the same in every copy of
/// the stream. Its `Position` is where this log keeps it: positions rise with the sequences, but may leave numbers out,
/// as a log may hold other records between events. They mean nothing in another log, and only their order means
/// anything here. A log may happen to use the sequence as the position: no caller may rely on that.
///
/// A log has one writer, which holds the claim to it, and any number of readers. `append` hands an event over; it may
/// return before the event is stored anywhere. `flush` returns once all that was handed over survives the end of the
/// process, as the implementation promises. Events are stored in order: what a crash leaves ends after some event, and
/// lacks none before it. So nothing that depends on an event may leave the process before a flush after it.
///
/// Calls that break a rule throw `InvalidInput` and change nothing. A failed write and the loss of the claim to another
/// writer show as `RecordingError`: from the call that caused it or from a later one, but no later than from the next
/// flush. After that every call that writes throws. Which of the events since the last flush are stored is then not
/// known, and the process must stop: a recovery reads what is there.
///
/// Reads see what was flushed, and may see more. A log is used by one thread at a time.

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

/// The place of an event in one log. It rises, with gaps.
enum class Position : std::uint64_t {};

/// The log cannot be used, a write failed, or another writer took the log over: `what()` names the log and the cause.
class RecordingError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An event to be appended, with the engine's decisions and the update that it caused. Borrowed for the call.
struct NewEvent {
    Sequence sequence = 0;      ///< the one after `last_sequence`
    std::string_view producer;  ///< not empty
    ProducerMark mark;          ///< above every earlier one of this producer
    Bytes message;              ///< an IngestRequest
    /// The client whose the producer is from now on; empty leaves that as it is.
    std::string_view owner = {};
    std::int64_t time = 0;  ///< of the writer's clock, in microseconds since 1970; 0: not known
    Bytes decisions = {};   ///< opaque; empty for most events
    std::optional<std::uint64_t> update_digest = {};
    /// The producers that this event makes the log forget, and the floors that it raises; null: none. A later life of
    /// such a producer starts anew. Names that are not known are passed over.
    const ProducerExpiry* expiry = nullptr;
};

/// An event as received, and the engine's decisions with it.
struct RecordedEvent {
    Sequence sequence = 0;
    std::string producer;
    ProducerMark mark;
    std::vector<std::byte> message;    ///< an IngestRequest
    std::vector<std::byte> decisions;  ///< opaque; empty for most events
    /// The digest of the update that was published with it; empty: not recorded.
    std::optional<std::uint64_t> update_digest = {};
    Position position = {};
};

/// The build that made the update digests from an event on.
struct Build {
    Sequence from = 0;
    std::string version;    ///< of the library
    std::string cpu_level;  ///< of its machine
    /// The event from which on its recovery, which ended before `from`, came to other updates than were published;
    /// 0: to the same ones, or to none that could be compared.
    Sequence differs_from = 0;
    bool operator==(const Build&) const = default;
};

/// Returns the build that made the digest of an event; null where that is not known.
[[nodiscard]] const Build* made_by(std::span<const Build> builds, Sequence sequence) noexcept;

/// The time of the writer's clock when an event was appended, in microseconds since 1970.
struct AppendTime {
    Sequence sequence = 0;
    std::int64_t time = 0;
};

/// The room that a log takes.
struct Storage {
    Sequence first_sequence = 1;   ///< events before it were deleted
    std::uint64_t file_bytes = 0;  ///< of the file
    std::uint64_t log_bytes = 0;   ///< of the file's own log of changes
    std::uint64_t kept_bytes = 0;  ///< about that of the messages of the events that are kept
    /// Bytes of messages a day, over the last day, or as long as times are known, if that is an hour at least; empty:
    /// not known.
    std::optional<std::uint64_t> bytes_a_day = {};
    bool operator==(const Storage&) const = default;
};

/// The end of a log whose last writer did not close it: how much may be lost without a trace.
struct UncleanEnd {
    /// Events of the end that nobody closed. 0: the log was closed, or has a writer at work; empty: not known.
    std::optional<std::uint64_t> events = 0;
    /// Set where the log ends with a write that cannot be read: one that was cut short, or damage. Acked events may
    /// then be missing.
    bool unreadable = false;
};

/// How a reader goes on where a writer deletes its next event: it throws, or passes over what is gone.
enum class Deleted : std::uint8_t { refused, passed_over };

class EventLog {
public:
    virtual ~EventLog() = default;

    [[nodiscard]] virtual const RecordingId& id() const noexcept = 0;
    [[nodiscard]] virtual std::string name() const = 0;                       ///< for people: of a file, its path
    [[nodiscard]] virtual const std::string& config() const noexcept = 0;     ///< the canonical configuration text
    [[nodiscard]] virtual const std::string& cpu_level() const noexcept = 0;  ///< of the machine that created it
    [[nodiscard]] virtual UncleanEnd unclean_end() const noexcept = 0;        ///< when it was opened

    // -- writing

    virtual void append(const NewEvent& event) = 0;
    /// Records that a recovery by this build came to other updates than were published, from this event on.
    virtual void mark_recovery(Sequence differs_from) = 0;
    /// Stores all that was handed over; see above. Cheap when nothing is pending.
    virtual void flush() = 0;
    /// Throws `RecordingError` when the log is no longer this writer's to write: its files were deleted or replaced, or
    /// another writer took it over. Every flush checks this too: for a writer that has nothing to flush.
    virtual void require_claim() = 0;
    /// Returns whether events are deleted by the times at which they were appended: then `NewEvent::time` is needed.
    [[nodiscard]] virtual bool needs_times() const noexcept = 0;

    // -- reading

    [[nodiscard]] virtual Sequence first_sequence() const = 0;  ///< of the oldest event kept; 0: none
    [[nodiscard]] virtual Sequence last_sequence() const = 0;   ///< of the newest event, flushed or not; 0: none
    /// Calls `each` for the events from `first` on, or from the oldest kept if that is later, in order, until it
    /// returns false. Where a writer deletes the next event meanwhile, throws `RecordingError`, or goes on with the
    /// oldest kept if they may be `passed_over`.
    virtual void for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each,
                                Deleted deleted = Deleted::refused) const = 0;
    /// Returns the sequence of the event with this mark, if it was taken and is still kept. One of a producer that was
    /// forgotten since may not be found.
    [[nodiscard]] virtual std::optional<Sequence> find_event(const std::string& producer,
                                                             const ProducerMark& mark) const = 0;
    /// Returns the hash over all events up to the newest one, flushed or not (`running_hash.hpp`). A hash kept for an
    /// event shows later whether a log still holds the same events up to that one. Empty where it is not known.
    [[nodiscard]] virtual std::optional<std::uint64_t> running_hash() const = 0;
    /// Returns the running hashes of the newest events that existed when this was opened, and moves them out: the next
    /// call returns none.
    [[nodiscard]] virtual RecentHashes take_recent_hashes() = 0;
    /// Returns the builds that made update digests, in order.
    [[nodiscard]] virtual std::vector<Build> builds() const = 0;
    /// Returns times at which events were appended, about one a minute or more, in order.
    [[nodiscard]] virtual std::vector<AppendTime> times() const = 0;
    /// Returns the room taken after the last flush; of a log that is open for reading, only `kept_bytes`, when it was
    /// opened.
    [[nodiscard]] virtual Storage storage() const noexcept = 0;
};

}  // namespace fairstream::log
