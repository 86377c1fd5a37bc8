#pragma once
/// Names by which people ask for standard output in place of a file.

#include <filesystem>

namespace fairstream::files {

/// Returns whether a path is that of standard output: "-" or /dev/stdout, which stays what it is when stdout is a file.
[[nodiscard]] inline bool is_stdout(const std::filesystem::path& path) {
    return path == "-" || path == "/dev/stdout";
}

}  // namespace fairstream::files
