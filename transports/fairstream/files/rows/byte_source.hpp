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

/// One pass over a file. Detects compression from the bytes, not from the name; but refuses a file named .gz or .zst
/// that is not compressed so. Files in a format that is not read (xz, bzip2, lz4, 7z, zip, Excel, Parquet, Arrow,
/// Feather, SQLite, UTF-16) are refused by their first bytes, with the command that makes them readable.
class ByteSource {
public:
    /// Begins a pass. Throws `InvalidInput` (malformed) for a format that is not read, and as `InputFile::begin`.
    explicit ByteSource(const InputFile& file);
    /// Opens `path` for one pass; "-" is standard input. Throws as `InputFile` too.
    explicit ByteSource(const std::filesystem::path& path);
    ~ByteSource();
    ByteSource(ByteSource&&) noexcept;
    ByteSource& operator=(ByteSource&&) noexcept;

    /// Puts up to `out.size()` bytes into `out` and returns how many; 0 only at the end. Throws `InvalidInput`
    /// (malformed) for compressed data that is damaged, cut short or followed by anything else, `std::system_error` for
    /// a failed read.
    [[nodiscard]] std::size_t read(std::span<char> out);

    /// Waits until `read` need not wait, but no longer than `most`; returns false where it would. Of compressed bytes,
    /// and of what is no pipe, true at once.
    [[nodiscard]] bool wait(std::chrono::milliseconds most) const;

    /// Says whether the file is compressed.
    [[nodiscard]] bool is_compressed() const noexcept;
    /// Returns the share of the file read so far, in [0, 1]; 0 where the size is unknown.
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
/// Returns the lines of a file that have more than blanks. A byte order mark is passed over. Throws as `ByteSource`.
[[nodiscard]] std::vector<TextLine> read_lines(const std::filesystem::path& path);

/// Reads a compressed file to its end, and nothing of a pipe or of a file that is not compressed: a checksum at the end
/// of compressed data tells of damage that the bytes before it do not show. `on_progress` takes the share of the file
/// read so far; its return value says whether to go on. Throws as `ByteSource` and `ByteSource::read`.
void require_undamaged(const std::filesystem::path& path, const std::function<bool(double)>& on_progress);

}  // namespace fairstream::files
