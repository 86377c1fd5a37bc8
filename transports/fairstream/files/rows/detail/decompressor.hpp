#pragma once
/// Decompression of a file piece by piece.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace fairstream::files::detail {

class Decompressor {
public:
    Decompressor() = default;
    virtual ~Decompressor() = default;
    Decompressor(const Decompressor&) = delete;
    Decompressor& operator=(const Decompressor&) = delete;

    /// Takes bytes from the front of `in`, writes their decompressed form to `out` and returns its size. The file is a
    /// sequence of compressed parts. Throws `InvalidInput` (malformed) for bytes that are not compressed data.
    [[nodiscard]] virtual std::size_t decompress(std::span<char>& in, std::span<char> out) = 0;
    /// Returns whether a part has begun and not ended.
    [[nodiscard]] virtual bool is_inside() const noexcept = 0;
    /// Returns whether output waits for room in `out`, so that `decompress` can go on without more input.
    [[nodiscard]] virtual bool has_pending_output() const noexcept = 0;
};

/// `name` is the name of the file in messages.
[[nodiscard]] std::unique_ptr<Decompressor> gzip_decompressor(const std::string& name);
/// Accepts windows up to 128 MiB, like the program zstd without options.
[[nodiscard]] std::unique_ptr<Decompressor> zstd_decompressor(const std::string& name);

/// Throws `InvalidInput` (malformed).
[[noreturn]] void refuse_damaged(const std::string& name, const std::string& why);

}  // namespace fairstream::files::detail
