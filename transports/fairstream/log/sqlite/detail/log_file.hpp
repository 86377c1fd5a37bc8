#pragma once
/// The write-ahead log beside a recording's file, and the locks that keep a second writer out.
///
/// The locks lie on the log, because closing another handle of the database file itself would drop SQLite's locks on
/// it. The locks on the log belong to this open file, so they end with a killed process. The writer locks byte 0 for
/// its lifetime. Byte 1 is locked while the log is scanned: shared by readers, exclusively by a writer.

#include <filesystem>
#include <memory>
#include <optional>

#include <fairstream/log/sqlite/detail/files.hpp>
#include <fairstream/log/sqlite/detail/log_scan.hpp>

namespace fairstream::log::sqlite {

class LogFile {
public:
    enum class Use : std::uint8_t { reading, writing };

    LogFile() = default;
    /// Opens the log of the recording `file`; stays closed when there is none. Throws `RecordingError`, also when `use`
    /// is writing and another writer has the log.
    LogFile(const std::filesystem::path& file, Use use, Files& files);

    /// Scans the log and returns its contents; nothing while a writer is at work, which has scanned the log itself.
    /// Throws `RecordingError` when the log is damaged. For writing, also truncates a transaction that a crash left
    /// unfinished, so that newer ones never follow it.
    std::optional<LogScan> check();
    /// Returns the open log; for writing only.
    [[nodiscard]] const OpenFile& open_file() const noexcept { return *log_; }

private:
    std::filesystem::path file_;
    Use use_ = Use::reading;
    std::unique_ptr<OpenFile> log_;
};

}  // namespace fairstream::log::sqlite
