#pragma once
/// The recording: one SQLite file that holds a stream's configuration, its events in order, checkpoints of the engine's
/// state, and refused messages. A recovery is the newest valid checkpoint plus the events after it.
///
/// Promises: what was written before `flush` returned survives a kill at any moment and (synchronous=FULL) a power cut;
/// what came after the last `flush` is lost as a whole; a damaged file is refused when it is opened, never cut short.
/// One writer, one thread. Any number of readers may open the file at the same time.
///
/// While the file is written, and after a kill, SQLite's log '<file>-wal' belongs to it: the log alone holds the newest
/// commits, and the file is refused without it. A closed writer leaves only the one file. Two kinds of damage look like
/// a crash and are not refused: damage inside the last transaction of a killed writer's log (`UncleanEnd::unreadable`),
/// and a log that is cut off after an earlier transaction. `UncleanEnd::events` bounds the loss, and a `running_hash`
/// kept elsewhere reveals it. A deleted log is noticed, unless a reader has kept it from being moved into the file ever
/// since the file was opened for writing.
///
/// A process that has a recording open must not open and close its file in another way, for example to copy it: on
/// POSIX systems that drops SQLite's locks. No other program may checkpoint the file meanwhile (`PRAGMA
/// wal_checkpoint`, or VACUUM): SQLite 3.7.0 to 3.51.2, including Debian 12's 3.40.1, can corrupt a database when two
/// connections write or checkpoint at once just as the log begins anew.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/base/run_in_background.hpp>
#include <fairstream/log/log.hpp>

namespace fairstream::log::sqlite {

/// `warn` is called once for each wait of more than a second for another program's lock on the file, and when the log
/// is `Recording::long_log` times `log_bytes` long because a reader keeps it from beginning anew, at most once until it
/// does.
struct Settings : log::Settings {
    /// Length of the log at which it is moved into the file, to begin anew.
    std::size_t log_bytes = std::size_t{64} << 20;
    /// Runs the jobs that move the log into the file; empty: a thread of the recording.
    RunInBackground run_in_background = {};
    /// Longest wait for another program's lock on the file; then an error follows.
    std::chrono::milliseconds lock_wait = std::chrono::minutes(1);
};

class Files;

class Recording final : public Log {
public:
    /// Creates a new file, complete or not at all. Throws `RecordingError` when a non-empty file exists. `config` is
    /// the canonical configuration text.
    static Recording create(const std::filesystem::path& path, const std::string& config,
                            const Settings& settings = {});
    /// Opens for appending. First verifies the whole file. Throws `RecordingError` naming the error and its place, also
    /// when another writer has the file. Drops an unfinished checkpoint.
    static Recording open(const std::filesystem::path& path, const Settings& settings = {});
    /// Opens for reading only, with the same verification. If a writer is at work, only rows are verified, in slices
    /// between which the writer may begin its log anew. Writes nothing to the file or its log. Sees later flushes. In a
    /// directory without write permission, no writer may open the file meanwhile, unless it already has one; and the
    /// log of a killed writer can be read only while its index '<file>-shm' exists.
    static Recording open_read_only(const std::filesystem::path& path);
    // The same functions with another implementation of `Files`, which must outlive the recording.
    static Recording create(const std::filesystem::path& path, const std::string& config, const Settings& settings,
                            Files& files);
    static Recording open(const std::filesystem::path& path, const Settings& settings, Files& files);
    static Recording open_read_only(const std::filesystem::path& path, Files& files);
    ~Recording() override;
    Recording(Recording&&) noexcept;
    Recording& operator=(Recording&&) noexcept;

    [[nodiscard]] const std::filesystem::path& file() const noexcept;  ///< canonical path
    /// Returns the length of the log in bytes after the last flush. A reader that holds an old state keeps the log
    /// growing.
    [[nodiscard]] std::uint64_t log_bytes() const noexcept;
    static constexpr int long_log = 3;
    /// Returns the marks of `producers()`.
    [[nodiscard]] std::map<std::string, ProducerMark> producer_marks() const;

    // See `EventLog`. All calls between two flushes are one transaction.

    [[nodiscard]] const RecordingId& id() const noexcept override;
    [[nodiscard]] std::string name() const override { return file().string(); }
    [[nodiscard]] const std::string& config() const noexcept override;
    [[nodiscard]] const std::string& cpu_level() const noexcept override;
    [[nodiscard]] UncleanEnd unclean_end() const noexcept override;
    [[nodiscard]] bool had_writer() const noexcept override;
    void append(const NewEvent& event) override;
    void mark_recovery(Sequence differs_from) override;
    void flush() override;
    void require_claim() override;
    [[nodiscard]] bool needs_times() const noexcept override;
    [[nodiscard]] Sequence first_sequence() const override;
    [[nodiscard]] Sequence last_sequence() const override;
    /// A writer's log may begin anew between two calls of `each`.
    void for_each_event(Sequence first, const std::function<bool(const RecordedEvent&)>& each,
                        OnDeletion on_deletion = OnDeletion::fail) const override;
    [[nodiscard]] std::optional<Sequence> find_event(const std::string& producer,
                                                     const ProducerMark& mark) const override;
    /// Returns nothing if the recording lacks its first events and was made before running hashes were kept.
    [[nodiscard]] std::optional<std::uint64_t> running_hash() const override;
    [[nodiscard]] RecentHashes take_recent_hashes() override;
    [[nodiscard]] std::vector<Build> builds() const override;
    [[nodiscard]] std::vector<AppendTime> times() const override;
    [[nodiscard]] Storage storage() const noexcept override;

    // See `CheckpointStore`. A part is about 1 MiB.

    void begin_checkpoint(Checkpoint checkpoint) override;
    [[nodiscard]] bool checkpoint_pending() const noexcept override;
    void finish_checkpoint() override;
    [[nodiscard]] std::optional<Checkpoint> newest_checkpoint() const override;
    [[nodiscard]] std::optional<Checkpoint> oldest_checkpoint() const override;

    // See `ProducerPositions` and `RefusalSink`.

    [[nodiscard]] std::map<std::string, KnownProducer> producers() const override;
    [[nodiscard]] Expiry expiry() const override;
    void refuse(const Refusal& refusal) override;
    [[nodiscard]] std::optional<Refusal> find_refusal(const std::string& producer,
                                                      const ProducerMark& mark) const override;
    [[nodiscard]] std::uint64_t refused_count() const override;
    [[nodiscard]] std::vector<Refusal> refusals() const override;
    [[nodiscard]] std::size_t refused_bytes() const noexcept override;

    // See `Log`.

    void begin_after(Checkpoint checkpoint) override;
    void complete_copy(const Log& from, const std::function<void(Refusal&)>& edit, const Erasure& erasure) override;
    [[nodiscard]] std::vector<Erasure> erasures() const override;

private:
    struct Impl;
    explicit Recording(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::log::sqlite
