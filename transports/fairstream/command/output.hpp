#pragma once
/// Writing results where a failure to write them is noticed.

#include <filesystem>
#include <string_view>

namespace fairstream::command {

/// Replaces the file as a whole: a reader sees the old one or the new one. Throws `std::system_error` naming it.
void write_file(const std::filesystem::path& path, std::string_view text);

/// To stdout, at once. Throws `std::system_error`.
void print(std::string_view text);

}  // namespace fairstream::command
