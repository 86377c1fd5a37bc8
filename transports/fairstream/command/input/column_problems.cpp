#include <fairstream/command/input/column_problems.hpp>

#include <algorithm>

#include <fairstream/command/console/shell_word.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/input/by_column.hpp>

namespace fairstream::command {
namespace {

using csv::ColumnProfile;

/// Categories above which a column is hashed rather than split into a column for each.
constexpr std::size_t most_split = 50;
/// Columns that an error names one by one.
constexpr std::size_t most_columns_named = 8;

/// Returns the number of cells that are no numbers, or dates, in a column that has few of them; otherwise 0.
std::uint64_t odd_cells(const ColumnProfile& column) {
    constexpr std::uint64_t least_ratio = 20;  // of all cells to those
    const std::uint64_t there = column.cells - column.missing;
    const std::uint64_t odd = there - std::max(column.numbers, std::ranges::max(column.dates));
    return odd * least_ratio <= there ? odd : 0;
}

std::string such_as(const ColumnProfile& column) {
    return column.first_text.empty() ? "" : ", such as " + csv::shown(column.first_text);
}

std::string share_text(std::uint64_t some, std::uint64_t all) {
    return counted(static_cast<std::int64_t>(some)) + " of " + counted(static_cast<std::int64_t>(all));
}

/// Returns "columns 'a', 'b' are text".
std::string clause(const std::vector<std::string>& described, const char* of_one, const char* of_more) {
    std::string text = described.size() == 1 ? "column " : "columns ";
    for (std::size_t i = 0; i < std::min(described.size(), most_columns_named); ++i)
        text += (i > 0 ? ", " : "") + described[i];
    if (described.size() > most_columns_named)
        text += " and " + std::to_string(described.size() - most_columns_named) + " more";
    return text + (described.size() == 1 ? of_one : of_more);
}

/// Returns an option for these columns, " --dates a,b=days"; empty for none.
std::string option_for(const std::string& option, const std::vector<std::string>& names, const std::string& value) {
    return names.empty() ? "" : " " + option + " " + shell_word(names_text(names) + "=" + value);
}

/// Returns the same, but for many columns the option for all of their kind.
std::string option_for_many(const std::string& option, const std::vector<std::string>& names,
                            const std::string& value) {
    return names.size() > most_columns_named ? " " + option + " " + value : option_for(option, names, value);
}

/// Returns what makes plain numbers of those with marks, such as `example`.
std::string mend_of_marks(const std::string& example) {
    const std::string again = "export the file without marks of thousands and with decimal points, or take it through ";
    const std::size_t point = example.find_last_of('.'), comma = example.find_last_of(',');
    if (point != std::string::npos && (comma == std::string::npos || comma > point))
        return again + "tr -d . where no comma separates cells";
    if (csv::mark_of_number(example) == csv::NumberMark::comma)
        return again + "sed -E 's/\"([-+]?[0-9]+),([0-9]+)\"/\\1.\\2/g' if the comma is a decimal one";
    return again + "sed -E ':a; s/(\"[-+]?[0-9]+),([0-9]{3})/\\1\\2/; ta'";
}

}  // namespace

std::string values_text(const ColumnProfile& column) {
    return column.has_more_values ? "more than " + counted(csv::most_kept_values) + " values"
                                  : counted(column.levels().size(), "value");
}

void ColumnProblems::Kind::add(const ColumnProfile& column, const std::string& what) {
    described.push_back(csv::shown(column.name) + (what.empty() ? "" : " (" + what + ")"));
    names.push_back(column.name);
}

void ColumnProblems::add_text(const ColumnProfile& column) {
    if (column.marked > 0 && column.marked == column.cells - column.missing - column.numbers) {
        if (marked_.names.empty()) mend_marked_ = mend_of_marks(column.first_text);
        return marked_.add(
            column, "such as " + csv::shown(column.first_text) + " in line " + std::to_string(column.line_of_text));
    }
    if (const std::uint64_t odd = odd_cells(column)) {
        odd_cells_ += odd;
        const std::string line = column.first_text.empty() ? "" : " in line " + std::to_string(column.line_of_text);
        return odd_.add(column, share_text(odd, column.cells) + such_as(column) + line);
    }
    if (column.begins_with_different && column.cells > most_split) {
        ids_.push_back(column.name);
        const std::string where = column.has_more_values ? " in the first " + counted(csv::most_kept_values) : "";
        return texts_.add(column, "no value twice" + where + such_as(column));
    }
    const bool many = column.has_more_values || column.levels().size() > most_split;
    (many ? hashed_ : split_).push_back(column.name);
    texts_.add(column, values_text(column) + such_as(column));
}

void ColumnProblems::add_dates(const ColumnProfile& column, bool is_ambiguous) {
    dates_.add(column, "");
    is_ambiguous_ = is_ambiguous_ || is_ambiguous;
}

void ColumnProblems::add_missing(const ColumnProfile& column, bool is_number) {
    gaps_.add(column, share_text(column.missing, column.cells));
    (is_number ? number_gaps_ : other_gaps_).push_back(column.name);
}

void ColumnProblems::add_empty(const ColumnProfile& column) {
    empty_.add(column, "");
}

void ColumnProblems::require_none(const std::string& file, bool has_id) const {
    std::vector<std::string> clauses;
    const auto add = [&](const Kind& kind, const char* of_one, const char* of_more) {
        if (!kind.names.empty()) clauses.push_back(clause(kind.described, of_one, of_more));
    };
    add(texts_, " is text", " are text");
    add(odd_, " has cells that are nothing like the others", " have cells that are nothing like the others");
    add(marked_, " holds numbers with commas", " hold numbers with commas");
    add(dates_, is_ambiguous_ ? " holds dates, which do not show whether day or month comes first" : " holds dates",
        is_ambiguous_ ? " hold dates, which do not show whether day or month comes first" : " hold dates");
    add(gaps_, " lacks values", " lack values");
    add(empty_, " has no value", " have no values");
    if (clauses.empty()) return;
    std::string text = file + ": ";
    for (const std::string& each : clauses) text += (&each == clauses.data() ? "" : "; ") + each;
    const bool are_marked = !marked_.names.empty();
    if (clauses.size() > (are_marked ? 1 : 0)) text += ": " + options_text(has_id);
    if (are_marked) text += (clauses.size() > 1 ? "; for the numbers with commas " : ": ") + mend_marked_;
    throw InvalidInput(Reason::bad_feature, text);
}

/// Returns the options that read the columns: "add --categorical work=onehot".
std::string ColumnProblems::options_text(bool has_id) const {
    const bool is_id = ids_.size() == 1 && !has_id;
    std::vector<std::string> left_out = empty_.names;
    if (!is_id) left_out.insert(left_out.begin(), ids_.begin(), ids_.end());
    std::string text = "add";
    if (odd_cells_ > 0) text += " --bad-rows " + std::to_string(odd_cells_);
    if (is_id) text += " --id " + shell_word(ids_[0]);
    text += option_for_many("--categorical", split_, "onehot") + option_for("--categorical", hashed_, "hash") +
            option_for_many("--dates", dates_.names, "days");
    if (is_ambiguous_) text += " --date-order day_first (or month_first)";
    // Of categories the mean is their most frequent value, where it is asked of all columns.
    text += gaps_.names.size() > most_columns_named
                ? " --missing mean"
                : option_for("--missing", number_gaps_, "mean") + option_for("--missing", other_gaps_, "most_frequent");
    if (!left_out.empty()) text += " --leave-out " + shell_word(names_text(left_out));
    if (!gaps_.names.empty()) text += " (or =indicator; =drop leaves such rows out)";
    if (left_out.empty()) text += ", or leave columns out with --leave-out COL,...";
    return text;
}

}  // namespace fairstream::command
