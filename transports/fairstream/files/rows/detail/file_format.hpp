#pragma once
/// The format of a file, from its first bytes, and how to convert an unreadable one.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fairstream::files::detail {

/// `text` is everything without a mark of another format.
enum class FileFormat : std::uint8_t { text, gzip, zstd, unread };

/// Returns the format of a file that begins with `head`; nothing while more bytes could change it. With `is_all` there
/// is always a result.
[[nodiscard]] std::optional<FileFormat> format_of(std::string_view head, bool is_all);

/// Throws `InvalidInput` (malformed) with the remedy for an unreadable format. `path` is the file's path, "-" for
/// standard input; `head` is its beginning.
void require_readable(const std::filesystem::path& path, std::string_view head);

}  // namespace fairstream::files::detail
