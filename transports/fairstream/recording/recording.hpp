#pragma once
/// The recording: one SQLite file that holds a stream's configuration, its events in order, checkpoints of the engine's
/// state, and the messages that were refused. A recovery is the newest valid checkpoint plus the events after it.
///
/// Promises: what was written before `commit` returned survives a kill at any moment and (synchronous=FULL) a power
/// cut; what came after the last `commit` is gone as a whole; a damaged file is refused when it is opened, never cut
/// short. One writer, one thread. Any number of readers may open the file beside it.
///
/// While it is written, and after a kill, SQLite's log '<file>-wal' belongs to the file: its newest commits are in
/// there alone, and the file is refused without it. A writer that is closed leaves the one file. What cannot be told
/// from a crash, and so is not refused: damage inside the last transaction of the log of a killed writer, and that log
/// cut off behind an earlier transaction; `events_of_unclosed_log` bounds what that can be, and whoever kept a
/// `running_hash` sees it. A log that is deleted is noticed, unless a reader kept it from being moved into the file
/// since the file was opened for writing.
///
/// A process that has a recording open must not open and close its file in another way (to copy it, say): on POSIX
/// systems that drops the locks of SQLite. Nor may another program checkpoint it meanwhile (`PRAGMA wal_checkpoint`, or
/// VACUUM): SQLite 3.7.0 to 3.51.2, so Debian 12's 3.40.1 too, can corrupt a database where two connections write or
/// checkpoint at once just as the log begins anew.

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/run_beside.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/recording/recent_hashes.hpp>

namespace fairstream::recording {

using Bytes = std::span<const std::byte>;
using RecordingId = std::array<std::byte, 16>;

/// The file cannot be used, or a write failed: `what()` says which file and why. After a failed write every later one
/// fails too, and the process must stop: only a recovery decides what is on disk.
class RecordingError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Where a producer stands: the highest number taken or refused for its content in its newest epoch.
struct ProducerMark {
    std::uint64_t epoch = 0;
    std::uint64_t producer_sequence = 0;
    auto operator<=>(const ProducerMark&) const = default;
};

/// Producers with such an epoch or a higher one are never forgotten: there would be none left above it for others. As
/// microseconds since 1970 it lies 146,000 years ahead.
inline constexpr std::uint64_t lasting_epoch = std::uint64_t{1} << 62;

/// A producer that was not forgotten.
struct KnownProducer {
    ProducerMark mark;
    Sequence last_sequence = 0;  ///< of its newest event; 0: none, only refusals
    [[nodiscard]] bool lasts() const noexcept { return mark.epoch >= lasting_epoch; }
    bool operator==(const KnownProducer&) const = default;
};

/// How far producers were forgotten.
struct Expiry {
    Sequence through = 0;     ///< those without an event after this one; 0: none was
    std::uint64_t epoch = 0;  ///< the highest epoch among all that were
    /// Whether a producer with this newest event was.
    [[nodiscard]] bool covers(Sequence last_sequence) const noexcept { return through > 0 && last_sequence <= through; }
    bool operator==(const Expiry&) const = default;
};

/// An event as it came, and what the engine decided with it.
struct RecordedEvent {
    Sequence sequence = 0;
    std::string producer;
    ProducerMark mark;
    std::vector<std::byte> message;    ///< an IngestRequest
    std::vector<std::byte> decisions;  ///< opaque; empty for most events
};

/// What of a refusal a recording keeps.
enum class Keep : std::uint8_t {
    all,
    message,  ///< of a producer that is not known: the refusal among the newest ones, but nothing of the producer; the
              ///< number is not used up
    number,   ///< of one that became known since: what its number was refused with, and the number is used up
};

struct Refusal {
    std::string producer;  ///< empty when the message could not be read that far
    ProducerMark mark;     ///< zeros then
    Reason reason = Reason::malformed;
    std::string text;                ///< the first 4,096 bytes of it are kept
    std::vector<std::byte> message;  ///< the first `Settings::refused_bytes` of it
    Keep keep = Keep::all;
    std::uint64_t order = 0;  ///< of `Keep::number` alone: as which one of all refusals it was kept before, from 1
};

/// How far a topic is.
struct TopicMark {
    std::uint64_t number = 0;        ///< of its newest publication
    std::uint64_t running_hash = 0;  ///< after the event that caused it; 0: not known
    bool operator==(const TopicMark&) const = default;
};

/// What makes a recovery possible besides the events after it.
struct Checkpoint {
    Sequence sequence = 0;
    std::vector<std::byte> state;             ///< Engine::save
    std::map<std::string, TopicMark> topics;  ///< each topic by its name
    /// `Recording::running_hash` after its event, where there is one. Found out by the recording when it is written.
    std::optional<std::uint64_t> running_hash = {};
};

struct Settings {
    /// Newest refusals kept with their text and message. What the newest 4,096 of each producer were refused with is
    /// kept in any case.
    std::size_t refused_rows = 1000;
    std::size_t refused_bytes = 64 << 10;  ///< of each refused message kept
    /// Events kept before the older of the two kept checkpoints; 0: all. Older ones are deleted, a few with each
    /// commit.
    Sequence keep_events = 0;
    /// Length of the log from which on it is moved into the file, to begin anew.
    std::size_t log_bytes = std::size_t{64} << 20;
    /// Gets the moves of the log, which by default are made on a thread of the recording's own.
    RunBeside run_beside = {};
    /// How long a lock that another program holds on the file is waited for before that is an error.
    std::chrono::milliseconds lock_wait = std::chrono::minutes(1);
};

/// The running hash after an event, from the one before it: that of a recording that holds these events. 0 where the
/// one before is not known; the first event has 0 before it.
[[nodiscard]] std::uint64_t running_hash_after(std::uint64_t before, Sequence sequence, std::string_view producer,
                                               const ProducerMark& mark, Bytes message, Bytes decisions) noexcept;
[[nodiscard]] std::uint64_t running_hash_after(std::uint64_t before, const RecordedEvent& event) noexcept;

class Files;

class Recording {
public:
    /// Makes a new file, complete or not at all. Throws `RecordingError` when there is one that is not empty. `config`
    /// is the canonical configuration text.
    static Recording create(const std::filesystem::path& path, const std::string& config,
                            const Settings& settings = {});
    /// Opens for appending. Verifies the whole file first and throws `RecordingError` with what is wrong and where, or
    /// when another writer has it. Drops a checkpoint that was never finished.
    static Recording open(const std::filesystem::path& path, const Settings& settings = {});
    /// Opens for reading only; the same verification. Writes nothing to the file or its log. Sees what is committed
    /// later. In a directory that may not be written to, the file must not get a writer meanwhile, unless it has one
    /// already, and the log of a killed writer can be read only while its index '<file>-shm' is there.
    static Recording open_read_only(const std::filesystem::path& path);
    // The same on other files than this machine's, which outlive the recording.
    static Recording create(const std::filesystem::path& path, const std::string& config, const Settings& settings,
                            Files& files);
    static Recording open(const std::filesystem::path& path, const Settings& settings, Files& files);
    static Recording open_read_only(const std::filesystem::path& path, Files& files);
    ~Recording();
    Recording(Recording&&) noexcept;
    Recording& operator=(Recording&&) noexcept;

    [[nodiscard]] const RecordingId& id() const noexcept;
    [[nodiscard]] const std::string& config() const noexcept;
    [[nodiscard]] const Settings& settings() const noexcept;      ///< that it was opened with
    [[nodiscard]] const std::string& cpu_level() const noexcept;  ///< of the machine that created it
    [[nodiscard]] Sequence first_sequence() const;                ///< of the oldest event kept; 0: none
    [[nodiscard]] Sequence last_sequence() const;                 ///< of the newest event, committed or not; 0: none
    /// Hash over all events up to the newest one, committed or not: their numbers, producers, marks, messages and
    /// decisions. Who kept it for an event finds out whether a recording still holds the same events up to that one.
    /// Nothing where the recording lacks its first events and was made before running hashes were kept.
    [[nodiscard]] std::optional<std::uint64_t> running_hash() const;
    /// The running hashes of the newest of the events that there were when this was opened. Gives them away: the next
    /// call returns none.
    [[nodiscard]] RecentHashes take_recent_hashes();
    /// Events that were only in the log when this was opened, because the last writer did not close the recording. The
    /// end of such a log can have been cut off without a trace. 0 where it was closed, or beside a writer at work;
    /// nothing where the log of a recording of an older version does not tell.
    [[nodiscard]] std::optional<std::uint64_t> events_of_unclosed_log() const noexcept;

    // -- writing: everything between two commits is one transaction. Calls that break a rule throw `InvalidInput` and
    // change nothing; whatever else goes wrong is a `RecordingError`

    /// `sequence` must be `last_sequence() + 1`, and `mark` come after every one of this producer so far.
    void append(Sequence sequence, const std::string& producer, const ProducerMark& mark, Bytes message);
    /// To the event appended last, before the next commit.
    void attach_decisions(Sequence sequence, Bytes decisions);
    /// Uses the number up, which then must come after every one of this producer so far, unless the reason is the
    /// message's place in the order (`sequence_gap`, `stale_epoch`), or its number or producer could not be read.
    void refuse(const Refusal& refusal);
    /// Forgets the producers without an event after `through`, which is below the newest event: what their numbers were
    /// refused with, and their marks; a later life of theirs begins anew, and must have an epoch above `Expiry::epoch`.
    void expire(Sequence through);
    /// Returns when everything so far is on disk. Cheap when nothing is pending.
    void commit();
    /// Starts to write a checkpoint, of an event up to the last and not before the newest checkpoint's; its rows go out
    /// with the next commits, about 1 MiB with each, so that none waits long. It counts from the commit that wrote its
    /// last row. Two are kept. A second call replaces one still being written.
    void begin_checkpoint(Checkpoint checkpoint);
    [[nodiscard]] bool checkpoint_pending() const noexcept;
    /// Commits until the pending checkpoint, if any, is valid.
    void finish_checkpoint();
    /// Throws `RecordingError` when the files were deleted, moved or replaced since they were opened, as every commit
    /// does: what is written then would be lost. For a writer that has nothing to commit.
    void require_in_place();

    /// Of the log, as the last commit left it; a reader that holds an old state keeps it growing.
    [[nodiscard]] std::uint64_t log_bytes() const noexcept;
    /// From now on calls `warn`, with the log's length, when a reader has kept the log from beginning anew until it was
    /// `long_log` times as long as it should be, and again when that happens after it began anew. It is called within a
    /// commit, and must not call the recording.
    void on_long_log(std::function<void(std::uint64_t bytes)> warn);
    static constexpr int long_log = 4;

    // -- reading

    [[nodiscard]] std::optional<Checkpoint> newest_checkpoint() const;
    /// Every producer that is known, from the committed events and refusals.
    [[nodiscard]] std::map<std::string, KnownProducer> producers() const;
    /// Their marks.
    [[nodiscard]] std::map<std::string, ProducerMark> producer_marks() const;
    [[nodiscard]] Expiry expiry() const;
    /// The refusal of exactly this message, without the message, if it used its number up and is still known.
    [[nodiscard]] std::optional<Refusal> find_refusal(const std::string& producer, const ProducerMark& mark) const;
    /// Sequence of exactly this message, if it was taken and is still kept.
    [[nodiscard]] std::optional<Sequence> find_event(const std::string& producer, const ProducerMark& mark) const;
    [[nodiscard]] std::uint64_t refused_count() const;    ///< since the recording began
    [[nodiscard]] std::vector<Refusal> refusals() const;  ///< those kept, oldest first
    /// Calls `each` for the events from `first` on, in order, until it returns false. Begins with the oldest when that
    /// is later; throws `RecordingError` when a writer deletes the next one meanwhile.
    void for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each) const;

private:
    struct Impl;
    explicit Recording(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::recording
