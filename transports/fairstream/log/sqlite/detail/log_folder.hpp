#pragma once
/// Moves SQLite's write-ahead log (-wal) of a recording into the recording's file, while the writer goes on.
///
/// Moving 64 MiB takes as long as writing many commits. SQLite allows another connection of the same process to move
/// the log while the writer works. What the writer appends meanwhile stays in the log, so that the writer has little
/// left to move before the log can begin anew.

#include <fairstream/log/job_thread.hpp>
#include <fairstream/log/sqlite/detail/database.hpp>

namespace fairstream::log::sqlite {

class LogFolder {
public:
    /// Opens the files and starts the thread at once: later, clients may have used up the process's file descriptors,
    /// and a log that is never moved fills the disk. `database` must be open for writing and outlive this object; the
    /// destructor waits for a fold in progress.
    LogFolder(const Database& database, RunInBackground run_in_background)
        : database_(database.file(), Access::write, database.files()), thread_(std::move(run_in_background)) {
        (void)database_.number("SELECT count(*) FROM sqlite_schema");  // also opens the log
        database_.execute("PRAGMA synchronous = FULL");
        thread_.start();
    }

    /// Starts a fold. A previous fold must have been finished by `finish`.
    void begin() {
        thread_.begin([this] { database_.fold(); });
    }
    [[nodiscard]] bool begun() const noexcept { return thread_.begun(); }
    /// Returns whether `finish` would return at once.
    [[nodiscard]] bool done() const { return thread_.done(); }
    /// Waits for the fold; rethrows its `RecordingError`.
    void finish() { thread_.finish(); }

private:
    Database database_;  // used by the thread while it folds
    JobThread thread_;   // ends before the connection
};

}  // namespace fairstream::log::sqlite
