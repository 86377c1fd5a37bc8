#include <fairstream/csv/reader.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/csv/detail/delimited_text.hpp>
#include <fairstream/csv/detail/file_format.hpp>
#include <fairstream/csv/detail/json_lines.hpp>
#include <fairstream/csv/detail/title.hpp>
#include <fairstream/csv/shown.hpp>

namespace fairstream::csv {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text, bool tabs) {
    const auto blank = [tabs](char c) { return c == ' ' || (tabs && c == '\t'); };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

/// Begins a pass after the byte order mark.
detail::ByteWindow begin_window(const InputFile& file) {
    detail::ByteWindow window(file, row_limit);
    while (byte_order_mark.starts_with(window.view().substr(0, byte_order_mark.size())) &&
           window.size() < byte_order_mark.size() && window.fill(1)) {
    }
    if (window.view().starts_with(byte_order_mark)) window.release(byte_order_mark.size());
    return window;
}

/// Fills the window until a byte from `from` on is no blank, and returns its place; its size at the end of the file.
std::size_t next_non_blank(detail::ByteWindow& window, std::size_t from) {
    while (true) {
        const std::size_t at = window.view().find_first_not_of(blanks, from);
        if (at != std::string_view::npos) return at;
        if (!window.fill(1)) return window.size();
    }
}

bool is_named_json_lines(std::filesystem::path path) {
    if (path.extension() == ".gz" || path.extension() == ".zst") path.replace_extension();
    return path.extension() == ".jsonl" || path.extension() == ".ndjson";
}

/// Throws for a file that begins as an array of JSON does; a column may be named [x].
void refuse_array(const InputFile& file, detail::ByteWindow& window, std::size_t bracket) {
    const std::size_t next = next_non_blank(window, bracket + 1);
    const bool line_ends = window.view().substr(bracket + 1, next - bracket - 1).find('\n') != std::string_view::npos;
    if (next < window.size() && !line_ends &&
        std::string_view("{[]\"").find(window.data()[next]) == std::string_view::npos)
        return;
    throw InvalidInput(Reason::malformed,
                       file.name() + ": is a JSON array, which is not read: put each of its objects on a line: " +
                           edited_by("jq -c '.[]'", file.name()));
}

/// Returns whether the file is JSON lines; throws for one in another format, which compression hid so far.
bool has_json_lines(const InputFile& file, detail::ByteWindow& window) {
    const std::size_t at = next_non_blank(window, 0);
    detail::require_readable(*detail::format_of(window.view(), true), file.path(), window.view());
    if (at < window.size() && window.data()[at] == '[') refuse_array(file, window, at);
    return is_named_json_lines(file.path()) || (at < window.size() && window.data()[at] == '{');
}

}  // namespace

bool is_missing_value(std::string_view text) noexcept {
    constexpr std::array<std::string_view, 12> spellings = {"",     "NA",   "N/A",  "n/a",  "NaN", "nan",
                                                            "NULL", "null", "<NA>", "#N/A", "?",   "-"};
    return std::ranges::find(spellings, text) != spellings.end();
}

Reader::Reader(const InputFile& file) : input_(file) {
    detail::ByteWindow window = begin_window(file);
    if (has_json_lines(file, window)) {
        std::optional<detail::ByteWindow> preview;
        if (file.is_rereadable()) preview.emplace(begin_window(file));
        records_ = std::make_unique<detail::JsonLines>(std::move(window), std::move(preview));
        return;
    }
    auto text = std::make_unique<detail::DelimitedText>(std::move(window));
    separator_ = text->separator();
    records_ = std::move(text);
}

Reader::Reader(const std::filesystem::path& path) : Reader(InputFile(path)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const std::vector<std::string>& Reader::header() const noexcept {
    return records_->header();
}

std::optional<Reader::Place> Reader::place_of(std::string_view name) const {
    const std::vector<std::string>& names = header();
    if (placed_ > names.size()) places_.clear(), placed_ = 0;
    for (; placed_ < names.size(); ++placed_) {  // JSON lines add keys as they come
        const auto [known, is_new] = places_.try_emplace(names[placed_], Place{placed_, false});
        if (!is_new) known->second.is_repeated = true;
    }
    const auto found = places_.find(name);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t Reader::column(std::string_view name) const {
    const std::vector<std::string>& names = header();
    if (const std::optional<Place> place = place_of(name)) {
        if (place->is_repeated)
            records_->window().refuse(1, "column " + shown(name) +
                                             " is repeated in the header: give one of them another name, or leave "
                                             "both out with --leave-out or --features");
        return place->column;
    }
    constexpr std::size_t most_listed = 20;
    const std::string& file = records_->window().name();
    std::string remedy;
    const bool has_blanks = names.size() == 1 && names[0].find(' ') != std::string::npos;
    if (has_blanks && names[0].find(std::string(name)) != std::string::npos)
        remedy = ": if blanks are between the columns, put commas there: " + edited_by("sed 's/  */,/g'", file);
    else if (names.size() == 1 && separator_)
        remedy = detail::without_title(input_);
    if (names[0].starts_with('#')) remedy = detail::without_comments(file);
    if (!std::ranges::all_of(names, is_utf8))
        remedy = "; the names are not UTF-8: if they are Latin-1: " + edited_by("iconv -f latin1 -t utf-8", file);
    const auto holds = [&](const std::string& key) {
        return name.starts_with(key + ".") || name.starts_with(key + "_");
    };
    if (const auto outer = std::ranges::find_if(names, holds); !separator_ && outer != names.end())
        remedy = "; if " + shown(*outer) + " has objects, make columns of all that is nested: " + flattened(file);
    records_->window().refuse(1, "there is no column " + shown(name) + did_you_mean(name, names) +
                                     "; the columns are " + first_shown(names, most_listed) + remedy);
}

bool Reader::next() {
    if (is_broken()) throw std::runtime_error(broken_);
    std::string why;
    detail::Found found{};
    try {
        found = records_->next(cells_, why);
    } catch (const InvalidInput& error) {
        broken_ = error.what();
        throw;
    }
    if (found == detail::Found::bad_row) records_->window().refuse(line(), why);
    has_nested_ = !records_->nested().empty();
    if (has_nested_) refuse_nested();
    if (!missing_texts_.empty()) empty_missing_texts();
    return found == detail::Found::row;
}

void Reader::find_all_columns(const std::function<void(double)>& progress) {
    records_->find_all_columns(progress);
}

void Reader::expect(std::span<const std::string> names) {
    records_->expect(names);
}

void Reader::provide(std::span<const std::string> names) {
    records_->provide(names);
}

std::vector<std::string> Reader::unmet_columns() const {
    return records_->unmet_columns();
}

void Reader::use_only(std::span<const std::size_t> columns) {
    used_.emplace(columns.begin(), columns.end());
}

bool Reader::finds_nested(std::size_t column) const noexcept {
    return std::ranges::count(records_->nested(), column, &detail::NestedCell::column) > 0;
}

/// Throws for something nested in a column in use; the first time it says what makes columns of it.
void Reader::refuse_nested() {
    for (const detail::NestedCell& cell : records_->nested()) {
        if (used_ && std::ranges::count(*used_, cell.column) == 0) continue;
        const char* const what = cell.is_array ? " has an array" : " has an object";
        records_->window().refuse(
            line(), "key " + shown(header()[cell.column]) + what + " where a cell is needed" +
                        (std::exchange(told_to_flatten_, true)
                             ? ""
                             : ": make columns of all that is nested: " + flattened(records_->window().name())));
    }
}

void Reader::pass_over_other_keys() noexcept {
    records_->pass_over_other_keys();
}

void Reader::set_missing_texts(std::span<const std::string> texts) {
    missing_texts_.clear();
    for (const std::string& given : texts) {
        MissingText& missing = missing_texts_.emplace_back(MissingText{given, given, {}});
        // A name may have such a mark, too.
        for (std::size_t mark = given.find('='); mark != std::string::npos; mark = given.find('=', mark + 1)) {
            const auto column = std::ranges::find(header(), given.substr(0, mark));
            if (column == header().end()) continue;
            missing.column = static_cast<std::size_t>(column - header().begin());
            missing.text = given.substr(mark + 1);
            break;
        }
    }
}

void Reader::empty_missing_texts() {
    emptied_.clear();
    for (std::size_t c = 0; c < cells_.size(); ++c)
        for (MissingText& missing : missing_texts_) {
            if (missing.column.value_or(c) != c || trimmed_cell(c) != missing.text) continue;
            emptied_.emplace_back(c, cells_[c]);
            cells_[c] = {};
            missing.met = true;
            break;
        }
}

std::vector<std::string> Reader::missing_texts() const {
    std::vector<std::string> given;
    for (const MissingText& missing : missing_texts_) given.push_back(missing.given);
    return given;
}

std::vector<std::string> Reader::unmet_missing_texts() const {
    std::vector<std::string> unmet;
    for (const MissingText& missing : missing_texts_)
        if (!missing.met) unmet.push_back(missing.given);
    return unmet;
}

std::string_view Reader::trimmed_cell(std::size_t column) const noexcept {
    return trimmed(cells_[column], separator_ != '\t');
}

namespace {

/// Says whether a number whose first mark is at `mark` has another one.
bool has_thousands(std::string_view text, std::size_t mark) {
    return text.find_first_not_of("+-0123456789.,") == std::string_view::npos &&
           text.find_first_of(",.", mark + 1) != std::string_view::npos;
}

}  // namespace

/// Returns "; --decimal-mark point reads it" for a number with the other mark than the stream's.
std::string Reader::other_mark_text(std::string_view text) const {
    const DecimalMark other = given_mark_ == DecimalMark::comma ? DecimalMark::point : DecimalMark::comma;
    if (!is_usual_mark_ || !read_written(text, other)) return "";
    return "; --decimal-mark " + std::string(to_string(other)) + " reads it";
}

double Reader::number(std::size_t column, const Remedies& remedies) const {
    const std::string_view text = trimmed_cell(column);
    if (finds_decimal_mark()) return marked_number(column, text, remedies);
    if (given_mark_ == DecimalMark::found) return plain_number(column, text, remedies);
    const std::optional<WrittenNumber> written = read_written(text, given_mark_);
    if (!written && is_missing(column)) return plain_number(column, text, remedies);
    if (!written)
        refuse_cell(column, Reason::bad_feature,
                    "is not a number as they are written with a decimal " + std::string(to_string(given_mark_)) +
                        other_mark_text(text));
    const double value = plain_number(column, written->text, remedies);
    require_one_sign(column, written->sign, value);
    return value;
}

namespace {

/// Says whether a text is a number as people write it.
bool is_written(std::string_view text, DecimalMark mark) {
    const std::optional<WrittenNumber> written = read_written(text, mark);
    double value = 0;
    return written && read_number(written->text, value) == std::errc() && std::isfinite(value);
}

}  // namespace

/// Returns a number with a point or no decimal mark.
double Reader::plain_number(std::size_t column, std::string_view text, const Remedies& remedies) const {
    const auto refuse_number = [&](const char* rule) {
        refuse_cell(
            column, Reason::bad_feature,
            with_remedy(rule, is_missing(column) ? for_column(remedies.missing, header()[column]) : remedies.text));
    };
    double value = 0;
    const std::errc error = read_number(text, value);
    if (error == std::errc::result_out_of_range)
        refuse_cell(column, Reason::bad_feature, "is out of the range of a number");
    if (text.empty()) refuse_number("is empty where a number is needed");
    if (error != std::errc() && mark_of_number(text) != NumberMark::none)
        refuse_cell(column, Reason::bad_feature,
                    with_remedy("is not a number as it is written, with marks of thousands or a decimal comma",
                                remedies.marks));
    if (error != std::errc() && (is_written(text, DecimalMark::point) || is_written(text, DecimalMark::comma)))
        refuse_cell(column, Reason::bad_feature,
                    with_remedy("is a number with a sign, a currency or blanks", remedies.marks));
    if (error != std::errc()) refuse_number("is not a number");
    if (!std::isfinite(value)) refuse_number("is not finite");
    return value;
}

/// Returns a number whose decimal mark may be a comma.
double Reader::marked_number(std::size_t column, std::string_view text, const Remedies& remedies) const {
    const std::size_t at = text.find_first_of(",.");
    if (at == std::string_view::npos) return plain_number(column, text, remedies);
    if (has_thousands(text, at))
        refuse_cell(column, Reason::bad_feature, with_remedy("has marks of thousands", remedies.marks));
    std::string with_point(text);
    with_point[at] = '.';
    const double value = plain_number(column, with_point, remedies);
    require_one_mark(column, text[at], remedies);
    return value;
}

bool Reader::is_number(std::size_t column) const {
    const std::string_view text = trimmed_cell(column);
    double value = 0;
    if (given_mark_ != DecimalMark::found) {
        return is_written(text, given_mark_);
    }
    const std::size_t mark = finds_decimal_mark() ? text.find_first_of(",.") : std::string_view::npos;
    if (mark == std::string_view::npos) return read_number(text, value) == std::errc() && std::isfinite(value);
    std::string with_point(text);
    with_point[mark] = '.';
    return !has_thousands(text, mark) && read_number(with_point, value) == std::errc();
}

/// Throws for a number with another decimal mark than those before it: one of the two separates thousands.
void Reader::require_one_mark(std::size_t column, char mark, const Remedies& remedies) const {
    if (decimal_mark_ == '\0') decimal_mark_ = mark;
    if (decimal_mark_ == mark) return;
    const char* const rule = mark == ','
                                 ? "has a decimal comma, and numbers before it a decimal point: a file has one of them"
                                 : "has a decimal point, and numbers before it a decimal comma: a file has one of them";
    refuse_cell(column, Reason::bad_feature, remedies.marks.empty() ? rule : rule + ("; " + remedies.marks));
}

/// Throws for a number with another sign of currency or % than those before it in its column: they are of different
/// units. Zero is the same in all.
void Reader::require_one_sign(std::size_t column, const std::string& sign, double value) const {
    if (value == 0) return;
    const auto [before, is_first] = signs_.try_emplace(column, sign);
    const std::string& other = before->second;
    if (other == sign || (other != "%" && sign != "%" && (other.empty() || sign.empty()))) return;
    const auto shown_sign = [](const std::string& one) { return one.empty() ? "no sign" : "the sign " + one; };
    refuse_cell(column, Reason::bad_feature,
                "has " + shown_sign(sign) + ", and a number before it " + shown_sign(other) +
                    ": a column has numbers of one unit; write all of them in one" +
                    for_column(", or --leave-out COL leaves the column out", header()[column]));
}

bool Reader::is_in_per_cent(std::size_t column) const {
    const auto found = signs_.find(column);
    return found != signs_.end() && found->second == "%";
}

bool Reader::wait(std::chrono::milliseconds most) const {
    return is_broken() || records_->wait(most);
}

bool Reader::is_missing(std::size_t column) const noexcept {
    return is_missing_value(trimmed_cell(column));
}

std::int64_t Reader::time(std::size_t column, std::optional<TimeUnit> unit, DateOrder order) const {
    const std::optional<std::int64_t> time = read_time(trimmed_cell(column), unit, order);
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

std::uint64_t Reader::line() const noexcept {
    return records_->line();
}

double Reader::progress() const noexcept {
    return records_->window().progress();
}

void Reader::refuse_cell(std::size_t column, Reason reason, const std::string& rule) const {
    const auto emptied = std::ranges::find(emptied_, column, &std::pair<std::size_t, std::string_view>::first);
    const std::string cell =
        emptied == emptied_.end() ? shown(cells_[column]) : shown(emptied->second) + ", a missing value here,";
    throw InvalidInput(
        reason, records_->window().at_line(line(), "column " + shown(header()[column]) + ": " + cell + " " + rule));
}

}  // namespace fairstream::csv
