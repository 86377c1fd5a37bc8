#pragma once
/// Moves the log of a recording into its file while the writer goes on.
///
/// Moving 64 MiB takes as long as writing many commits. SQLite lets another connection of the same process do it beside
/// the writer; what the writer appends meanwhile stays in the log, so that the writer itself has little left to move
/// before the log can begin anew.

#include <optional>

#include <fairstream/recording/database.hpp>
#include <fairstream/recording/job_thread.hpp>

namespace fairstream::recording {

class LogFolder {
public:
    /// The database must be open for writing, and closed after this, which waits for the fold in progress.
    LogFolder(const Database& database, RunBeside run_beside)
        : file_(database.file()), files_(database.files()), thread_(std::move(run_beside)) {}

    /// Begins a fold. None may have begun that was not finished.
    void begin() {
        thread_.begin([this] {
            if (!database_) {
                database_.emplace(file_, Access::write, files_);
                database_->execute("PRAGMA synchronous = FULL");
            }
            database_->fold();
        });
    }
    [[nodiscard]] bool begun() const noexcept { return thread_.begun(); }
    /// Whether `finish` would return at once.
    [[nodiscard]] bool done() const { return thread_.done(); }
    /// Waits for the fold. Throws the `RecordingError` it failed with.
    void finish() { thread_.finish(); }

private:
    std::filesystem::path file_;
    Files& files_;
    std::optional<Database> database_;  // the thread's, from the first fold on
    JobThread thread_;                  // ends before the connection goes
};

}  // namespace fairstream::recording
