#pragma once
/// Checks before a recording's file is opened.

#include <filesystem>

#include <fairstream/log/sqlite/detail/database.hpp>

namespace fairstream::log::sqlite {

/// Returns the canonical path of a regular file, from which SQLite also derives the log's name. Throws
/// `RecordingError`.
[[nodiscard]] std::filesystem::path regular_file(const std::filesystem::path& path, Files& files);

/// Throws `RecordingError` for a rollback journal, left by another journal mode: SQLite would write the journal's old
/// pages over the file.
void refuse_journal(const std::filesystem::path& file, Files& files);

/// Returns how a file is opened for reading only. To read a database with a log, SQLite needs a file for the log's
/// index beside it, which cannot be created in every directory. Without a log no index is needed; then nobody may write
/// while the file is read.
[[nodiscard]] Access access_for_reading(const std::filesystem::path& file, Files& files);

}  // namespace fairstream::log::sqlite
