#pragma once
/// The making of a recording's file, complete or not at all.

#include <filesystem>
#include <string>

#include <fairstream/recording/detail/files.hpp>

namespace fairstream::recording {

/// Throws `RecordingError` when something other than an empty file is there, or a log left by an earlier recording, and
/// when the file cannot be written. A kill may leave a file '<name>.new-<digits>' that nothing else looks at.
void create_file(const std::filesystem::path& path, const std::string& config, Files& files);

}  // namespace fairstream::recording
