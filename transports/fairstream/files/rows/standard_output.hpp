#pragma once
/// Names of standard output in place of a file.

#include <filesystem>

namespace fairstream::files {

/// Returns whether a path means standard output: "-" or /dev/stdout, also when stdout is redirected to a file.
[[nodiscard]] inline bool is_stdout(const std::filesystem::path& path) {
    return path == "-" || path == "/dev/stdout";
}

}  // namespace fairstream::files
