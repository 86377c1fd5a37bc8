#pragma once
/// Lists of points' ids in files.

#include <filesystem>
#include <string>
#include <vector>

namespace fairstream::command {

/// Returns the ids in a file, or in standard input ("-"). Each line holds one id; blanks around it and empty lines are
/// dropped. The file may be compressed by gzip or zstd. Throws `InvalidInput` when the file cannot be read or has no
/// ids.
[[nodiscard]] std::vector<std::string> read_id_list(const std::filesystem::path& file);

}  // namespace fairstream::command
