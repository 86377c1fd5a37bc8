#pragma once
/// The format of a file by its first bytes, and what makes a readable one of one that is not read.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fairstream::files::detail {

/// `text` is all that has no mark of its own.
enum class FileFormat : std::uint8_t { text, gzip, zstd, unread };

/// Returns the format of a file that begins with `head`; nothing while more bytes could make it another one, which is
/// never so when `is_all`.
[[nodiscard]] std::optional<FileFormat> format_of(std::string_view head, bool is_all);

/// Throws `InvalidInput` (malformed) with the remedy for a format that is not read. `path` is that of the file, "-" for
/// standard input, and `head` what it begins with.
void require_readable(const std::filesystem::path& path, std::string_view head);

}  // namespace fairstream::files::detail
