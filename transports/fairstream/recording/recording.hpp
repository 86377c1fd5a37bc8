#pragma once
/// The recording: one SQLite file that holds a stream's configuration, its events in order, checkpoints of the engine's
/// state, and the messages that were refused. A recovery is the newest valid checkpoint plus the events after it.
///
/// Promises: what was written before `commit` returned survives a kill at any moment and (synchronous=FULL) a power
/// cut; what came after the last `commit` is gone as a whole; a damaged file is refused when it is opened, never cut
/// short. One writer, one thread. Any number of readers may open the file beside it.
///
/// While it is written, and after a kill, SQLite's log '<file>-wal' belongs to the file: its newest commits are in
/// there alone, and the file is refused without it. A writer that is closed leaves the one file. Damage that looks like
/// a crash is not refused: inside the last transaction of a killed writer's log (`had_unreadable_end`), or that log cut
/// off after an earlier transaction; `events_of_unclosed_log` bounds the loss, and a `running_hash` kept elsewhere
/// reveals it. A log that is
/// deleted is noticed, unless a reader kept it from being moved into the file since the file was opened for writing.
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
#include <fairstream/core/events.hpp>
#include <fairstream/recording/recent_hashes.hpp>

namespace fairstream::recording {

using Bytes = std::span<const std::byte>;
using RecordingId = std::array<std::byte, 16>;

/// The file cannot be used, or a write failed: `what()` names the file and the cause. After a failed write every later
/// one fails too, and the process must stop: only a recovery finds out what is on disk.
class RecordingError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The file is empty or something else, and no recording that was damaged.
class NotARecording : public RecordingError {
public:
    using RecordingError::RecordingError;
};

/// A producer's position: its newest epoch, and the highest number in it that was taken or refused for its content.
struct ProducerMark {
    std::uint64_t epoch = 0;
    std::uint64_t producer_sequence = 0;
    auto operator<=>(const ProducerMark&) const = default;
};

/// A producer that belongs to nobody and has this epoch or a higher one never expires: the floor would be one for all
/// clients, and leave them too few epochs above it. As microseconds since 1970 it lies 146,000 years ahead.
inline constexpr std::uint64_t lasting_epoch = std::uint64_t{1} << 62;

/// A producer that has not expired.
struct KnownProducer {
    ProducerMark mark;
    Sequence last_sequence = 0;  ///< its newest event; 0: none, only refusals
    std::string owner = {};      ///< the client whose it is; empty: nobody's, as in recordings of older versions
    [[nodiscard]] bool lasts() const noexcept { return owner.empty() && mark.epoch >= lasting_epoch; }
    bool operator==(const KnownProducer&) const = default;
};

/// The epochs that new producers have to exceed, because producers were forgotten.
struct Expiry {
    /// Of recordings of older versions: producers without an event after this one were forgotten; 0: none were.
    Sequence through = 0;
    std::optional<std::uint64_t> epoch = {};            ///< the floor of all clients
    std::map<std::string, std::uint64_t> clients = {};  ///< the floors of single clients
    std::map<std::string, std::uint64_t> removed = {};  ///< the floors of single names, which were removed by request
    /// Returns whether a producer that is nobody's and has this newest event was forgotten.
    [[nodiscard]] bool covers(Sequence last_sequence) const noexcept { return through > 0 && last_sequence <= through; }
    bool operator==(const Expiry&) const = default;
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

/// Says that a recording was made from another one, without some of its points.
struct Erasure {
    RecordingId from{};        ///< the other one
    std::uint64_t points = 0;  ///< rows of points that were left out
    std::int64_t time = 0;     ///< microseconds since 1970
    bool operator==(const Erasure&) const = default;
};

/// The room that a recording takes.
struct Storage {
    Sequence first_sequence = 1;   ///< events before it were deleted
    std::uint64_t file_bytes = 0;  ///< of the file
    std::uint64_t log_bytes = 0;   ///< of its log
    std::uint64_t kept_bytes = 0;  ///< of the messages of the events that are kept
    /// Bytes of messages a day, over the last day, or as long as times are known, if that is an hour at least; empty:
    /// not known.
    std::optional<std::uint64_t> bytes_a_day = {};
    bool operator==(const Storage&) const = default;
};

/// The parts of a refusal that a recording keeps.
enum class Keep : std::uint8_t {
    all,
    message,  ///< for an unknown producer: the refusal among the newest ones, but nothing of the producer; the
              ///< number is not used up
    number,   ///< for a producer that became known since: its number's refusal; the number is used up
};

struct Refusal {
    std::string producer;  ///< empty when the message could not be read that far
    ProducerMark mark;     ///< zeros when the message could not be read that far
    Reason reason = Reason::malformed;
    std::string text;                ///< the first 4,096 bytes of it are kept
    std::vector<std::byte> message;  ///< the first `Settings::refused_bytes` of it are kept
    Keep keep = Keep::all;
    std::uint64_t order = 0;  ///< for `Keep::number` alone: its earlier number among all refusals, from 1
};

/// The position of a topic.
struct TopicMark {
    std::uint64_t number = 0;        ///< of its newest publication
    std::uint64_t running_hash = 0;  ///< after the event that caused it; 0: not known
    bool operator==(const TopicMark&) const = default;
};

/// A saved state of the engine and its topics: with the events after it, all that a recovery needs.
struct Checkpoint {
    Sequence sequence = 0;
    std::vector<std::byte> state;             ///< Engine::save
    std::map<std::string, TopicMark> topics;  ///< each topic by its name
    /// `Recording::running_hash` after its event, where it is known. Set by the recording when it writes the
    /// checkpoint.
    std::optional<std::uint64_t> running_hash = {};
};

struct Settings {
    /// Newest refusals kept with their text and message. Reason and text of each producer's newest 4,096 are kept in
    /// any case.
    std::size_t refused_rows = 1000;
    std::size_t refused_bytes = 64 << 10;  ///< kept of each refused message
    // Limits on the events that are kept. All after the older of the two kept checkpoints stay, and those before it
    // that each limit allows. The others are deleted, a few with each commit.
    Sequence keep_events = 0;      ///< events before that checkpoint; 0: all
    std::int64_t keep_for = 0;     ///< microseconds since an event was appended, exact to a minute; 0: for ever
    std::uint64_t keep_bytes = 0;  ///< bytes of the newest events' messages, exact to 4 MiB; 0: any number
    /// Length of the log from which on it is moved into the file, to begin anew.
    std::size_t log_bytes = std::size_t{64} << 20;
    /// Runs the jobs that move the log into the file; by default the recording's own thread does.
    RunBeside run_beside = {};
    /// Longest wait for a lock that another program holds on the file, before it is an error.
    std::chrono::milliseconds lock_wait = std::chrono::minutes(1);
    /// Called once in each such wait of a second, by the thread that opens, commits or closes; must not throw, nor call
    /// the recording.
    std::function<void()> on_lock_wait = {};
};

/// Returns `Recording::running_hash` after an event, from the one before it: 0 before the first event. Returns 0 where
/// the one before is not known.
[[nodiscard]] std::uint64_t running_hash_after(std::uint64_t before, Sequence sequence, std::string_view producer,
                                               const ProducerMark& mark, Bytes message, Bytes decisions) noexcept;
[[nodiscard]] std::uint64_t running_hash_after(std::uint64_t before, const RecordedEvent& event) noexcept;

/// What becomes of a reader's next event that a writer deletes.
enum class Deleted : std::uint8_t { refused, passed_over };

class Files;

class Recording {
public:
    /// Creates a new file, complete or not at all. Throws `RecordingError` when a non-empty file exists. `config` is
    /// the canonical configuration text.
    static Recording create(const std::filesystem::path& path, const std::string& config,
                            const Settings& settings = {});
    /// Opens for appending. Verifies the whole file first and throws `RecordingError` naming the error and its place,
    /// or when another writer has the file. Drops a checkpoint that was never finished.
    static Recording open(const std::filesystem::path& path, const Settings& settings = {});
    /// Opens for reading only, with the same verification; beside a writer only that of the rows, in slices between
    /// which the writer may begin its log anew. Writes nothing to the file or its log. Sees later commits.
    /// In a directory that may not be written to, the file must not get a writer meanwhile, unless it has one already,
    /// and the log of a killed writer can be read only while its index '<file>-shm' is there.
    static Recording open_read_only(const std::filesystem::path& path);
    // The same on another implementation of `Files`, which must outlive the recording.
    static Recording create(const std::filesystem::path& path, const std::string& config, const Settings& settings,
                            Files& files);
    static Recording open(const std::filesystem::path& path, const Settings& settings, Files& files);
    static Recording open_read_only(const std::filesystem::path& path, Files& files);
    ~Recording();
    Recording(Recording&&) noexcept;
    Recording& operator=(Recording&&) noexcept;

    [[nodiscard]] const RecordingId& id() const noexcept;
    [[nodiscard]] const std::filesystem::path& file() const noexcept;  ///< its canonical path
    [[nodiscard]] const std::string& config() const noexcept;
    [[nodiscard]] const Settings& settings() const noexcept;      ///< the settings it was opened with
    [[nodiscard]] const std::string& cpu_level() const noexcept;  ///< of the machine that created it
    [[nodiscard]] Sequence first_sequence() const;                ///< of the oldest event kept; 0: none
    [[nodiscard]] Sequence last_sequence() const;                 ///< of the newest event, committed or not; 0: none
    /// Returns the hash over all events up to the newest one, committed or not: their numbers, producers, marks,
    /// messages and decisions. A hash kept for an event shows later whether a recording still holds the same events up
    /// to that one. Empty where the recording lacks its first events and was made before running hashes were kept.
    [[nodiscard]] std::optional<std::uint64_t> running_hash() const;
    /// Returns the running hashes of the newest events that existed when this was opened, and moves them out: the next
    /// call returns none.
    [[nodiscard]] RecentHashes take_recent_hashes();
    /// Returns the number of events that were only in the log when this was opened, because the last writer did not
    /// close the recording. The end of such a log can have been cut off without a trace. 0 where it was closed, or
    /// beside a writer at work; empty where an older version's recording does not tell.
    [[nodiscard]] std::optional<std::uint64_t> events_of_unclosed_log() const noexcept;
    /// Returns whether a writer was at work when this was opened for reading.
    [[nodiscard]] bool had_writer() const noexcept;
    /// Returns whether the log ended with a write that could not be read when this was opened: one that was cut short,
    /// or damage; then acked events may be missing.
    [[nodiscard]] bool had_unreadable_end() const noexcept;

    // -- writing: all calls between two commits are one transaction. Calls that break a rule throw `InvalidInput` and
    // change nothing; any other failure is a `RecordingError`

    /// Appends an event. `sequence` must be `last_sequence() + 1`, and `mark` above every earlier one of this producer,
    /// which from now on is the client's that `owner` names; an empty `owner` leaves that as it is. `time` is that of
    /// the writer's clock, in microseconds since 1970; 0: not known, so that `keep_for` does not delete the event.
    void append(Sequence sequence, const std::string& producer, const ProducerMark& mark, Bytes message,
                std::string_view owner = {}, std::int64_t time = 0);
    /// Attaches decisions to the event appended last, before the next commit.
    void attach_decisions(Sequence sequence, Bytes decisions);
    /// Attaches the digest of its update to the event appended last, before the next commit, once.
    void attach_update_digest(Sequence sequence, std::uint64_t digest);
    /// Records that a recovery by this build came to other updates than were published, from this event on.
    void mark_recovery(Sequence differs_from);
    /// Records a refusal. It uses the number up, which then must be above every earlier one of this producer, unless
    /// the message was out of order (`sequence_gap`, `stale_epoch`), or its number or producer could not be read.
    void refuse(const Refusal& refusal);
    /// Forgets the marks and refusals of producers, and raises floors, as an event that was appended says. A later life
    /// of such a producer starts anew, and must have an epoch above the floors of `expiry()` that apply to it. Names
    /// that are not known are passed over.
    void expire(const ProducerExpiry& expiry);
    /// Commits; returns when everything so far is on disk. Cheap when nothing is pending.
    void commit();
    /// Starts to write a checkpoint after an event that exists and is not before the newest checkpoint's. Each of the
    /// next commits writes about 1 MiB of it, so that none takes long. It is valid from the commit that wrote its last
    /// row. Two are kept. A second call replaces a checkpoint still being written.
    void begin_checkpoint(Checkpoint checkpoint);
    [[nodiscard]] bool checkpoint_pending() const noexcept;
    /// Commits until the pending checkpoint, if any, is valid.
    void finish_checkpoint();
    /// Begins a recording without events after this checkpoint: its first event is the next one. The checkpoint is
    /// valid once it is finished.
    void begin_after(Checkpoint checkpoint);
    /// Ends the making of this recording from another one, whose events from this one's first on were appended: takes
    /// over its producers and floors, and its refusals as `edit` leaves their texts and messages, and records the
    /// erasure.
    void take_over(const Recording& from, const std::function<void(Refusal&)>& edit, const Erasure& erasure);
    /// Throws `RecordingError` when the files were deleted, moved or replaced since they were opened, because later
    /// writes would be lost. Every commit checks this too: for a writer that has nothing to commit.
    void require_in_place();

    /// Returns the length of the log after the last commit; a reader that holds an old state keeps it growing.
    [[nodiscard]] std::uint64_t log_bytes() const noexcept;
    /// Sets `warn`, called with the log's length in bytes once the log is `long_log` times as long as it should be,
    /// because a reader keeps it from beginning anew; at most once until it begins anew. Called within a commit; must
    /// not call the recording.
    void on_long_log(std::function<void(std::uint64_t bytes)> warn);
    static constexpr int long_log = 3;

    // -- reading

    [[nodiscard]] std::optional<Checkpoint> newest_checkpoint() const;
    /// Returns the older of the two kept checkpoints, or the only one. No event after it was deleted.
    [[nodiscard]] std::optional<Checkpoint> oldest_checkpoint() const;
    /// Returns the builds that made update digests, in order.
    [[nodiscard]] std::vector<Build> builds() const;
    /// Returns times at which events were appended, about one a minute, in order.
    [[nodiscard]] std::vector<AppendTime> times() const;
    /// Returns the erasures by which this recording was made, the newest last.
    [[nodiscard]] std::vector<Erasure> erasures() const;
    /// Returns the room taken after the last commit; of a recording that is open for reading, only `kept_bytes`, when
    /// it was opened.
    [[nodiscard]] Storage storage() const noexcept;
    /// Returns the producers that have not expired, from the committed events and refusals.
    [[nodiscard]] std::map<std::string, KnownProducer> producers() const;
    /// Returns the marks of `producers()`.
    [[nodiscard]] std::map<std::string, ProducerMark> producer_marks() const;
    [[nodiscard]] Expiry expiry() const;
    /// Returns the refusal of the message with this mark, without the message, if it used its number up and is still
    /// kept.
    [[nodiscard]] std::optional<Refusal> find_refusal(const std::string& producer, const ProducerMark& mark) const;
    /// Returns the sequence of the event with this mark, if it was taken and is still kept.
    [[nodiscard]] std::optional<Sequence> find_event(const std::string& producer, const ProducerMark& mark) const;
    [[nodiscard]] std::uint64_t refused_count() const;    ///< since the recording began
    [[nodiscard]] std::vector<Refusal> refusals() const;  ///< the kept ones, oldest first
    /// Calls `each` for the events from `first` on, or from the oldest kept if that is later, in order, until it
    /// returns false. A writer's log may begin anew between two calls. Where a writer deletes the next event meanwhile,
    /// throws `RecordingError`, or goes on with the oldest kept if they may be `passed_over`.
    void for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each,
                        Deleted deleted = Deleted::refused) const;

private:
    struct Impl;
    explicit Recording(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::recording
