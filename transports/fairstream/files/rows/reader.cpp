#include <fairstream/files/rows/reader.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/files/rows/detail/delimited_text.hpp>
#include <fairstream/files/rows/detail/file_format.hpp>
#include <fairstream/files/rows/detail/json_lines.hpp>

namespace fairstream::files {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Begins a pass behind the byte order mark.
detail::ByteWindow begin_window(const InputFile& file) {
    detail::ByteWindow window(file, row_limit);
    while (byte_order_mark.starts_with(window.view().substr(0, byte_order_mark.size())) &&
           window.size() < byte_order_mark.size() && window.fill(1)) {
    }
    if (window.view().starts_with(byte_order_mark)) window.release(byte_order_mark.size());
    return window;
}

bool is_named_json_lines(std::filesystem::path path) {
    if (path.extension() == ".gz" || path.extension() == ".zst") path.replace_extension();
    return path.extension() == ".jsonl" || path.extension() == ".ndjson";
}

/// Fills the window with the bytes that determine the shape, and the columns of JSON lines. For a pipe that is read
/// once, waits only for the first line; if this line does not determine the shape, waits for more until nothing has
/// come for `longest_pause`.
void take_head(const InputFile& file, detail::ByteWindow& window) {
    constexpr std::size_t usual_size = std::size_t{64} << 10, largest_size = std::size_t{4} << 20, least_lines = 3;
    constexpr std::chrono::milliseconds longest_pause{1000};
    for (;;) {
        const std::string_view first = window.view().substr(0, window.view().find('\n'));
        const bool has_line = first.size() < window.size(), is_json = first.find_first_not_of(" \t\r") < first.size() &&
                                                                      first[first.find_first_not_of(" \t\r")] == '{';
        const std::size_t lines = is_json ? detail::lines_of_columns : least_lines;
        const bool is_long = window.size() >= (is_json ? 0 : usual_size);
        if (is_long && std::ranges::count(window.view(), '\n') >= static_cast<std::ptrdiff_t>(lines)) return;
        if (window.size() >= largest_size && (has_line || !is_json)) return;
        if (!file.is_rereadable() && has_line &&
            ((!is_json && determines_shape(first)) || !window.wait(window.size(), longest_pause)))
            return;
        if (!window.fill(1)) return;
    }
}

Shape detect_input_shape(const InputFile& file, const ShapeOptions& given, detail::ByteWindow& window) {
    detail::require_readable(file.path(), window.view());
    if (is_named_json_lines(file.path()) && window.view().find_first_not_of(" \t\r\n") != std::string_view::npos &&
        window.view()[window.view().find_first_not_of(" \t\r\n")] != '[') {
        Shape shape;
        shape.layout = Layout::json_lines;
        return shape;
    }
    return detect_shape(window.view(), window.has_ended(), given, file.name());
}

}  // namespace

Reader::Reader(const InputFile& file) : input_(file) {
    detail::ByteWindow window = begin_window(file);
    take_head(file, window);
    shape_ = file.shape([&](const ShapeOptions& given) { return detect_input_shape(file, given, window); });
    set_decimal_mark(DecimalMark::found);
    if (shape_.is_delimited()) {
        window.take_lines(shape_.lines);
        records_ = std::make_unique<detail::DelimitedText>(std::move(window), shape_);
    } else {
        records_ = std::make_unique<detail::JsonLines>(std::move(window));
    }
}

Reader::Reader(const std::filesystem::path& path) : Reader(InputFile(path)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const std::vector<std::string>& Reader::header() const noexcept {
    return records_->header();
}

std::optional<Reader::ColumnRange> Reader::find_column(std::string_view name) const {
    const std::vector<std::string>& names = header();
    for (; indexed_names_ < names.size(); ++indexed_names_)  // JSON lines add keys over time
        column_ranges_
            .try_emplace(std::string(trimmed(names[indexed_names_], shape_.separator)),
                         ColumnRange{indexed_names_, indexed_names_})
            .first->second.last = indexed_names_;
    const auto found = column_ranges_.find(trimmed(name, shape_.separator));
    return found == column_ranges_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t Reader::column(std::string_view name) const {
    constexpr std::size_t most_listed = 20;
    const std::optional<ColumnRange> range = find_column(name);
    if (!range)
        records_->window().refuse(1, "there is no column " + shown(name) + did_you_mean(name, header()) +
                                         "; the columns are " + first_shown(header(), most_listed) +
                                         (shape_.has_header ? "" : " (" + to_string(shape_) + ")"));
    if (range->first != range->last)
        records_->window().refuse(1, "column " + shown(name) + " is repeated in the header");
    return range->first;
}

bool Reader::next() {
    if (is_broken()) throw std::runtime_error(broken_);
    std::string why;
    detail::RowResult found{};
    try {
        found = records_->next(cells_, why);
    } catch (const InvalidInput& error) {
        broken_ = error.what();
        throw;
    }
    if (found == detail::RowResult::bad_row) throw BadRow(Reason::malformed, records_->window().at_line(line(), why));
    if (!missing_texts_.empty()) empty_missing_texts();
    return found == detail::RowResult::row;
}

void Reader::set_decimal_mark(DecimalMark mark) noexcept {
    mark_ = mark == DecimalMark::found ? shape_.decimal_mark : mark;
}

void Reader::find_all_columns(const std::function<void(double)>& progress) {
    if (records_->may_have_more_columns() && input_.is_rereadable())
        records_->find_all_columns(begin_window(input_), progress);
}

void Reader::expect(std::span<const std::string> names) {
    if (std::ranges::all_of(names, [&](const std::string& name) { return has_column(name); })) return;
    find_all_columns();
    if (records_->may_have_more_columns()) records_->provide(names);
}

void Reader::provide(std::span<const std::string> names) {
    records_->provide(names);
}

std::vector<std::string> Reader::absent_columns() const {
    return records_->absent_columns();
}

void Reader::set_missing_texts(std::span<const std::string> texts) {
    missing_texts_.clear();
    for (const std::string& given : texts) {
        MissingText& missing = missing_texts_.emplace_back(MissingText{given, given, {}});
        // A name may contain an equals sign.
        for (std::size_t mark = given.find('='); mark != std::string::npos; mark = given.find('=', mark + 1)) {
            const auto column = std::ranges::find(header(), given.substr(0, mark));
            if (column == header().end()) continue;
            missing.column = static_cast<std::size_t>(column - header().begin());
            missing.text = given.substr(mark + 1);
            break;
        }
        double value = 0;
        if (read_number(missing.text, DecimalMark::point, value) == std::errc()) missing.value = value;
    }
}

bool Reader::is_text(const MissingText& missing, std::size_t column) const {
    const std::string_view cell = trimmed_cell(column);
    double value = 0;
    return cell == missing.text ||
           (missing.value && read_number(cell, mark_, value) == std::errc() && value == *missing.value);
}

void Reader::empty_missing_texts() {
    emptied_cells_.clear();
    for (std::size_t c = 0; c < cells_.size(); ++c)
        for (MissingText& missing : missing_texts_) {
            if (missing.column.value_or(c) != c || !is_text(missing, c)) continue;
            emptied_cells_.emplace_back(c, cells_[c]);
            cells_[c] = {};
            missing.has_occurred = true;
            break;
        }
}

std::vector<std::string> Reader::missing_texts() const {
    std::vector<std::string> given;
    for (const MissingText& missing : missing_texts_) given.push_back(missing.given);
    return given;
}

std::vector<std::string> Reader::unused_missing_texts() const {
    std::vector<std::string> unused;
    for (const MissingText& missing : missing_texts_)
        if (!missing.has_occurred) unused.push_back(missing.given);
    return unused;
}

bool Reader::had_missing_text(std::size_t column) const noexcept {
    return std::ranges::count(emptied_cells_, column, &std::pair<std::size_t, std::string_view>::first) > 0;
}

double Reader::number(std::size_t column) const {
    const std::string_view text = trimmed_cell(column);
    double value = 0;
    const std::errc error = read_number(text, mark_, value);
    if (error == std::errc() && std::isfinite(value)) return value;
    const Fault fault = is_missing_value(text) ? Fault::missing : Fault::text;
    if (error == std::errc::result_out_of_range)
        refuse_cell(column, Reason::bad_feature, "is out of the range of a number");
    if (text.empty()) refuse_cell(column, Reason::bad_feature, "is empty where a number is needed", fault);
    refuse_cell(column, Reason::bad_feature, error == std::errc() ? "is not finite" : "is not a number", fault);
}

bool Reader::is_number(std::size_t column) const {
    double value = 0;
    return read_number(trimmed_cell(column), mark_, value) == std::errc() && std::isfinite(value);
}

bool Reader::wait(std::chrono::milliseconds most) const {
    return is_broken() || records_->wait(most);
}

std::int64_t Reader::time(std::size_t column, std::optional<TimeUnit> unit, DateOrder order) const {
    const std::optional<std::int64_t> time = read_time(trimmed_cell(column), unit, order);
    if (!time)
        refuse_cell(column, Reason::malformed,
                    "is not a time: must be like 2026-01-31T08:15:00Z, or " +
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

void Reader::refuse_cell(std::size_t column, Reason reason, const std::string& rule, Fault fault) const {
    const auto emptied = std::ranges::find(emptied_cells_, column, &std::pair<std::size_t, std::string_view>::first);
    const std::string cell =
        emptied == emptied_cells_.end() ? shown(cells_[column]) : shown(emptied->second) + " (a missing value here)";
    throw BadRow(reason,
                 records_->window().at_line(line(), "column " + shown(header()[column]) + ": " + cell + " " + rule),
                 fault, header()[column], std::string(trimmed_cell(column)));
}

}  // namespace fairstream::files
