#include <fairstream/csv/detail/delimited_text.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fairstream/csv/shown.hpp>

namespace fairstream::csv::detail {
namespace {

/// The separators, the one that is taken among equals first.
constexpr std::array<char, 4> separators{',', ';', '\t', '|'};

/// Bytes that end or forbid an unquoted cell, by the separator's place in `separators`.
constexpr auto special_bytes = [] {
    std::array<std::array<bool, 256>, separators.size()> tables{};
    for (std::size_t i = 0; i < separators.size(); ++i)
        for (const char byte : {separators[i], '\n', '\r', '"', '\0'})
            tables[i][static_cast<unsigned char>(byte)] = true;
    return tables;
}();

constexpr const char* nul_byte = "there is a NUL byte; is the file UTF-16 or binary?";

}  // namespace

DelimitedText::DelimitedText(ByteWindow window) : window_(std::move(window)) {
    if (!take_separator_line()) find_separator();
    if (!read_record()) window_.refuse(1, "the file is empty; a header line is required");
    if (!fault_.empty()) window_.refuse(fault_line_, fault_);
    has_record_ = false;
    std::vector<std::string_view> cells;
    take_cells(cells);
    header_.assign(cells.begin(), cells.end());
    width_ = header_.size();
    while (header_.size() > 1 && header_.back().empty()) header_.pop_back();
    for (std::size_t i = 0; i < header_.size(); ++i)
        if (header_[i].empty()) header_[i] = "column " + std::to_string(i + 1);
    begins_with_comment_ = header_[0].starts_with('#');
}

/// Takes a first line "sep=;", which spreadsheets write and read, and says whether there is one.
bool DelimitedText::take_separator_line() {
    constexpr std::string_view begin = "sep=";
    constexpr std::size_t longest = begin.size() + 3;
    // No more of a pipe is waited for than may be such a line.
    const auto may_begin = [&] {
        const std::string_view view = window_.view();
        return view.size() < longest && view.find('\n') == std::string_view::npos &&
               begin.starts_with(view.substr(0, begin.size()));
    };
    while (may_begin())
        if (!window_.fill(1)) break;
    const std::string_view line = window_.view().substr(0, window_.view().find('\n'));
    const std::string_view rest = line.substr(std::min(begin.size(), line.size()));
    if (!line.starts_with(begin) || rest.empty() || (rest.size() > 1 && rest.substr(1) != "\r")) return false;
    const auto found = std::ranges::find(separators, rest.front());
    if (found == separators.end()) return false;
    set_separator(static_cast<std::size_t>(found - separators.begin()));
    window_.release(line.size() + 1);
    next_line_ = 2;
    return true;
}

void DelimitedText::set_separator(std::size_t chosen) {
    separator_ = separators[chosen];
    special_ = special_bytes[chosen].data();
}

/// Counts the separators of the line that begins at `at`, outside quotes, up to its end, or to a quote where none may
/// be, which reading refuses. Sets `at` to the next line's begin, or to the end of the file.
DelimitedText::SeparatorCounts DelimitedText::count_separators(std::size_t& at) {
    SeparatorCounts counts{};
    bool in_quotes = false, may_quote = true;
    for (;; ++at) {
        if (at == window_.size() && !window_.fill(1) && at == window_.size()) return counts;
        const char byte = window_.data()[at];
        if (byte == '"') {
            if (!may_quote) break;
            in_quotes = !in_quotes;
        }
        if (in_quotes) continue;
        if (byte == '\n') break;
        const auto found = std::ranges::find(separators, byte);
        if (found != separators.end()) ++counts[static_cast<std::size_t>(found - separators.begin())];
        // A quote after the closing one doubles it.
        may_quote = byte == '"' || found != separators.end();
    }
    ++at;
    return counts;
}

void DelimitedText::find_separator() {
    std::size_t at = 0;
    SeparatorCounts counts = count_separators(at);
    // Names may have commas, and rows then tell; a pipe is not waited for where the header tells alone.
    if (std::ranges::count_if(counts, [](std::size_t count) { return count > 0; }) > 1) {
        const SeparatorCounts of_row = count_separators(at);
        SeparatorCounts alike{};
        for (std::size_t s = 0; s < counts.size(); ++s)
            if (of_row[s] == counts[s]) alike[s] = counts[s];
        if (std::ranges::max(alike) > 0) counts = alike;
    }
    set_separator(static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin()));
}

Found DelimitedText::next(std::vector<std::string_view>& cells, std::string& why) {
    if (has_record_) return blanks_.empty() ? found_row(cells, why) : blank_row(cells, why);
    if (!read_record()) return Found::end;
    return is_blank() ? next_after_blank(cells, why) : found_row(cells, why);
}

/// Goes to the record after one or more lines without a value; at the end of the file they mean nothing.
Found DelimitedText::next_after_blank(std::vector<std::string_view>& cells, std::string& why) {
    do {
        blanks_.push_back(extents_.size());
        if (!read_record()) {
            blanks_.clear();
            return Found::end;
        }
    } while (is_blank());
    return blank_row(cells, why);
}

/// Gives one of the lines without a value before the record at hand: a row with empty cells where they are as many as
/// there are columns.
Found DelimitedText::blank_row(std::vector<std::string_view>& cells, std::string& why) {
    line_ = record_line_ - blanks_.size();
    cells.assign(blanks_.front(), "");
    blanks_.pop_front();
    if (cells.size() == width_) {
        cells.resize(header_.size());
        return Found::row;
    }
    why = cells.size() == 1 ? "the line is empty" : other_width_text(cells.size());
    return Found::bad_row;
}

/// Return what makes the file one of cells in quotes, for error texts: where blanks are beside them, where they are
/// text, and where a backslash is before those that are.
std::string DelimitedText::without_blanks() const {
    const bool is_of_blanks = width_ == 0 && extents_.empty();
    if (is_of_blanks)
        return "; if blanks are between the columns: R's write.csv(..., row.names = FALSE) writes commas, write.table "
               "not";
    const std::string separator = separator_ == '\t' ? "\\t" : std::string(1, separator_);
    return "; if blanks are beside quotes: " +
           edited_by("sed 's/" + separator + "  *\"/" + separator + "\"/g;s/\"  *" + separator + "/\"" + separator +
                         "/g;s/^  *\"/\"/;s/\"  *$/\"/'",
                     window_.name());
}

std::string DelimitedText::without_quotes() const {
    return "; if quotes are part of the text, take them away: " + edited_by("sed 's/\"//g'", window_.name());
}

std::string DelimitedText::without_backslashes() const {
    return "; if a backslash is before each quote in a cell, double the quote: " +
           edited_by("sed 's/\\\\\"/\"\"/g'", window_.name());
}

/// Returns "3 cells where the header has 4".
std::string DelimitedText::other_width_text(std::size_t cells) const {
    return std::to_string(cells) + (cells == 1 ? " cell" : " cells") + " where the header has " +
           std::to_string(width_);
}

Found DelimitedText::found_row(std::vector<std::string_view>& cells, std::string& why) {
    has_record_ = false;
    line_ = record_line_;
    take_cells(cells);
    if (!fault_.empty()) {
        line_ = fault_line_;
        cells.push_back(after_fault_);
        why = fault_;
        return Found::bad_row;
    }
    if (cells.size() != width_) {
        const bool is_comment = begins_with_comment_ || cells[0].starts_with('#');
        why = other_width_text(cells.size()) + (is_comment ? without_comments(window_.name()) : "");
        return Found::bad_row;
    }
    const auto nameless = cells.begin() + static_cast<std::ptrdiff_t>(header_.size());
    const auto filled = std::find_if(nameless, cells.end(), [](std::string_view cell) { return !cell.empty(); });
    if (filled != cells.end()) {
        why = "column " + std::to_string(filled - cells.begin() + 1) + ", for which the header has no name, has " +
              shown(*filled);
        return Found::bad_row;
    }
    cells.erase(nameless, cells.end());
    return Found::row;
}

void DelimitedText::take_cells(std::vector<std::string_view>& cells) {
    cells.clear();
    for (const Extent& extent : extents_) cells.push_back(text(extent));
}

/// Returns whether the record read last is an empty line, or separators alone.
bool DelimitedText::is_blank() const noexcept {
    constexpr std::size_t longest_end = 2;
    return fault_.empty() && length_ < extents_.size() + longest_end &&
           std::ranges::all_of(extents_, [](const Extent& cell) { return cell.first == cell.last; });
}

/// Finds the next record, which has a `fault_` where a quote is wrong; returns false at the end of the file.
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

void DelimitedText::find_fault(std::size_t quote, std::uint64_t line, std::string what) {
    quote_ = quote;
    fault_line_ = line;
    fault_ = std::move(what);
}

/// Ends the record at hand with the line of the wrong quote: the next row is taken to start on the line after it.
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
/// precede LF. The end is counted in a local, which stays in a register.
inline bool DelimitedText::scan_plain(std::size_t& at) {
    const char* const bytes = window_.data();
    const std::size_t first = at, last = window_.size();
    const bool* const special = special_;
    std::size_t end = at;
    while (end < last && !special[static_cast<unsigned char>(bytes[end])]) ++end;
    at = end;
    if (at == last) return false;
    if (bytes[at] == separator_ || bytes[at] == '\n') {
        extents_.push_back({first, at, false});
        return true;
    }
    if (bytes[at] == '\0') window_.refuse(next_line_, nul_byte);
    if (bytes[at] == '"') {
        const bool is_after_blanks = std::all_of(bytes + first, bytes + at, [](char c) { return c == ' '; });
        find_fault(
            at, next_line_ + line_feeds_,
            "there is a quote inside an unquoted cell" + (is_after_blanks ? without_blanks() : without_quotes()));
        return false;
    }
    if (bytes[at] == '\r') {
        if (at + 1 == last) return false;
        if (bytes[at + 1] != '\n')
            window_.refuse(next_line_ + line_feeds_,
                           "there is a carriage return without a line feed: where lines end so, tr '\\r' '\\n' < FILE "
                           "| fairstream "
                           "... --input - reads them");
    }
    extents_.push_back({first, at, false});
    return true;
}

/// Finds the cells of the record at the window's front, and its length; returns false when the window ends before the
/// record does.
bool DelimitedText::scan_record() {
    extents_.clear();
    line_feeds_ = 0;
    in_quotes_ = false;
    const char* const bytes = window_.data();
    for (std::size_t at = 0;; ++at) {
        if (at == window_.size() || !(bytes[at] == '"' ? scan_quoted(at) : scan_plain(at))) return false;
        if (bytes[at] == separator_) continue;
        length_ = at + (bytes[at] == '\r' ? 2 : 1);
        return true;
    }
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
        if (bytes[at] != '"') continue;
        if (at + 1 == end) return false;
        if (bytes[at + 1] != '"') break;
        has_quotes = true;
        ++at;
    }
    const std::size_t last = at++;
    in_quotes_ = false;
    const bool line_end = bytes[at] == '\n' || (bytes[at] == '\r' && at + 1 < end && bytes[at + 1] == '\n');
    if (bytes[at] == '\r' && at + 1 == end) return false;
    if (bytes[at] != separator_ && !line_end) {
        const std::uint64_t line = next_line_ + line_feeds_;
        find_fault(quote_, quote_line_,
                   "there is text after the closing quote of a cell" +
                       (line == quote_line_ ? "" : ", which is in line " + std::to_string(line)) +
                       (last > first && bytes[last - 1] == '\\' ? without_backslashes()
                        : bytes[at] == ' '                      ? without_blanks()
                                                                : without_quotes()));
        return false;
    }
    extents_.push_back({first, last, has_quotes});
    return true;
}

/// Returns the text of a cell, doubled quotes halved in place: called once per cell, after the whole record was found.
std::string_view DelimitedText::text(const Extent& extent) {
    char* const first = window_.data() + extent.first;
    char* out = first;
    if (!extent.has_quotes) return {first, extent.last - extent.first};
    for (std::size_t at = extent.first; at < extent.last; ++at) {
        *out++ = window_.data()[at];
        if (window_.data()[at] == '"') ++at;
    }
    return {first, static_cast<std::size_t>(out - first)};
}

}  // namespace fairstream::csv::detail
