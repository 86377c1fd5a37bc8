#include <fairstream/files/rows/detail/delimited_text.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/files/cells/numbers.hpp>

namespace fairstream::files::detail {
namespace {

constexpr const char* nul_byte = "there is a NUL byte; is the file UTF-16 or binary?";

}  // namespace

DelimitedText::DelimitedText(ByteWindow window, const Shape& shape)
    : window_(std::move(window)),
      separator_(shape.separator),
      quote_mark_(shape.quote_mark),
      has_comments_(shape.layout == Layout::arff),
      has_escapes_(shape.has_escapes),
      header_(shape.names),
      width_(header_.size()),
      spare_cells_(shape.spare_cells) {
    for (const char byte : {separator_, separator_ == blanks ? '\t' : separator_, '\n', '\r', quote_mark_, '\0'})
        special_[static_cast<unsigned char>(byte)] = true;
    pass_over_lines(shape.skipped_lines);
    if (!shape.has_header) return;
    if (!read_record()) window_.refuse(1, "the file is empty; a header line is required");
    if (!fault_.empty()) window_.refuse(fault_line_, fault_);
    has_record_ = false;
    std::vector<std::string_view> cells;
    take_cells(cells);
    cells.resize(std::min(cells.size(), width_));  // without the spare cells
    header_cells_.assign(cells.begin(), cells.end());
}

void DelimitedText::pass_over_lines(std::uint64_t count) {
    for (; next_line_ <= count; ++next_line_) {
        std::size_t end = window_.view().find('\n');
        while (end == std::string_view::npos) {
            if (!window_.fill(next_line_) && window_.size() == 0) return;
            end = window_.view().find('\n');
        }
        window_.release(end + 1);
    }
}

RowResult DelimitedText::next(std::vector<std::string_view>& cells, std::string& why) {
    if (has_record_) return blanks_.empty() ? found_row(cells, why) : blank_row(cells, why);
    if (!read_row()) return RowResult::end;
    return is_blank() ? next_after_blank(cells, why) : found_row(cells, why);
}

/// Goes to the record after one or more lines without a value; at the end of the file such lines are ignored.
RowResult DelimitedText::next_after_blank(std::vector<std::string_view>& cells, std::string& why) {
    do {
        blanks_.push_back(extents_.size());
        if (!read_row()) {
            blanks_.clear();
            return RowResult::end;
        }
    } while (is_blank());
    return blank_row(cells, why);
}

/// Returns one of the lines without a value before the current record: as a row of empty cells, if it has as many cells
/// as there are columns.
RowResult DelimitedText::blank_row(std::vector<std::string_view>& cells, std::string& why) {
    line_ = record_line_ - blanks_.size();
    cells.assign(blanks_.front(), "");
    blanks_.pop_front();
    if (cells.size() >= width_ && cells.size() <= width_ + spare_cells_) {
        cells.resize(width_);
        return RowResult::row;
    }
    why = cells.size() == 1 ? "the line is empty" : other_width_text(cells.size());
    return RowResult::bad_row;
}

/// Returns "3 cells where the header has 4".
std::string DelimitedText::other_width_text(std::size_t cells) const {
    const std::string width = std::to_string(width_);
    return std::to_string(cells) + (cells == 1 ? " cell" : " cells") +
           (header_cells_.empty() ? " where there are " + width + " columns" : " where the header has " + width);
}

bool DelimitedText::is_header(const std::vector<std::string_view>& cells) const {
    const auto same = [&](std::string_view cell, const std::string& name) {
        return trimmed(cell, separator_) == trimmed(name, separator_);
    };
    const auto is_number = [](const std::string& name) {
        double value = 0;
        return read_number(name, DecimalMark::found, value) == std::errc();
    };
    // A row may consist of the numbers that serve as names of columns.
    return !header_cells_.empty() && same(cells[0], header_cells_[0]) &&
           std::ranges::equal(cells, header_cells_, same) && !std::ranges::all_of(header_cells_, is_number);
}

RowResult DelimitedText::found_row(std::vector<std::string_view>& cells, std::string& why) {
    has_record_ = false;
    line_ = record_line_;
    take_cells(cells);
    if (!fault_.empty()) {
        line_ = fault_line_;
        cells.push_back(after_fault_);
        why = fault_;
        return RowResult::bad_row;
    }
    const bool has_spare = cells.size() > width_ && cells.size() <= width_ + spare_cells_ &&
                           std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(width_), cells.end(),
                                       [](std::string_view cell) { return cell.empty(); });
    if (has_spare) cells.resize(width_);
    if (is_header(cells))
        why = "the line is the header again";
    else if (cells.size() != width_)
        why = other_width_text(cells.size());
    return why.empty() ? RowResult::row : RowResult::bad_row;
}

void DelimitedText::take_cells(std::vector<std::string_view>& cells) {
    cells.clear();
    for (const Extent& extent : extents_) cells.push_back(text(extent));
}

/// Returns whether the last record is an empty line, or has only separators.
bool DelimitedText::is_blank() const noexcept {
    constexpr std::size_t longest_end = 2;
    return fault_.empty() && (separator_ == blanks || length_ < extents_.size() + longest_end) &&
           std::ranges::all_of(extents_, [](const Extent& cell) { return cell.first == cell.last; });
}

/// Finds the next record, with a `fault_` if a quote is wrong; returns false at the end of the file.
bool DelimitedText::read_record() {
    window_.release(std::exchange(length_, 0));
    fault_.clear();
    has_record_ = false;
    while (fault_.empty() && !scan_record() && fault_.empty()) {
        const bool had_ended = window_.has_ended();
        if (in_quotes_ && window_.is_full()) {
            find_fault(quote_, quote_line_, "a quote is opened and not closed within 16 MiB");
        } else if (!window_.fill(next_line_) && had_ended) {
            if (window_.size() == 0) return false;
            find_fault(quote_, quote_line_, "a quote is opened and never closed");
        }
    }
    has_record_ = true;
    record_line_ = next_line_;
    if (fault_.empty())
        next_line_ += 1 + line_feeds_;
    else
        pass_over_fault();
    return true;
}

/// Finds the next record that is no comment.
bool DelimitedText::read_row() {
    while (read_record())
        if (!has_comments_ || !window_.view().starts_with('%')) return true;
    return false;
}

void DelimitedText::find_fault(std::size_t quote, std::uint64_t line, std::string what) {
    quote_ = quote;
    fault_line_ = line;
    fault_ = std::move(what);
}

/// Ends the current record with the line of the wrong quote; the next row is assumed to start on the line after it.
void DelimitedText::pass_over_fault() {
    std::size_t end = window_.view().find('\n', quote_);
    while (end == std::string_view::npos) {
        (void)window_.fill(next_line_);  // at the end of the file it adds a line feed
        end = window_.view().find('\n', quote_);
    }
    after_fault_ = window_.view().substr(quote_, end - quote_);
    length_ = end + 1;
    next_line_ = fault_line_ + 1;
}

/// Scans a cell from its first byte to the separator or line end after it. A line end is LF, or CR that is known to
/// precede LF. The position is counted in a local variable, which stays in a register.
inline bool DelimitedText::scan_plain(std::size_t& at) {
    const char* const bytes = window_.data();
    const std::size_t first = at, last = window_.size();
    const bool* const special = special_.data();
    std::size_t end = at;
    while (end < last && !special[static_cast<unsigned char>(bytes[end])]) ++end;
    at = end;
    if (at == last) return false;
    if (separates(bytes[at]) || bytes[at] == '\n') {
        extents_.push_back({first, at, false});
        return true;
    }
    if (bytes[at] == '\0') window_.refuse(next_line_, nul_byte);
    if (bytes[at] == quote_mark_) {
        find_fault(at, next_line_ + line_feeds_, "there is a quote inside an unquoted cell");
        return false;
    }
    if (bytes[at] == '\r') {
        if (at + 1 == last) return false;
        if (bytes[at + 1] != '\n')
            window_.refuse(next_line_ + line_feeds_, "there is a carriage return without a line feed");
    }
    extents_.push_back({first, at, false});
    return true;
}

/// Finds the cells of the record at the window's front, and its length; returns false if the window ends before the
/// record does.
bool DelimitedText::scan_record() {
    extents_.clear();
    line_feeds_ = 0;
    in_quotes_ = false;
    const char* const bytes = window_.data();
    for (std::size_t at = 0;; ++at) {
        if (at < window_.size() && (bytes[at] == ' ' || separator_ == blanks)) pass_blanks(at);
        if (at == window_.size()) return false;
        const bool is_last_blank =
            separator_ == blanks && !extents_.empty() && (bytes[at] == '\n' || bytes[at] == '\r');
        if (!is_last_blank && !(bytes[at] == quote_mark_ ? scan_quoted(at) : scan_plain(at))) return false;
        if (separates(bytes[at])) continue;
        length_ = at + (bytes[at] == '\r' ? 2 : 1);
        return true;
    }
}

/// Skips blanks, if a quote follows them or blanks separate cells.
void DelimitedText::pass_blanks(std::size_t& at) const {
    const std::string_view bytes = window_.view();
    const std::size_t next = std::min(bytes.find_first_not_of(separator_ == blanks ? " \t" : " ", at), bytes.size());
    if (separator_ == blanks || next == bytes.size() || bytes[next] == quote_mark_) at = next;
}

bool DelimitedText::scan_quoted(std::size_t& at) {
    const char* const bytes = window_.data();
    quote_ = at;
    quote_line_ = next_line_ + line_feeds_;
    in_quotes_ = true;
    const std::size_t first = ++at, end = window_.size();
    bool has_quotes = false;
    for (;; ++at) {
        if (at == end) return false;
        if (bytes[at] == '\n') ++line_feeds_;
        if (bytes[at] == '\0') window_.refuse(next_line_ + line_feeds_, nul_byte);
        if (bytes[at] != quote_mark_ && bytes[at] != '\\') continue;
        if (at + 1 == end) return false;
        if (escapes(bytes + at)) {
            has_quotes = true;
            ++at;
            continue;
        }
        if (bytes[at] != quote_mark_) continue;
        if (bytes[at + 1] != quote_mark_) break;
        has_quotes = true;
        ++at;
    }
    const std::size_t last = at++;
    in_quotes_ = false;
    while (at < end && bytes[at] == ' ' && separator_ != blanks) ++at;
    if (at == end) return false;
    const bool line_end = bytes[at] == '\n' || (bytes[at] == '\r' && at + 1 < end && bytes[at + 1] == '\n');
    if (bytes[at] == '\r' && at + 1 == end) return false;
    if (!separates(bytes[at]) && !line_end) {
        const std::uint64_t line = next_line_ + line_feeds_;
        find_fault(quote_, quote_line_,
                   std::string("there is text after the closing quote of a cell") +
                       (line == quote_line_ ? "" : ", which is in line " + std::to_string(line)) +
                       (last > first && bytes[last - 1] == '\\' ? ": write a quote inside quotes twice" : ""));
        return false;
    }
    extents_.push_back({first, last, has_quotes});
    return true;
}

/// Returns the text of a cell, with doubled and escaped quotes reduced to one in place. Call it once per cell, after
/// the whole record was found.
std::string_view DelimitedText::text(const Extent& extent) {
    char* const first = window_.data() + extent.first;
    char* out = first;
    if (!extent.has_quotes) return {first, extent.last - extent.first};
    for (std::size_t at = extent.first; at < extent.last; ++at) {
        const bool is_escape = at + 1 < extent.last && escapes(window_.data() + at);
        if (is_escape || window_.data()[at] == quote_mark_) ++at;
        *out++ = window_.data()[at];
    }
    return {first, static_cast<std::size_t>(out - first)};
}

}  // namespace fairstream::files::detail
