#pragma once
/// The part of a file that is in memory, from the start of the current record on.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/files/rows/byte_source.hpp>
#include <fairstream/files/rows/shape.hpp>

namespace fairstream::files::detail {

/// Bytes of a file, ended by a line feed even if the file is not. The longest record bounds the memory.
class ByteWindow {
public:
    ByteWindow(const InputFile& file, std::size_t longest_record);

    /// Returns the bytes at hand, starting with the first one not released. The owner may change them in place.
    [[nodiscard]] char* data() noexcept { return bytes_.data() + first_; }
    [[nodiscard]] std::size_t size() const noexcept { return last_ - first_; }
    [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data() + first_, size()}; }
    /// Converts the bytes at hand and all later bytes to lines of delimited text. Call it once, before any byte is
    /// released.
    void take_lines(Lines lines);
    /// Releases the first `count` bytes; pointers to the others stay valid until `fill`.
    void release(std::size_t count) noexcept { first_ += count; }

    /// Moves the bytes at hand to the front of the buffer and appends some of the file; returns false at its end.
    /// Throws `InvalidInput` for a record longer than the bound; `line` is its first line.
    [[nodiscard]] bool fill(std::uint64_t line);
    [[nodiscard]] bool has_ended() const noexcept { return ended_; }
    /// Waits, but no longer than `most`, for bytes or for the end of the file. Returns true at once if the bytes behind
    /// the first `used` contain a whole line; returns false if nothing came.
    [[nodiscard]] bool wait(std::size_t used, std::chrono::milliseconds most) const {
        return ended_ || view().substr(used).find('\n') != std::string_view::npos || source_.wait(most);
    }
    /// Returns whether the bytes at hand reach the bound of a record, so that `fill` would throw.
    [[nodiscard]] bool is_full() const noexcept { return size() == longest_; }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] double progress() const noexcept { return source_.progress(); }
    /// Throws `InvalidInput` (malformed): "FILE:LINE: WHAT".
    [[noreturn]] void refuse(std::uint64_t line, const std::string& what) const;
    /// Returns the text of the error that `refuse` throws.
    [[nodiscard]] std::string at_line(std::uint64_t line, const std::string& what) const;

private:
    void decode_lines(std::size_t first);

    std::string name_;
    ByteSource source_;
    std::size_t longest_;
    std::vector<char> bytes_;
    std::size_t first_ = 0, last_ = 0;
    Lines lines_ = Lines::plain;
    bool in_quotes_ = false, after_quote_ = false;  // state at the last byte, for lines in quotes
    bool ended_ = false;                            // the file is read to its end, and the bytes end with a line feed
};

}  // namespace fairstream::files::detail
