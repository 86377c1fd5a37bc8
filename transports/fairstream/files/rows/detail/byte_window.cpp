#include <fairstream/files/rows/detail/byte_window.hpp>

#include <algorithm>
#include <cstring>
#include <span>

#include <fairstream/base/types.hpp>

namespace fairstream::files::detail {
namespace {

constexpr std::size_t first_buffer_size = std::size_t{256} << 10;

}  // namespace

ByteWindow::ByteWindow(const InputFile& file, std::size_t longest_record)
    : name_(file.name()), source_(file), longest_(longest_record), bytes_(first_buffer_size) {}

bool ByteWindow::fill(std::uint64_t line) {
    if (ended_) return false;
    std::memmove(bytes_.data(), bytes_.data() + first_, last_ - first_);
    last_ -= first_;
    first_ = 0;
    if (last_ == longest_)
        refuse(line, "the row is longer than " + std::to_string(longest_) + " bytes; is a quote never closed?");
    if (last_ + 1 >= bytes_.size()) bytes_.resize(std::min(2 * bytes_.size(), longest_ + 1));
    // A record that has outgrown the first buffer is scanned again only after its part in memory has doubled.
    const std::size_t least = last_ < first_buffer_size ? 1 : bytes_.size() - 1 - last_;
    std::size_t added = 0;
    while (added < least) {
        // One byte stays free for the line feed that the last row may lack.
        const std::size_t count = source_.read(std::span(bytes_).subspan(last_, bytes_.size() - 1 - last_));
        if (count == 0) break;
        last_ += count;
        added += count;
        decode_lines(last_ - count);
    }
    if (added > 0) return true;
    ended_ = true;
    if (last_ > 0 && bytes_[last_ - 1] != '\n') bytes_[last_++] = '\n';
    return false;
}

void ByteWindow::take_lines(Lines lines) {
    lines_ = lines;
    decode_lines(first_);
}

/// Converts the bytes from `first` on to delimited text.
void ByteWindow::decode_lines(std::size_t first) {
    if (lines_ == Lines::plain) return;
    char* const end = bytes_.data() + last_;
    if (lines_ == Lines::ended_by_cr) return std::replace(bytes_.data() + first, end, '\r', '\n');
    char* out = bytes_.data() + first;
    for (const char* at = out; at != end; ++at) {
        const bool is_quote = *at == '"', ends_line = *at == '\n' || *at == '\r';
        if (!in_quotes_) {
            in_quotes_ = is_quote;
            if (!is_quote) *out++ = *at;
        } else if (is_quote) {
            // The second of two quotes belongs to the line's text; a quote before the line end does not.
            if (after_quote_) *out++ = '"';
            after_quote_ = !after_quote_;
        } else {
            if (after_quote_ && !ends_line) *out++ = '"';
            in_quotes_ = !ends_line;
            after_quote_ = false;
            *out++ = *at;
        }
    }
    last_ = static_cast<std::size_t>(out - bytes_.data());
}

void ByteWindow::refuse(std::uint64_t line, const std::string& what) const {
    throw InvalidInput(Reason::malformed, at_line(line, what));
}

std::string ByteWindow::at_line(std::uint64_t line, const std::string& what) const {
    return name_ + ":" + std::to_string(line) + ": " + what;
}

}  // namespace fairstream::files::detail
