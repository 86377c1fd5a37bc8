#pragma once
/// Moves the log of a recording into its file in the background of the writer.
///
/// Moving 64 MiB takes as long as writing many commits. SQLite lets another connection of the same process do it beside
/// the writer; what the writer appends meanwhile stays in the log, so that the writer itself has little left to move
/// before the log can begin anew.

#include <fairstream/log/job_thread.hpp>
#include <fairstream/log/sqlite/detail/database.hpp>

namespace fairstream::log::sqlite {

class LogFolder {
public:
    /// Opens the files and starts the thread that a fold needs at once: later, clients of the process may have used up
    /// its file descriptors, and a log that is never moved fills the disk. `database` must be open for writing and
    /// outlive this; the destructor waits for the fold in progress.
    LogFolder(const Database& database, RunBeside run_beside)
        : database_(database.file(), Access::write, database.files()), thread_(std::move(run_beside)) {
        (void)database_.number("SELECT count(*) FROM sqlite_schema");  // opens the log too
        database_.execute("PRAGMA synchronous = FULL");
        thread_.start();
    }

    /// Starts a fold; the one before must have been finished by `finish`.
    void begin() {
        thread_.begin([this] { database_.fold(); });
    }
    [[nodiscard]] bool begun() const noexcept { return thread_.begun(); }
    /// Returns whether `finish` would return at once.
    [[nodiscard]] bool done() const { return thread_.done(); }
    /// Waits for the fold; rethrows its `RecordingError`.
    void finish() { thread_.finish(); }

private:
    Database database_;  // the thread's while it folds
    JobThread thread_;   // ends before the connection goes
};

}  // namespace fairstream::log::sqlite
