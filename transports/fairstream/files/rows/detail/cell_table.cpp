#include <fairstream/files/rows/detail/cell_table.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <fairstream/files/cells/numbers.hpp>
#include <fairstream/files/rows/shape.hpp>

namespace fairstream::files::detail {
namespace {

constexpr std::size_t most_rows = 1000;  // number of rows examined

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/// Reads the complete records of a text.
class HeadReader {
public:
    HeadReader(const Head& head, char separator)
        : text_(head.text),
          is_all_(head.is_all),
          has_escapes_(head.has_escapes),
          quote_mark_(head.quote_mark),
          separator_(separator) {}

    std::vector<Record> records() {
        std::vector<Record> all;
        while (at_ < text_.size() && all.size() < most_rows) {
            Record record{{}, line_};
            if (!read(record)) break;
            all.push_back(std::move(record));
        }
        return all;
    }

private:
    [[nodiscard]] bool separates(char c) const { return c == separator_ || (separator_ == blanks && c == '\t'); }
    [[nodiscard]] bool ends() const { return at_ >= text_.size() || text_[at_] == '\n'; }
    void pass_blanks() {
        while (at_ < text_.size() && is_blank(text_[at_]) && (separator_ == blanks || !separates(text_[at_]))) ++at_;
    }

    /// Reads a record and its line end; returns false if the text is cut within it.
    bool read(Record& record) {
        for (;;) {
            pass_blanks();
            if (separator_ == blanks && ends() && !record.cells.empty()) break;
            record.cells.push_back(cell());
            pass_blanks();
            if (ends()) break;
            if (separator_ != blanks) ++at_;
        }
        if (at_ >= text_.size() && !is_all_) return false;
        ++at_, ++line_;
        return true;
    }

    std::string cell() {
        std::string cell;
        if (at_ < text_.size() && text_[at_] == quote_mark_) {
            for (++at_; at_ < text_.size(); ++at_) {
                if (is_escaped(at_ + 1)) {
                    cell += text_[++at_];
                    continue;
                }
                if (text_[at_] == quote_mark_ && (at_ + 1 >= text_.size() || text_[at_ + 1] != quote_mark_)) break;
                if (text_[at_] == quote_mark_) ++at_;
                line_ += text_[at_] == '\n';
                cell += text_[at_];
            }
            ++at_;
        }
        const std::size_t first = at_;
        while (!ends() && !separates(text_[at_])) ++at_;
        cell += text_.substr(std::min(first, text_.size()), at_ - first);
        if (cell.ends_with('\r') && ends()) cell.pop_back();
        return std::string(trimmed(cell, separator_));
    }

    /// Returns whether a backslash escapes this quote or backslash, within quotes.
    [[nodiscard]] bool is_escaped(std::size_t at) const noexcept {
        return has_escapes_ && at < text_.size() && text_[at - 1] == '\\' &&
               (text_[at] == quote_mark_ || text_[at] == '\\');
    }

    std::string_view text_;
    bool is_all_, has_escapes_;
    char quote_mark_, separator_;
    std::size_t at_ = 0;
    std::uint64_t line_ = 0;
};

}  // namespace

std::vector<Record> read_records(const Head& head, char separator) {
    return HeadReader(head, separator).records();
}

/// Returns a cell as a number with either decimal mark.
std::optional<double> number_in(std::string_view cell) {
    double value = 0;
    for (const DecimalMark mark : {DecimalMark::point, DecimalMark::comma})
        if (read_number(cell, mark, value) == std::errc()) return value;
    return std::nullopt;
}

bool is_number(std::string_view cell) {
    return number_in(cell).has_value();
}

CellTable::CellTable(const Head& head, char by) : separator(by), records(read_records(head, by)) {
    std::map<std::size_t, std::size_t> count;
    for (const Record& record : records) ++count[record.width()];
    for (const auto& [of_width, records_of_width] : count)
        if (records_of_width >= regular_records) width = of_width, regular_records = records_of_width;
    // If most lines have one cell, looks for a width above 1. A title longer than the table, or a column of text with a
    // few commas, may have caused the one cell.
    if (width > 1 || count.size() < 2) return;
    for (const auto& [of_width, records_of_width] : count)
        if (of_width > 1 && 2 * records_of_width > records.size()) width = of_width, regular_records = records_of_width;
}

bool CellTable::has_numbers() const {
    for (std::size_t column = 0; column < width; ++column)
        if (std::ranges::all_of(records, [&](const Record& record) {
                return record.width() != width || &record == records.data() || is_number(record.cells[column]);
            }))
            return true;
    return false;
}

namespace {

/// Returns whether the commas that separate `by_commas` are decimal marks: in the other table, all of them lie in cells
/// of numbers.
bool separates_decimals(const CellTable& by_commas, const CellTable& other) {
    if (by_commas.separator != ',') return false;
    bool has_some = false;
    for (const Record& record : other.records)
        for (const std::string& cell : record.cells) {
            if (cell.find(',') == std::string::npos) continue;
            double value = 0;
            if (read_number(cell, DecimalMark::comma, value) != std::errc()) return false;
            has_some = true;
        }
    return has_some;
}

}  // namespace

CellTable best_table(const Head& head) {
    CellTable best(',');
    for (const char separator : usual_separators) {
        CellTable table(head, separator);
        // If only one line has the width of the table, it must be the first line.
        const bool is_table = table.width > 1 && (table.regular_records > 1 || table.records[0].width() == table.width);
        const bool is_better = is_table && (best.width < 2 || table.regular_records > best.regular_records ||
                                            (table.regular_records == best.regular_records &&
                                             (table.width > best.width || separates_decimals(best, table))));
        if (is_better || best.records.empty()) best = std::move(table);
    }
    // Blanks may separate cells even if another separator seems to do so: a tab among the blanks, or decimal commas.
    if (best.width > 1 && best.separator != '\t' && best.separator != ',') return best;
    CellTable spaced(head, blanks);
    if (best.width > 1 && best.separator == ',' && !separates_decimals(best, spaced)) return best;
    const bool is_spaced =
        spaced.width > 1 && spaced.records.size() > 1 && spaced.has_numbers() &&
        2 * spaced.regular_records > spaced.records.size() &&
        (best.width < 2 || (spaced.regular_records > best.regular_records && spaced.width >= best.width) ||
         (spaced.regular_records == best.regular_records && separates_decimals(best, spaced)) ||
         (spaced.regular_records == best.regular_records && spaced.width >= 2 * best.width));
    return is_spaced ? std::move(spaced) : std::move(best);
}

}  // namespace fairstream::files::detail
