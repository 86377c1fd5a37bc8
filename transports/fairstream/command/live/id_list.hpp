#pragma once
/// Lists of points' ids in files.

#include <filesystem>
#include <string>
#include <vector>

namespace fairstream::command {

/// Returns the ids of a file, one a line, without blanks around them, or of standard input ("-"); empty lines are
/// passed over. The file may be compressed by gzip or zstd. Throws `InvalidInput` where it cannot be read or has none.
[[nodiscard]] std::vector<std::string> read_id_list(const std::filesystem::path& file);

}  // namespace fairstream::command
