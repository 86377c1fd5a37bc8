#pragma once
/// A check that a recording's files are still the opened ones, and in the state in which they were left. Deleting or
/// replacing them stops no write: later writes go into files that nobody finds again. Cutting them short or copying
/// others over them does not stop writes either: later writes leave holes, and moving such a log into the file destroys
/// the file's contents.

#include <optional>
#include <string>

#include <fairstream/log/sqlite/detail/database.hpp>
#include <fairstream/log/sqlite/detail/log_scan.hpp>

namespace fairstream::log::sqlite {

class OpenedFiles {
public:
    /// Notes which files the names lead to now. The files must already be open; both arguments must outlive this
    /// object.
    OpenedFiles(const Database& database, const OpenFile& log);

    /// Throws `RecordingError` when the file, its log, or the log's index was deleted, moved or replaced, and when the
    /// file or its log was cut short or overwritten. Compares their lengths, the log's header and newest frame, and the
    /// file's change counter. `committed` says that a commit has just ended; the log may have begun anew with it.
    void check(bool committed = false);

private:
    // A name, and the file it led to when the files were opened.
    struct NamedFile {
        std::filesystem::path path;
        FileStatus file;
    };

    void require_same(const NamedFile& named, const std::string& what) const;
    void require_log_unchanged(bool committed);
    void require_file_unchanged();

    const Database& database_;
    const OpenFile& open_log_;
    std::uint64_t file_bytes_ = 0;  // neither this nor the counter below may decrease
    std::uint32_t change_counter_ = 0;
    std::optional<LogSalts> salts_;  // salts since the log last began anew
    NamedFile file_;
    NamedFile log_;
    NamedFile index_;
};

}  // namespace fairstream::log::sqlite
