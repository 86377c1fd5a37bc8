#pragma once
/// Whole files of text.

#include <cstddef>
#include <filesystem>
#include <string>

namespace fairstream::files {

/// Returns the contents of a file. Throws `InvalidInput` (malformed), naming the file, when it cannot be read or is
/// longer than `most_mebibytes`: a device may never end.
[[nodiscard]] std::string file_text(const std::filesystem::path& path, std::size_t most_mebibytes);

}  // namespace fairstream::files
