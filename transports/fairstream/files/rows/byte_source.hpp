#pragma once
/// A file's bytes as a stream, decompressed if the file is compressed by gzip or zstd.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fairstream/files/rows/input_file.hpp>

namespace fairstream::files {

/// One pass over a file. Detects compression from the bytes, not from the name, but refuses a file named .gz or .zst
/// that is not compressed so. Unreadable formats (xz, bzip2, lz4, 7z, zip, Excel, Parquet, Arrow, Feather, SQLite,
/// UTF-16) are recognised by their first bytes; the error gives the command that converts them.
class ByteSource {
public:
    /// Begins a pass. Throws `InvalidInput` (malformed) for an unreadable format, and as `InputFile::begin`.
    explicit ByteSource(const InputFile& file);
    /// Opens `path` for one pass; "-" is standard input. Throws as the other constructor and as `InputFile`.
    explicit ByteSource(const std::filesystem::path& path);
    ~ByteSource();
    ByteSource(ByteSource&&) noexcept;
    ByteSource& operator=(ByteSource&&) noexcept;

    /// Puts up to `out.size()` bytes into `out` and returns their number; 0 only at the end. Throws `InvalidInput`
    /// (malformed) for compressed data that is damaged, cut short or followed by other data, `std::system_error` for a
    /// failed read.
    [[nodiscard]] std::size_t read(std::span<char> out);

    /// Waits until `read` would not block, but no longer than `most`; returns false if `read` would still block.
    /// Returns true at once for compressed bytes, and for anything but a pipe.
    [[nodiscard]] bool wait(std::chrono::milliseconds most) const;

    /// Returns whether the file is compressed.
    [[nodiscard]] bool is_compressed() const noexcept;
    /// Returns the share of the file read so far, in [0, 1]; 0 if the size is unknown.
    [[nodiscard]] double progress() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// A line without the blanks around it, and its number, from 1.
struct TextLine {
    std::string text;
    std::uint64_t number;
};
/// Returns the lines of a file that hold more than blanks. Skips a byte order mark. Throws as `ByteSource`.
[[nodiscard]] std::vector<TextLine> read_lines(const std::filesystem::path& path);

/// Reads a compressed file to its end: some damage shows only by the checksum there. Reads nothing of a pipe or of an
/// uncompressed file. `on_progress` takes the share of the file read so far, and returns whether to go on. Throws as
/// `ByteSource` and `ByteSource::read`.
void require_undamaged(const std::filesystem::path& path, const std::function<bool(double)>& on_progress);

}  // namespace fairstream::files
