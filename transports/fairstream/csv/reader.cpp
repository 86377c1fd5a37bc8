#include <fairstream/csv/reader.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include <fairstream/base/printable.hpp>

namespace fairstream::csv {
namespace {

constexpr std::size_t first_buffer_size = std::size_t{256} << 10;

/// Bytes that end or forbid an unquoted cell.
constexpr auto special = [] {
    std::array<bool, 256> table{};
    for (const unsigned char byte : {',', '\n', '\r', '"', '\0'}) table[byte] = true;
    return table;
}();

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 40;
    return "'" + printable(text.substr(0, longest)) + (text.size() > longest ? "...'" : "'");
}

Reader::Reader(const std::filesystem::path& path)
    : name_(path == "-" ? "standard input" : path.string()), source_(path), buffer_(first_buffer_size) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    while (end_ < mark.size() && fill()) {
    }
    if (std::string_view(buffer_.data(), end_).starts_with(mark)) next_ = mark.size();
    if (!read_record()) refuse(1, "the file is empty; a header line is required");
    header_.assign(cells_.begin(), cells_.end());
    check_header();
}

void Reader::check_header() const {
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < header_.size(); ++i) {
        if (header_[i].empty()) refuse(1, "the header has no name for column " + std::to_string(i + 1));
        if (!seen.insert(header_[i]).second) refuse(1, "column " + shown(header_[i]) + " is repeated in the header");
    }
}

std::size_t Reader::column(std::string_view name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
    constexpr std::size_t most_listed = 20;
    std::string known;
    for (std::size_t i = 0; i < std::min(header_.size(), most_listed); ++i)
        known += (i ? ", " : "") + shown(header_[i]);
    if (header_.size() > most_listed) known += ", ...";
    const bool other_separator = header_.size() == 1 && header_[0].find_first_of(";\t") != std::string::npos;
    refuse(1, "there is no column " + shown(name) + "; the columns are " + known +
                  (other_separator ? " (cells must be separated by commas)" : ""));
}

bool Reader::next() {
    if (!read_record()) return false;
    if (cells_.size() == header_.size()) return true;
    if (cells_.size() == 1 && cells_[0].empty()) refuse(line_, "the line is empty");
    refuse(line_, std::to_string(cells_.size()) + " cells where the header has " + std::to_string(header_.size()));
}

std::string_view Reader::trimmed_cell(std::size_t column) const noexcept {
    return trimmed(cells_[column]);
}

double Reader::number(std::size_t column, const Remedies& remedies) const {
    const auto refuse_number = [&](const char* rule) {
        refuse_cell(column, Reason::bad_feature,
                    with_remedy(rule, is_missing(column) ? remedies.missing : remedies.text));
    };
    const std::string_view text = trimmed_cell(column);
    const char* first = text.data();
    const char* const last = first + text.size();
    // from_chars knows no plus sign; "+-1" must stay refused.
    if (text.size() > 1 && *first == '+' && first[1] != '-') ++first;
    double value = 0;
    const auto [end, error] = std::from_chars(first, last, value);
    if (error == std::errc::result_out_of_range)
        refuse_cell(column, Reason::bad_feature, "is out of the range of a number");
    if (text.empty()) refuse_number("is empty where a number is needed");
    if (error != std::errc() || end != last) refuse_number("is not a number");
    if (!std::isfinite(value)) refuse_number("is not finite");
    return value;
}

bool Reader::is_missing(std::size_t column) const noexcept {
    constexpr std::array<std::string_view, 7> spellings = {"", "NA", "N/A", "NaN", "nan", "null", "?"};
    return std::ranges::find(spellings, trimmed_cell(column)) != spellings.end();
}

std::int64_t Reader::time(std::size_t column, std::optional<TimeUnit> unit) const {
    const std::optional<std::int64_t> time = read_time(trimmed_cell(column), unit);
    if (!time)
        refuse_cell(column, Reason::malformed,
                    "is no time: must be like 2026-01-31T08:15:00Z, or " +
                        (unit ? std::string(name(*unit)) : "seconds or microseconds") + " since 1970");
    return *time;
}

std::uint64_t Reader::integer(std::size_t column) const {
    const std::string_view text = trimmed_cell(column);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        refuse_cell(column, Reason::malformed, "is not an integer from 0 to 2^64 - 1");
    }
    return value;
}

void Reader::refuse(std::uint64_t line, const std::string& what) const {
    throw InvalidInput(Reason::malformed, name_ + ":" + std::to_string(line) + ": " + what);
}

void Reader::refuse_cell(std::size_t column, Reason reason, const std::string& rule) const {
    throw InvalidInput(reason, name_ + ":" + std::to_string(line_) + ": column " + shown(header_[column]) + ": " +
                                   shown(cells_[column]) + " " + rule);
}

/// Moves the current record to the buffer's front and appends bytes of the source; returns false at the end of the
/// file.
bool Reader::fill() {
    if (ended_) return false;
    std::memmove(buffer_.data(), buffer_.data() + next_, end_ - next_);
    end_ -= next_;
    next_ = 0;
    if (end_ == row_limit) {
        refuse(next_line_, "the row is longer than " + std::to_string(row_limit) + " bytes; is a quote never closed?");
    }
    if (end_ + 1 >= buffer_.size()) buffer_.resize(std::min(2 * buffer_.size(), row_limit + 1));
    // A record that has outgrown the first buffer is scanned again only when twice as much of it is there.
    const std::size_t least = end_ < first_buffer_size ? 1 : buffer_.size() - 1 - end_;
    std::size_t added = 0;
    while (added < least) {
        // One byte is kept free for the line feed that a last row may lack.
        const std::size_t count = source_.read(std::span(buffer_).subspan(end_, buffer_.size() - 1 - end_));
        if (count == 0) break;
        end_ += count;
        added += count;
    }
    if (added > 0) return true;
    ended_ = true;
    if (end_ > 0 && buffer_[end_ - 1] != '\n') buffer_[end_++] = '\n';
    return false;
}

bool Reader::read_record() {
    while (!scan_record()) {
        const bool had_ended = ended_;
        if (fill() || !had_ended) continue;
        if (next_ == end_) return false;
        refuse(next_line_, "a quote is opened and never closed");
    }
    cells_.clear();
    for (const Extent& extent : extents_) cells_.push_back(text(extent));
    line_ = next_line_;
    next_line_ += 1 + line_feeds_;
    return true;
}

/// Finds the cells of the record at `next_` and goes to its end; returns false when the buffer ends before the record
/// does.
bool Reader::scan_record() {
    extents_.clear();
    line_feeds_ = 0;
    for (std::size_t at = next_;; ++at) {
        if (at == end_ || !(buffer_[at] == '"' ? scan_quoted(at) : scan_plain(at))) return false;
        if (buffer_[at] == ',') continue;
        next_ = at + (buffer_[at] == '\r' ? 2 : 1);
        return true;
    }
}

/// Scans a cell from its first byte to the comma or line end after it. A line end is LF, or CR that is known to precede
/// LF.
bool Reader::scan_plain(std::size_t& at) {
    const std::size_t first = at;
    while (at < end_ && !special[static_cast<unsigned char>(buffer_[at])]) ++at;
    if (at == end_) return false;
    if (buffer_[at] == '\0') refuse(next_line_, "there is a NUL byte; is the file UTF-16 or binary?");
    if (buffer_[at] == '"') refuse(next_line_ + line_feeds_, "there is a quote inside an unquoted cell");
    if (buffer_[at] == '\r') {
        if (at + 1 == end_) return false;
        if (buffer_[at + 1] != '\n') refuse(next_line_ + line_feeds_, "there is a carriage return without a line feed");
    }
    extents_.push_back({first, at, false});
    return true;
}

bool Reader::scan_quoted(std::size_t& at) {
    const std::size_t first = ++at;
    bool has_quotes = false;
    for (;; ++at) {
        if (at == end_) return false;
        if (buffer_[at] == '\n') ++line_feeds_;
        if (buffer_[at] == '\0') refuse(next_line_ + line_feeds_, "there is a NUL byte; is the file UTF-16 or binary?");
        if (buffer_[at] != '"') continue;
        if (at + 1 == end_) return false;
        if (buffer_[at + 1] != '"') break;
        has_quotes = true;
        ++at;
    }
    const std::size_t last = at++;
    const bool line_end = buffer_[at] == '\n' || (buffer_[at] == '\r' && at + 1 < end_ && buffer_[at + 1] == '\n');
    if (buffer_[at] == '\r' && at + 1 == end_) return false;
    if (buffer_[at] != ',' && !line_end)
        refuse(next_line_ + line_feeds_, "there is text after the closing quote of a cell");
    extents_.push_back({first, last, has_quotes});
    return true;
}

/// Returns the text of a cell, doubled quotes halved in place: called once per cell, after the whole record was found.
std::string_view Reader::text(const Extent& extent) {
    char* const first = buffer_.data() + extent.first;
    char* out = first;
    if (!extent.has_quotes) return {first, extent.last - extent.first};
    for (std::size_t at = extent.first; at < extent.last; ++at) {
        *out++ = buffer_[at];
        if (buffer_[at] == '"') ++at;
    }
    return {first, static_cast<std::size_t>(out - first)};
}

}  // namespace fairstream::csv
