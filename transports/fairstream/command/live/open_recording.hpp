#pragma once
/// Opens recordings for commands. The error for a damaged recording says what can be done.

#include <filesystem>
#include <memory>

#include <fairstream/log/log.hpp>

namespace fairstream::command {

/// Throws `InvalidInput` (malformed) when the file does not exist, `RecordingError` when it is damaged.
[[nodiscard]] std::unique_ptr<log::Log> open_for_reading(const std::filesystem::path& path);
/// Throws `RecordingError`, also when another writer has the recording.
[[nodiscard]] std::unique_ptr<log::Log> open_for_writing(const std::filesystem::path& path,
                                                         const log::Settings& settings);

}  // namespace fairstream::command
