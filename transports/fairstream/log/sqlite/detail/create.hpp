#pragma once
/// Atomic creation of a recording's file.

#include <filesystem>
#include <string>

#include <fairstream/log/sqlite/detail/files.hpp>

namespace fairstream::log::sqlite {

/// Creates the file, complete or not at all. Throws `RecordingError` when `path` is anything but an empty file, when
/// the log of an earlier recording lies beside it, and when the file cannot be written. A kill may leave a file
/// '<name>.new-<digits>', which nothing reads.
void create_file(const std::filesystem::path& path, const std::string& config, Files& files);

}  // namespace fairstream::log::sqlite
