#include <fairstream/files/rows/shape.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <span>
#include <utility>

#include <fairstream/base/types.hpp>
#include <fairstream/files/cells/numbers.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/files/rows/detail/cell_table.hpp>

namespace fairstream::files {
namespace {

using detail::CellTable, detail::Head, detail::Record, detail::best_table, detail::is_number, detail::number_in,
    detail::read_records;
using detail::usual_separators;

constexpr std::array<std::pair<char, std::string_view>, 4> names_of_separators{
    {{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {blanks, "blanks"}}};
constexpr std::uint64_t most_titles = 50;

[[noreturn]] void refuse_shape(const std::string& file, const std::string& what) {
    throw InvalidInput(Reason::malformed, file + ": " + what);
}

/// Returns whether the names are consecutive numbers: programs may number columns instead of naming them, or name
/// years.
bool are_consecutive_numbers(const std::vector<std::string>& names) {
    std::optional<long> before;
    for (const std::string& name : names) {
        if (name.empty() || name.size() > 9 || name.find_first_not_of("0123456789") != std::string::npos) return false;
        const long number = std::stol(name);
        if (before ? number != *before + 1 : number > 1 && names.size() < 3) return false;
        before = number;
    }
    return true;
}

bool has_only_digits(std::string_view cell) {
    return cell.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns whether a number lies in the range of the others, or no further outside than the range is wide.
bool is_near(double value, std::span<const double> others) {
    if (others.empty()) return false;
    const auto [least, largest] = std::ranges::minmax(others);
    return value >= least - (largest - least) && value <= largest + (largest - least);
}

/// Returns whether the first record of a table is a row and not a header, judged by the rows after it. A text above
/// numbers is a name. Repeated texts are cells, and so are numbers with decimals that are like those below them.
bool is_row(const Record& first, std::span<const Record> rows, bool has_numbered_columns) {
    std::size_t numbers = 0, near = 0, fractions = 0, texts = 0, again = 0, often = 0, above_numbers = 0;
    bool has_fraction = false, has_missing = false, are_whole = true;
    std::vector<std::string> counting;
    for (std::size_t column = 0; column < first.width(); ++column) {
        const std::string& cell = first.cells[column];
        if (is_missing_value(cell)) {
            has_missing = true;
            continue;
        }
        std::size_t times = 0;
        bool are_numbers = true;
        std::vector<double> below;
        for (const Record& row : rows) {
            if (row.width() != first.width() || row.cells == first.cells || is_missing_value(row.cells[column]))
                continue;
            times += row.cells[column] == cell;
            const std::optional<double> value = number_in(row.cells[column]);
            are_numbers = are_numbers && value;
            are_whole = are_whole && has_only_digits(row.cells[column]);
            if (value) below.push_back(*value);
        }
        if (const std::optional<double> value = number_in(cell)) {
            ++numbers;
            near += is_near(*value, below);
            const bool is_fraction = !below.empty() && cell.find_first_of(".,-") != std::string::npos;
            has_fraction = has_fraction || is_fraction;
            fractions += is_fraction && is_near(*value, below);
            counting.push_back(cell);
            continue;
        }
        ++texts;
        again += times > 0;
        often += times > 1;  // a name may by mistake be repeated once below
        above_numbers += !below.empty() && are_numbers;
    }
    if (above_numbers > 0) return often == texts - above_numbers && often + fractions >= above_numbers;
    if (numbers == 0) return again > 1 || (again == texts && texts > (has_missing ? 0U : 1U) && rows.size() > 1);
    if (again > 0) return true;
    // In one or two columns, numbers above integers are more probably cells than names; so are years above years.
    constexpr double least_year = 1000;
    const bool counts = has_numbered_columns && are_consecutive_numbers(counting);
    const bool are_cells =
        texts == 0 && are_whole && (counting.size() < 3 || number_in(counting.front()) >= least_year);
    const bool may_be_row = has_fraction || !counts || are_cells;
    return may_be_row && (texts == 0 || 2 * near > numbers);
}

/// Detects the shape of delimited text.
class ShapeDetector {
public:
    ShapeDetector(CellTable table, const ShapeOptions& given, Shape& shape, std::string file)
        : records_(std::move(table.records)), given_(given), shape_(shape), file_(std::move(file)) {
        shape_.separator = table.separator;
        width_ = table.width;
    }

    void detect() {
        if (records_.empty()) refuse_shape(file_ + ":1", "the file is empty; a header line is required");
        drop_empty_trailing_cells();
        find_first();
        const bool seems_row =
            is_row(records_[first_], std::span(records_).subspan(first_ + 1), given_.has_numbered_columns);
        const bool may_be_before = seems_row && first_ > 0 && !given_.has_header && !given_.skipped_lines;
        if (may_be_before && given_.has_numbered_columns) uncomment_names(records_[first_ - 1]);
        if (may_be_before && is_header(records_[first_ - 1]))
            use_header_of_other_width();
        else
            shape_.has_header = given_.has_header.value_or(!seems_row);
        shape_.skipped_lines = given_.skipped_lines.value_or(first_ == 0 ? 0 : records_[first_].line);
        take_names();
        find_decimal_mark();
    }

private:
    /// Removes cells from the end of rows, if they are empty in nearly all rows.
    void drop_empty_trailing_cells() {
        constexpr std::size_t least_ratio = 10;  // least ratio of all rows to rows with filled cells at the end
        std::vector<std::size_t> filled;
        for (const Record& record : records_)
            if (record.width() == width_) filled.push_back(record.filled());
        if (filled.empty()) return;
        const std::size_t of_header = filled.front();
        std::ranges::sort(filled);
        width_ = std::max({filled[filled.size() - 1 - filled.size() / least_ratio], of_header, std::size_t{1}});
        std::size_t widest = width_;
        for (Record& record : records_) {
            if (record.width() < width_ || record.filled() > width_ || record.filled() == 0) continue;
            widest = std::max(widest, record.width());
            record.cells.resize(width_);
        }
        shape_.spare_cells = widest - width_;
    }

    /// Returns whether a record has the columns of the table.
    [[nodiscard]] bool fits(const Record& record) const {
        return record.width() == width_ && record.filled() > 0 && !record.cells[0].starts_with('#');
    }

    /// Finds the header, or the first row; the lines before it are titles.
    void find_first() {
        if (given_.skipped_lines) {
            first_ = static_cast<std::size_t>(
                std::ranges::find_if(records_, [&](const Record& r) { return r.line >= *given_.skipped_lines; }) -
                records_.begin());
            if (first_ == records_.size())
                refuse_shape(file_, "--skip-lines " + std::to_string(*given_.skipped_lines) + " skips every line");
            return;
        }
        const auto fit = [&](const Record& record) { return fits(record); };
        const auto found = std::ranges::find_if(records_, fit);
        const auto is_comment = [](const Record& record) {
            return record.cells[0].starts_with('#') || record.filled() == 0;
        };
        const bool is_table =
            width_ > 1 ? std::ranges::count_if(records_, fit) > 1 : std::all_of(records_.begin(), found, is_comment);
        const auto before = static_cast<std::size_t>(found - records_.begin());
        if (is_table && before <= most_titles && found != records_.end()) first_ = before;
        skip_padded_titles();
    }

    /// Skips titles that are padded to the width of the table: lines above the header with at least half of their cells
    /// empty.
    void skip_padded_titles() {
        const auto is_title = [&](const Record& record) {
            const auto empty = std::ranges::count(record.cells, "");
            return !fits(record) || 2 * static_cast<std::size_t>(empty) >= width_;
        };
        std::size_t at = first_;
        while (at < records_.size() && at <= most_titles && is_title(records_[at])) ++at;
        const bool is_found = at < records_.size() && at <= most_titles && width_ > 2 && is_header(records_[at]);
        if (is_found && !is_row(records_[at], std::span(records_).subspan(at + 1), given_.has_numbered_columns))
            first_ = at;
    }

    /// Returns whether a line before the rows has names, even if the rows have another number of cells.
    [[nodiscard]] static bool is_header(const Record& record) {
        return record.width() > 1 && record.filled() == record.width() && !record.cells[0].starts_with('#') &&
               std::ranges::none_of(record.cells, is_number) &&
               std::set<std::string>(record.cells.begin(), record.cells.end()).size() == record.width();
    }

    /// Makes a header of a comment with as many names as there are columns, "#x,y" or "# x y".
    void uncomment_names(Record& comment) const {
        std::vector<std::string> names = comment.cells;
        if (!names[0].starts_with('#')) return;
        names[0] = trimmed(std::string_view(names[0]).substr(1), shape_.separator);
        if (names[0].empty()) names.erase(names.begin());
        if (names.size() == width_ && width_ > 1) comment.cells = std::move(names);
    }

    /// Takes the line before the first row as the header. In R's files of rows with names, the header lacks the first
    /// column's name. Otherwise the widths of header and rows differ, and each row is refused.
    void use_header_of_other_width() {
        bool are_texts = true, count_rows = true;
        for (std::size_t i = first_; i < records_.size(); ++i) {
            if (!fits(records_[i])) continue;
            are_texts = are_texts && !is_number(records_[i].cells[0]);
            count_rows = count_rows && records_[i].cells[0] == std::to_string(i - first_ + 1);
        }
        Record& header = records_[--first_];
        if (header.width() + 1 == width_ && (are_texts || count_rows)) header.cells.insert(header.cells.begin(), "");
    }

    void take_names() {
        const std::vector<std::string>& cells = records_[first_].cells;
        if (!given_.names.empty() && given_.names.size() != cells.size())
            refuse_shape(file_, "--names has " + std::to_string(given_.names.size()) + " names, and there are " +
                                    std::to_string(cells.size()) + " columns");
        for (std::size_t i = 0; i < cells.size(); ++i)
            shape_.names.push_back(!given_.names.empty() ? given_.names[i]
                                   : !shape_.has_header  ? std::to_string(i + 1)
                                   : cells[i].empty()    ? "column " + std::to_string(i + 1)
                                                         : cells[i]);
        if (!shape_.has_header) shape_.first_row = cells;
        if (!shape_.has_header || given_.has_header || !given_.names.empty()) return;
        const bool may_be_numbers = std::ranges::all_of(cells, is_number) && has_whole_rows();
        const auto doubtful = std::ranges::find_if(cells, [&](const std::string& cell) {
            return may_be_numbers || (is_missing_value(cell) && !cell.empty()) ||
                   (is_number(cell) && cell.find_first_of(".-") != cell.npos);
        });
        if (doubtful != cells.end()) shape_.doubtful_name = *doubtful;
    }

    /// Returns whether all cells below the header are integers.
    [[nodiscard]] bool has_whole_rows() const {
        return std::all_of(records_.begin() + static_cast<std::ptrdiff_t>(first_) + 1, records_.end(),
                           [](const Record& record) { return std::ranges::all_of(record.cells, has_only_digits); });
    }

    /// Sets the comma as the decimal mark if numbers have commas, at least as many as have points. Numbers with three
    /// digits behind their mark may have thousands and do not count; between semicolons, however, a comma counts.
    void find_decimal_mark() {
        std::size_t commas = 0, points = 0;
        for (std::size_t i = first_; i < records_.size(); ++i)
            for (const std::string& cell : records_[i].cells) {
                double value = 0;
                const bool has_comma = cell.find(',') != std::string::npos;
                const bool may_be_thousands = may_have_thousands(cell),
                           is_told = shape_.separator == ';' || !may_be_thousands;
                commas += has_comma && is_told && read_number(cell, DecimalMark::comma, value) == std::errc();
                points += !has_comma && !may_be_thousands && cell.find('.') != std::string::npos &&
                          read_number(cell, DecimalMark::point, value) == std::errc();
            }
        if (commas > 0 && commas >= points) shape_.decimal_mark = DecimalMark::comma;
    }

    std::vector<Record> records_;
    const ShapeOptions& given_;
    Shape& shape_;
    std::string file_;
    std::size_t width_ = 0, first_ = 0;
};

/// Returns the text of lines that are each quoted as a whole, without these quotes; nothing for other lines.
std::optional<std::string> without_outer_quotes(const Head& head) {
    const std::string_view text = head.text;
    if (!text.starts_with('"')) return std::nullopt;
    const std::vector<Record> records = read_records(head, '\0');
    std::string inner;
    std::size_t lines = 0;
    for (std::size_t first = 0; first < text.size() && lines < records.size(); ++lines) {
        const std::size_t end = std::min(text.find('\n', first), text.size());
        std::string_view line = text.substr(first, end - first);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.size() < 2 || line.front() != '"' || line.back() != '"') return std::nullopt;
        inner += records[lines].cells.at(0) + "\n";
        first = end + 1;
    }
    for (const char separator : usual_separators) {
        const CellTable outer(head, separator), of_inner({inner, true}, separator);
        if (outer.width == 1 && of_inner.width > 1 && of_inner.regular_records > 1 &&
            of_inner.regular_records == of_inner.records.size())
            return inner;
    }
    return std::nullopt;
}

std::string in_small_letters(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
    return small;
}

/// Reads the names of an ARFF file, and counts the lines before its rows; returns false for another file.
bool take_arff(std::string_view head, Shape& shape, const std::string& file) {
    bool is_arff = false;
    std::uint64_t lines = 0;
    for (std::size_t first = 0; first < head.size(); ++lines) {
        const std::size_t end = std::min(head.find('\n', first), head.size());
        std::string_view line = trimmed(head.substr(first, end - first), ',');
        if (line.ends_with('\r')) line = trimmed(line.substr(0, line.size() - 1), ',');
        first = end + 1;
        if (line.empty() || line.front() == '%') continue;
        const std::string small = in_small_letters(line.substr(0, line.find_first_of(" \t")));
        if (!is_arff && small != "@relation") return false;
        is_arff = true;
        if (small == "@data") {
            const std::size_t row = head.find_first_not_of(" \t\r\n", first);
            if (row != std::string_view::npos && head[row] == '{')
                refuse_shape(file, "is a sparse ARFF file, which is not read: write all values of its rows");
            if (head.find(",'", first) != std::string_view::npos || (row < head.size() && head[row] == '\''))
                shape.quote_mark = '\'';
            shape.layout = Layout::arff;
            shape.has_escapes = true;
            shape.has_header = false;
            shape.skipped_lines = lines + 1;
            return true;
        }
        if (small != "@attribute") continue;
        line = trimmed(line.substr(small.size()), ',');
        const bool is_quoted = !line.empty() && (line.front() == '\'' || line.front() == '"');
        const std::size_t from = is_quoted ? 1 : 0;
        const std::size_t last = is_quoted ? line.find(line.front(), 1) : line.find_first_of(" \t{");
        shape.names.emplace_back(line.substr(from, std::min(last, line.size()) - from));
    }
    if (is_arff) refuse_shape(file, "is an ARFF file without @data in its first lines");
    return false;
}

/// Reads a first line "sep=;", which spreadsheets write; returns the separator.
std::optional<char> named_separator(std::string_view line) {
    constexpr std::string_view begin = "sep=";
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() != begin.size() + 1 || !line.starts_with(begin)) return std::nullopt;
    const bool is_one = std::ranges::count(usual_separators, line.back()) > 0;
    return is_one ? std::optional(line.back()) : std::nullopt;
}

/// Returns whether the first lines consist of a number and at least two pairs, "3:0.5", with rising indices.
bool is_libsvm(std::string_view head) {
    constexpr std::size_t lines = 3, pairs = 2;
    std::size_t end = 0;
    for (std::size_t line = 0; line < lines; ++line)
        if (end = head.find('\n', end); end++ == std::string_view::npos) return false;
    const std::vector<Record> records = read_records({head.substr(0, end), true}, blanks);
    const auto is_sparse_row = [](const Record& record) {
        std::uint64_t before = 0;
        for (std::size_t i = 1; i < record.width(); ++i) {
            const std::string& cell = record.cells[i];
            std::uint64_t index = 0;
            const auto [colon, error] = std::from_chars(cell.data(), cell.data() + cell.size(), index);
            if (error != std::errc() || *colon != ':' || (i > 1 && index <= before) || !is_number(colon + 1))
                return false;
            before = index;
        }
        return record.width() > pairs && is_number(record.cells[0]);
    };
    return std::ranges::all_of(records, is_sparse_row);
}

/// Throws for a text that begins like another format; a column may be named [x].
void refuse_other_formats(std::string_view head, bool has_skipped_lines, const std::string& file) {
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return;
    if (head[first] == '<') refuse_shape(file, "is HTML or XML, which is not read: write its table as CSV");
    if (head.starts_with("%%MatrixMarket") && !has_skipped_lines) {
        std::size_t lines = 1, at = 0;  // `lines` includes the line of sizes
        for (; at < head.size() && head[at] == '%'; at = std::min(head.find('\n', at), head.size() - 1) + 1) ++lines;
        refuse_shape(file, "is a Matrix Market file: add --skip-lines " + std::to_string(lines) + " to read its rows");
    }
    const std::string_view line = head.substr(first, head.find('\n', first) - first);
    if (line.find("::") != line.rfind("::") && line.find_first_of(",;\t|") == std::string_view::npos)
        refuse_shape(file, "has '::' between its cells, which is not read: use a single character instead");
    if (is_libsvm(head)) refuse_shape(file, "is LIBSVM text, which is not read: write one column per feature");
    if (head[first] != '[' && head[first] != '{') return;
    const std::size_t next = std::min(head.find_first_not_of(" \t\r\n", first + 1), head.size());
    const bool line_ends = head.substr(first + 1, next - first - 1).find('\n') != std::string_view::npos;
    if (head[first] == '{') {
        if (line_ends) refuse_shape(file, "has objects over several lines: write one object per line (JSON lines)");
        return;
    }
    if (next == head.size() || line_ends || std::string_view("{[]\"").find(head[next]) != std::string_view::npos)
        refuse_shape(file, "is a JSON array, which is not read: write one object per line (JSON lines)");
}

/// Returns the quote mark of cells. It is the single quote if most of the first lines after the header have a cell that
/// begins with one, all of these cells are closed, and no line has a double quote.
char quote_mark_of(std::string_view text) {
    constexpr std::size_t most_lines = 20;
    constexpr char single = '\'';
    std::size_t lines = 0, quoted = 0;
    for (; !text.empty() && lines < most_lines; ++lines) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.find('"') != std::string_view::npos || std::ranges::count(line, single) % 2 != 0) return '"';
        bool begins_cell = line.starts_with(single);
        for (const char separator : usual_separators)
            begins_cell = begins_cell || line.find({std::array{separator, single}.data(), 2}) != std::string_view::npos;
        quoted += begins_cell;
    }
    return quoted > 0 && 2 * quoted >= std::max<std::size_t>(lines, 2) - 1 ? single : '"';
}

/// Returns whether quotes within cells are escaped by a backslash: at least one quote is, and no cell ends at such a
/// quote.
bool has_escaped_quotes(std::string_view text, char quote_mark) {
    const std::string escaped{'\\', quote_mark};
    for (std::size_t at = text.find(escaped); at != std::string_view::npos; at = text.find(escaped, at + 1))
        if (at + 2 < text.size() && std::string_view(",;\t| \r\n\"'").find(text[at + 2]) == std::string_view::npos)
            return true;
    return false;
}

Shape detect_shape_of_lines(Head head, const ShapeOptions& given, Shape shape, const std::string& file) {
    ShapeOptions wanted = given;
    const std::string_view first_line = head.text.substr(0, head.text.find('\n'));
    head.quote_mark = shape.quote_mark = quote_mark_of(head.text);
    head.has_escapes = shape.has_escapes = has_escaped_quotes(head.text, head.quote_mark);
    if (const auto named = named_separator(first_line); named && !wanted.skipped_lines) {
        wanted.skipped_lines = 1;
        if (!wanted.separator) wanted.separator = named;
    }
    if (!wanted.separator && !wanted.has_header && shape.lines == Lines::plain)
        if (const auto inner = without_outer_quotes(head)) {
            shape.lines = Lines::in_quotes;
            return detect_shape_of_lines({*inner, head.is_all}, given, std::move(shape), file);
        }
    ShapeDetector(wanted.separator ? CellTable(head, *wanted.separator) : best_table(head), wanted, shape, file)
        .detect();
    return shape;
}

}  // namespace

std::string separator_name(char separator) {
    for (const auto& [character, name] : names_of_separators)
        if (character == separator) return std::string(name);
    return {separator};
}

std::optional<char> find_separator(std::string_view name) {
    for (const auto& [character, known] : names_of_separators)
        if (known == name) return character;
    if (name == "\\t") return '\t';
    const bool is_one = name.size() == 1 && std::string_view("\"\n\r").find(name) == std::string_view::npos;
    return is_one ? std::optional(name.front()) : std::nullopt;
}

std::string to_string(const Shape& shape) {
    std::string text = shape.layout == Layout::json_lines ? "JSON lines"
                       : shape.separator == blanks        ? "separated by blanks"
                                                          : separator_name(shape.separator) + " separated";
    if (shape.layout == Layout::arff) return "ARFF, " + text;
    if (shape.layout == Layout::json_lines) return text;
    if (shape.lines == Lines::in_quotes) text += ", lines in quotes";
    if (shape.lines == Lines::ended_by_cr) text += ", lines ended by CR";
    if (shape.quote_mark == '\'') text += ", single quotes";
    if (shape.has_escapes) text += ", backslashes before quotes";
    if (!shape.is_utf8) text += ", not UTF-8";
    if (shape.decimal_mark == DecimalMark::comma) text += ", decimal commas";
    if (shape.skipped_lines > 0)
        text +=
            ", " + std::to_string(shape.skipped_lines) + (shape.skipped_lines == 1 ? " line" : " lines") + " skipped";
    if (shape.has_header)
        return text + ", header in line " + std::to_string(shape.skipped_lines + 1) +
               (shape.doubtful_name.empty() ? ""
                                            : ", with the column name " + shown(shape.doubtful_name) +
                                                  ": if that line is a row, add --no-header");
    const bool are_numbers = shape.names.front() == "1";
    return text + ", no header: columns " + shape.names.front() +
           (shape.names.size() > 1 ? (are_numbers ? " to " : " ... ") + shape.names.back() : "");
}

std::string_view trimmed(std::string_view text, char separator) noexcept {
    const auto blank = [separator](char c) { return c == ' ' || (c == '\t' && separator != '\t'); };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

bool determines_shape(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || std::string_view("#@%\"").find(line[first]) != std::string_view::npos)
        return false;
    if (line[first] == '{') return true;
    std::optional<char> separator;
    for (const char one : usual_separators) {
        if (line.find(one) == std::string_view::npos) continue;
        if (separator) return false;
        separator = one;
    }
    if (!separator) return false;
    const std::vector<Record> records = read_records({line, true}, *separator);
    return !records.empty() && std::ranges::none_of(records[0].cells, [](const std::string& cell) {
        return cell.empty() || is_number(cell);
    });
}

Shape detect_shape(std::string_view head, bool is_all, const ShapeOptions& given, const std::string& file) {
    Shape shape;
    refuse_other_formats(head, given.skipped_lines.has_value(), file);
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && head[first] == '{') {
        shape.layout = Layout::json_lines;
        return shape;
    }
    shape.is_utf8 = is_utf8(std::string(is_all ? head : head.substr(0, head.rfind('\n') + 1)));
    if (take_arff(head, shape, file)) {
        if (!given.names.empty()) shape.names = given.names;
        return shape;
    }
    std::string with_lines;
    // The last line feed is left out: it was added if the file's last line has none.
    const std::string_view before_end = head.substr(0, head.empty() ? 0 : head.size() - 1);
    if (before_end.find('\r') < before_end.size() - 1 && before_end.find('\n') == std::string_view::npos) {
        with_lines = head;
        std::ranges::replace(with_lines, '\r', '\n');
        head = with_lines;
        shape.lines = Lines::ended_by_cr;
    }
    return detect_shape_of_lines({head, is_all}, given, std::move(shape), file);
}

}  // namespace fairstream::files
