#pragma once
/// Moves the log of a recording into its file while the writer goes on.
///
/// Moving 64 MiB takes as long as writing many commits. SQLite lets another connection of the same process do it beside
/// the writer; what the writer appends meanwhile stays in the log, so that the writer itself has little left to move
/// before the log can begin anew.

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include <fairstream/recording/database.hpp>

namespace fairstream::recording {

class LogFolder {
public:
    /// The database must be open for writing, and closed after this.
    explicit LogFolder(const Database& database) : file_(database.file()) {}
    /// Waits for the fold in progress.
    ~LogFolder();
    LogFolder(const LogFolder&) = delete;
    LogFolder& operator=(const LogFolder&) = delete;

    /// Begins a fold. None may have begun that was not finished.
    void begin();
    [[nodiscard]] bool begun() const noexcept { return begun_; }
    /// Whether `finish` would return at once.
    [[nodiscard]] bool done() const;
    /// Waits for the fold. Throws the `RecordingError` it failed with.
    void finish();

private:
    void work();

    std::filesystem::path file_;
    bool begun_ = false;

    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    bool wanted_ = false;
    bool ending_ = false;
    std::exception_ptr error_;

    std::thread thread_;  // from the first `begin` on; owns the connection
};

}  // namespace fairstream::recording
