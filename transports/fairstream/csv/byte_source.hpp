#pragma once
/// A file's bytes as a stream, decompressed if the file is gzip-compressed.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace fairstream::csv {

/// Detects compression from the bytes, not from the name; but refuses a file named .gz that is not gzip.
class ByteSource {
public:
    /// Opens `path`; "-" is standard input. Throws `InvalidInput` (malformed) when there is no such file or it cannot
    /// be opened.
    explicit ByteSource(const std::filesystem::path& path);
    ~ByteSource();
    ByteSource(ByteSource&&) noexcept;
    ByteSource& operator=(ByteSource&&) noexcept;

    /// Puts up to `out.size()` bytes into `out` and returns how many; 0 only at the end. Throws `InvalidInput`
    /// (malformed) for compressed data that is damaged, cut short or followed by anything else, `std::system_error` for
    /// a failed read.
    [[nodiscard]] std::size_t read(std::span<char> out);

    /// Returns the share of the file read so far, in [0, 1]; 0 where the size is unknown.
    [[nodiscard]] double progress() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::csv
