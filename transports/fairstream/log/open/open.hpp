#pragma once
/// Opens logs. Code that opens a log in this way works with any kind of log: the kind is chosen here, by the path.
/// Every path names a file of SQLite so far (`log/sqlite/recording.hpp`, which also describes the errors).

#include <filesystem>
#include <memory>
#include <string>

#include <fairstream/log/log.hpp>

namespace fairstream::log {

/// Begins a new log, completely or not at all. `config` is the canonical configuration text.
[[nodiscard]] std::unique_ptr<Log> create(const std::filesystem::path& path, const std::string& config,
                                          const Settings& settings = {});
/// Opens for appending.
[[nodiscard]] std::unique_ptr<Log> open(const std::filesystem::path& path, const Settings& settings = {});
[[nodiscard]] std::unique_ptr<Log> open_read_only(const std::filesystem::path& path);

}  // namespace fairstream::log
