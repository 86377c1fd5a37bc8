#pragma once
/// Decompression of a file that comes piece by piece.

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

    /// Takes bytes off the front of `in`, puts what they come to into `out` and returns how many bytes that is. The
    /// file is one compressed part after another. Throws `InvalidInput` (malformed) for bytes that are no compressed
    /// data.
    [[nodiscard]] virtual std::size_t decompress(std::span<char>& in, std::span<char> out) = 0;
    /// Returns whether a part has begun and its end has not come.
    [[nodiscard]] virtual bool is_inside() const noexcept = 0;
    /// Returns whether bytes wait for room in `out`, so that `decompress` gives some without more input.
    [[nodiscard]] virtual bool holds_some() const noexcept = 0;
};

/// `name` is that of the file in messages.
[[nodiscard]] std::unique_ptr<Decompressor> gzip_decompressor(const std::string& name);
/// Takes windows up to 128 MiB, as the program zstd does without options.
[[nodiscard]] std::unique_ptr<Decompressor> zstd_decompressor(const std::string& name);

/// Throws `InvalidInput` (malformed).
[[noreturn]] void refuse_damaged(const std::string& name, const std::string& why);

}  // namespace fairstream::files::detail
