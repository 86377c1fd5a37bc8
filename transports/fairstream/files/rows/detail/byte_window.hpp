#pragma once
/// The part of a file that is in memory: from the start of the current record on.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/files/rows/byte_source.hpp>
#include <fairstream/files/rows/shape.hpp>

namespace fairstream::files::detail {

/// Bytes of a file, ended by a line feed also where the file is not. Memory is bounded by the longest record.
class ByteWindow {
public:
    ByteWindow(const InputFile& file, std::size_t longest_record);

    /// Returns the bytes at hand, from the first one that was not released on; changed in place by those who own them.
    [[nodiscard]] char* data() noexcept { return bytes_.data() + first_; }
    [[nodiscard]] std::size_t size() const noexcept { return last_ - first_; }
    [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data() + first_, size()}; }
    /// Makes the bytes at hand, none of which was released, and those to come be lines of delimited text. Once.
    void take_lines(Lines lines);
    /// Lets go of the first `count` bytes; what points to the others stays valid until `fill`.
    void release(std::size_t count) noexcept { first_ += count; }

    /// Moves the bytes at hand to the front of the buffer and appends some of the file; returns false at its end.
    /// Throws `InvalidInput` for a record longer than the bound, `line` being where it starts.
    [[nodiscard]] bool fill(std::uint64_t line);
    [[nodiscard]] bool has_ended() const noexcept { return ended_; }
    /// Says whether a whole line is at hand behind the first `used` bytes, or comes, or the file ends, within `most`.
    [[nodiscard]] bool wait(std::size_t used, std::chrono::milliseconds most) const {
        return ended_ || view().substr(used).find('\n') != std::string_view::npos || source_.wait(most);
    }
    /// Says whether the bytes at hand are as many as a record may have, so that `fill` would throw.
    [[nodiscard]] bool is_full() const noexcept { return size() == longest_; }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] double progress() const noexcept { return source_.progress(); }
    /// Throws `InvalidInput` (malformed): "FILE:LINE: WHAT".
    [[noreturn]] void refuse(std::uint64_t line, const std::string& what) const;
    /// Returns that text.
    [[nodiscard]] std::string at_line(std::uint64_t line, const std::string& what) const;

private:
    void straighten(std::size_t first);

    std::string name_;
    ByteSource source_;
    std::size_t longest_;
    std::vector<char> bytes_;
    std::size_t first_ = 0, last_ = 0;
    Lines lines_ = Lines::plain;
    bool in_quotes_ = false, after_quote_ = false;  // where the last byte is, of lines in quotes
    bool ended_ = false;                            // the file has nothing more, and the bytes end with a line feed
};

}  // namespace fairstream::files::detail
