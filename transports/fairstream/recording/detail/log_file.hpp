#pragma once
/// The write-ahead log beside a recording's file, and the locks that keep a second writer out.
///
/// The locks lie on the log because closing any other handle of the database file itself would drop SQLite's locks on
/// it. They belong to this open file, so they go with a killed process. Byte 0 is the writer's for as long as it lives;
/// byte 1 is held while the log is looked through: by readers together, or by a writer alone.

#include <filesystem>
#include <memory>
#include <optional>

#include <fairstream/recording/detail/files.hpp>
#include <fairstream/recording/detail/log_scan.hpp>

namespace fairstream::recording {

class LogFile {
public:
    enum class For : std::uint8_t { reading, writing };

    LogFile() = default;
    /// Opens the log of the recording `file`; it stays closed when there is none. Throws `RecordingError`, also when it
    /// is for writing and another writer has it.
    LogFile(const std::filesystem::path& file, For use, Files& files);

    /// What the log holds; nothing when a writer is at work, which has looked through it itself. Throws
    /// `RecordingError` when it is damaged. A writer also cuts off what a crash left unfinished, so that it never lies
    /// behind newer transactions.
    std::optional<LogScan> check();
    /// For writing only: the log as it is open.
    [[nodiscard]] const OpenFile& open_file() const noexcept { return *log_; }

private:
    std::filesystem::path file_;
    For use_ = For::reading;
    std::unique_ptr<OpenFile> log_;
};

}  // namespace fairstream::recording
