#include <fairstream/command/input/column_problems.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fairstream/command/console/shell_word.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/input/by_column.hpp>
#include <fairstream/command/input/words_for_missing.hpp>

namespace fairstream::command {
namespace {

using csv::ColumnProfile;

/// Categories above which a column is hashed rather than split into a column for each.
constexpr std::size_t most_split = 50;
/// Columns that an error names one by one.
constexpr std::size_t most_columns_named = 8;

std::string such_as(const ColumnProfile& column) {
    return column.first_text.empty() ? "" : ", such as " + csv::shown(column.first_text);
}

std::string first_of(const ColumnProfile& column) {
    return "such as " + csv::shown(column.first_text) + " in line " + std::to_string(column.line_of_text);
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

/// Says whether a text may stand for a missing value by its letters: codes such as 4+ have digits and mean something.
bool has_no_digits(const std::string& text) {
    return text.find_first_of("0123456789") == std::string::npos;
}

/// Reads a number that is one, as NAN is not.
bool is_number(const std::string& text, double& value) {
    return csv::read_number(text, value) == std::errc() && !std::isnan(value);
}

/// Returns the texts of a column of numbers, where these are a few words, however often they come: each may stand for a
/// missing value. Nothing for other columns.
std::vector<std::string> few_texts_among_numbers(const ColumnProfile& column) {
    constexpr std::size_t most_words = 6, least_numbers = 10;  // different ones
    if (column.numbers == 0 || column.infinite > 0 || column.values.size() < most_words + least_numbers) return {};
    std::vector<std::string> words;
    for (const auto& [value, count] : column.values) {
        double number = 0;
        if (csv::is_missing_value(value) || is_number(value, number)) continue;
        words.push_back(value);
        const bool is_error = value.starts_with('#');  // of a spreadsheet, such as #DIV/0!
        if (words.size() > most_words || !(is_error || has_no_digits(value))) return {};
    }
    return words;
}

/// Says whether a text hardly means anything but a missing value, however seldom it comes.
bool means_nothing(const std::string& text) {
    if (text.empty()) return false;
    const bool is_error = text.starts_with('#') && text.find_last_of("!?") == text.size() - 1;  // of a spreadsheet
    const std::string small = csv::in_lower_case(text);
    return is_error || is_word_for_missing(small) || small == "-nan" || small == "+nan" ||
           text.find_first_not_of("-.") == std::string::npos;
}

/// Returns the texts of a column of numbers or dates, where each hardly means anything but a missing value; nothing for
/// other columns.
std::vector<std::string> texts_that_mean_nothing(const ColumnProfile& column) {
    constexpr std::size_t most_words = 6;
    std::vector<std::string> texts;
    if (column.alike == column.texts) {
        texts.push_back(column.first_text);
    } else if (!column.has_more_values) {
        double number = 0;
        for (const auto& [value, count] : column.values)
            if (!csv::is_missing_value(value) && !is_number(value, number)) texts.push_back(value);
    }
    const bool are_few_words = texts.size() <= most_words && std::ranges::all_of(texts, means_nothing);
    return column.infinite == 0 && are_few_words ? texts : std::vector<std::string>();
}

/// Says whether numbers and a few texts beside them may be codes, such as 4+: few values, which come often.
bool may_be_codes(const ColumnProfile& column) {
    constexpr std::size_t most_codes = 30, least_cells_of_each = 3, longest = 2;
    const std::size_t values = column.values.size();
    const std::string& text = column.first_text;
    const bool is_code = text.size() <= longest || !has_no_digits(text);
    return is_code && !column.has_more_values && column.numbers > 0 && column.infinite == 0 && values <= most_codes &&
           column.cells >= least_cells_of_each * values;
}

/// Says whether so many of all cells are few enough to be odd ones; more may be where all are one text.
bool are_few(std::uint64_t some, std::uint64_t all, bool are_one_text) {
    constexpr std::uint64_t least_ratio = 10, least_ratio_of_one = 2;
    return some * (are_one_text ? least_ratio_of_one : least_ratio) <= all;
}

/// Returns the cells of a column of numbers with marks or signs that are no numbers.
std::uint64_t others_beside_written(const ColumnProfile& column) {
    return column.texts - column.marked - column.with_sign;
}

/// Returns ", written 'NA'" with the words that mean a missing value in a column; nothing where its cells are empty.
std::string missing_words(const ColumnProfile& column) {
    constexpr std::size_t most_named = 3;
    std::vector<std::string> words;
    for (const auto& [value, count] : column.values)
        if (!value.empty() && csv::is_missing_value(value)) words.push_back(csv::shown(value));
    if (words.empty()) return "";
    return (column.empty > 0 ? ", some written " : ", written ") + csv::first_few(words, most_named);
}

bool are_one_other(const ColumnProfile& column) {
    const std::uint64_t others = others_beside_written(column);
    return others > 1 && column.others_alike == others && column.infinite == 0 && has_no_digits(column.first_other);
}

/// Says whether a text has a time of day, or a day of a month in words and a year: dates that are written otherwise
/// than those that are read.
bool is_like_date(const std::string& text) {
    constexpr std::array<std::string_view, 12> months = {"jan", "feb", "mar", "apr", "may", "jun",
                                                         "jul", "aug", "sep", "oct", "nov", "dec"};
    const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    std::size_t in_a_row = 0, most = 0;
    bool has_time = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        in_a_row = is_digit(at) ? in_a_row + 1 : 0;
        most = std::max(most, in_a_row);
        has_time = has_time || (text[at] == ':' && at > 1 && is_digit(at - 1) && is_digit(at - 2) && is_digit(at + 1));
    }
    const std::string small = csv::in_lower_case(text);
    const bool has_month =
        std::ranges::any_of(months, [&](std::string_view month) { return small.find(month) != std::string::npos; });
    constexpr std::size_t digits_of_year = 4;
    return most >= digits_of_year && (has_time || (has_month && most == digits_of_year));
}

}  // namespace

std::uint64_t odd_cells(const ColumnProfile& column) {
    const std::uint64_t there = column.values_there();
    const std::uint64_t odd = there - std::max(column.numbers, std::ranges::max(column.dates));
    const bool are_infinite = column.infinite > 0 && column.numbers + column.infinite == there;
    return are_infinite || are_few(odd, there, are_one_text(column)) ? odd : 0;
}

std::uint64_t odd_beside_written(const ColumnProfile& column) {
    const std::uint64_t there = column.values_there(), odd = others_beside_written(column);
    const bool are_written = odd < column.texts && column.misread == 0 && column.texts + column.numbers == there;
    return are_written && are_few(odd, there, are_one_other(column)) ? odd : 0;
}

bool are_one_text(const ColumnProfile& column) {
    const std::string& text = column.first_text;
    // Dates such as 0000-00-00 mean that there is none.
    const bool is_zero = text.find('0') != std::string::npos && text.find_first_not_of("0-/.: ") == std::string::npos;
    return (is_zero || (column.texts > 1 && has_no_digits(text))) && column.alike == column.texts &&
           column.infinite == 0 &&
           column.texts == column.values_there() - std::max(column.numbers, std::ranges::max(column.dates));
}

bool holds_odd_numbers(const ColumnProfile& column) {
    const std::uint64_t others = column.values_there() - column.numbers;
    const bool are_written_so = others > 0 && (column.marked + column.with_sign == others || column.misread == others);
    return are_written_so || odd_beside_written(column) > 0 ||
           (odd_cells(column) > 0 && column.numbers > std::ranges::max(column.dates)) ||
           !few_texts_among_numbers(column).empty();
}

bool holds_odd_dates(const ColumnProfile& column) {
    return odd_cells(column) > 0 && column.numbers < std::ranges::max(column.dates);
}

bool holds_dates_in_two_orders(const ColumnProfile& column) {
    return column.texts == 0 && column.numbers == 0 && std::ranges::max(column.dates) < column.values_there();
}

bool holds_odd_values(const ColumnProfile& column) {
    return holds_odd_numbers(column) || holds_odd_dates(column);
}

bool is_time_of_day(const ColumnProfile& column) {
    return column.times_of_day > 0 && column.times_of_day == std::ranges::max(column.dates);
}

std::string values_text(const ColumnProfile& column) {
    return column.has_more_values ? "more than " + counted(csv::most_kept_values) + " values"
                                  : counted(column.levels().size(), "value");
}

void ColumnProblems::Kind::add(const ColumnProfile& column, const std::string& what) {
    described.push_back(csv::shown(column.name) + (what.empty() ? "" : " (" + what + ")"));
    names.push_back(column.name);
}

void ColumnProblems::add_text(const ColumnProfile& column, bool may_miss) {
    const std::uint64_t others = column.values_there() - column.numbers;
    if (others > 0 && column.marked + column.with_sign == others) return add_written(column, 0, may_miss);
    if (const std::uint64_t odd = odd_beside_written(column)) return add_written(column, odd, may_miss);
    if (column.misread > 0 && column.misread == others) return misread_.add(column, first_of(column));
    if (const std::uint64_t odd = odd_cells(column)) {
        if (are_one_text(column) && column.first_text == column.name) {
            repeated_headers_ = std::max(repeated_headers_, odd);
            return odd_.add(column, share_text(odd, column.cells) +
                                        ", its own name, as if the header came again, the first in line " +
                                        std::to_string(column.line_of_text));
        }
        if (may_miss && are_one_text(column)) {
            add_stand_in(column, column.first_text);
            return odd_.add(column, share_text(odd, column.cells) + ", all of them " + csv::shown(column.first_text) +
                                        ", the first in line " + std::to_string(column.line_of_text));
        }
        if (const std::vector<std::string> texts = texts_that_mean_nothing(column); may_miss && !texts.empty()) {
            for (const std::string& text : texts) add_stand_in(column, text);
            return odd_.add(column, share_text(odd, column.cells) + ", all of them " +
                                        csv::first_shown(texts, texts.size()) + ", the first in line " +
                                        std::to_string(column.line_of_text));
        }
        odd_cells_ += odd;
        if (may_be_codes(column)) codes_.push_back(column.name);
        const std::string line = column.first_text.empty() ? "" : " in line " + std::to_string(column.line_of_text);
        return odd_.add(column, share_text(odd, column.cells) + such_as(column) + line);
    }
    if (const std::vector<std::string> texts = few_texts_among_numbers(column); may_miss && !texts.empty()) {
        for (const std::string& text : texts) add_stand_in(column, text);
        if (may_be_codes(column)) codes_.push_back(column.name);
        return odd_.add(column, share_text(column.values_there() - column.numbers, column.cells) + ", all of them " +
                                    csv::first_shown(texts, texts.size()));
    }
    if (is_like_date(column.first_text)) like_dates_.push_back(column.name);
    if (column.begins_with_different && column.cells > most_split) {
        ids_.push_back(column.name);
        const std::string where = column.has_more_values ? " in the first " + counted(csv::most_kept_values) : "";
        return texts_.add(column, "no value twice" + where + such_as(column));
    }
    const bool has_many = column.has_more_values || column.levels().size() > most_split;
    (has_many ? hashed_ : split_).push_back(column.name);
    texts_.add(column, values_text(column) + such_as(column));
}

/// Adds a column of numbers with marks or signs, and of `odd` other cells.
void ColumnProblems::add_written(const ColumnProfile& column, std::uint64_t odd, bool may_miss) {
    if (first_ambiguous_.empty()) first_ambiguous_ = column.first_ambiguous;
    only_with_point_ += column.only_with_point;
    only_with_comma_ += column.only_with_comma;
    (column.with_sign > 0 ? signed_ : marked_)
        .add(column, odd > 0 && column.first_text == column.first_other ? "" : first_of(column));
    if (odd == 0) return;
    const bool is_one = are_one_other(column);
    odd_.add(column, share_text(odd, column.cells) + (is_one ? ", all of them " : ", such as ") +
                         csv::shown(column.first_other) + " in line " + std::to_string(column.line_of_other));
    if (is_one && may_miss)
        add_stand_in(column, column.first_other);
    else
        odd_cells_ += odd;
}

/// Adds a text of a column of numbers that means a missing value.
void ColumnProblems::add_stand_in(const ColumnProfile& column, const std::string& text) {
    stand_ins_.push_back(column.name + "=" + text);
    if (column.missing == 0 && std::ranges::count(number_gaps_, column.name) == 0) number_gaps_.push_back(column.name);
}

void ColumnProblems::add_numbers(const ColumnProfile& column) {
    only_with_point_ += column.has_decimal_point;
    if (column.with_comma.count() == 0) return;
    if (!column.with_comma.may_separate_thousands())
        ++only_with_comma_;
    else if (first_ambiguous_.empty())
        first_ambiguous_ = column.with_comma.first();
}

void ColumnProblems::add_dates(const ColumnProfile& column, bool is_ambiguous) {
    (is_time_of_day(column) ? times_ : dates_).add(column, "");
    is_ambiguous_ = is_ambiguous_ || is_ambiguous;
}

void ColumnProblems::add_disordered(const ColumnProfile& column, std::optional<DateOrder> order) {
    if (!order) {
        unordered_.push_back(column.name);
        return disordered_.add(column, "");
    }
    const std::uint64_t odd = column.values_there() - column.dates[static_cast<std::size_t>(*order)];
    odd_cells_ += odd;
    ordered_.push_back(column.name);
    disordered_.add(column, share_text(odd, column.cells) + " not with the " + words_of(to_string(*order)));
}

void ColumnProblems::add_missing(const ColumnProfile& column, bool is_number) {
    gaps_.add(column, share_text(column.missing, column.cells) + missing_words(column));
    // Filled in, all cells would have the one value that there is.
    const bool has_one_value = column.values_there() > 1 && !column.has_more_values && column.levels().size() == 1;
    (has_one_value ? single_gaps_ : is_number ? number_gaps_ : other_gaps_).push_back(column.name);
}

void ColumnProblems::add_nested(const ColumnProfile& column) {
    constexpr std::uint64_t least_ratio = 10;  // of all cells to those that rows are left out for
    nested_.add(column, share_text(column.nested, column.cells));
    if (column.nested * least_ratio <= column.cells)
        odd_cells_ += column.nested;
    else
        mostly_nested_.push_back(column.name);
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
    add(marked_, " holds numbers with marks of thousands or a decimal comma",
        " hold numbers with marks of thousands or a decimal comma");
    add(signed_, " holds numbers with signs, parentheses, blanks or apostrophes",
        " hold numbers with signs, parentheses, blanks or apostrophes");
    add(misread_, " holds numbers with another decimal mark", " hold numbers with another decimal mark");
    add(dates_, is_ambiguous_ ? " holds dates, which do not show whether day or month comes first" : " holds dates",
        is_ambiguous_ ? " hold dates, which do not show whether day or month comes first" : " hold dates");
    add(times_, " holds times of day", " hold times of day");
    add(disordered_, " holds dates, some with the day first and others with the month first",
        " hold dates, some with the day first and others with the month first");
    add(gaps_, " lacks values", " lack values");
    add(nested_, " has arrays or objects", " have arrays or objects");
    add(empty_, " has no value", " have no values");
    if (clauses.empty()) return;
    std::string text = file + ": ";
    for (const std::string& each : clauses) text += (&each == clauses.data() ? "" : "; ") + each;
    throw InvalidInput(Reason::bad_feature, text + advice(has_id, file));
}

/// Returns what is to be done, ": add --bad-rows 2; ...".
std::string ColumnProblems::advice(bool has_id, const std::string& file) const {
    const std::string options = options_text(has_id);
    std::string text = options.empty() ? "" : ": " + options;
    if (has_mixed_marks())
        text += "; of the numbers some have a decimal comma and others a decimal point: write all alike";
    if (!nested_.names.empty()) text += "; or make columns of all that is nested: " + csv::flattened(file);
    if (!like_dates_.empty())
        text += "; if " + csv::first_shown(like_dates_, most_columns_named) +
                " has dates, write them like 2026-01-31 or 2026-01-31T08:15:00+01:00, and they are read by --dates "
                "COL=days";
    if (!misread_.names.empty())
        text += "; give --decimal-mark the other mark, or leave it out, for numbers that it does not read";
    return text;
}

bool ColumnProblems::has_mixed_marks() const {
    return only_with_point_ > 0 && only_with_comma_ > 0;
}

/// Returns the option that reads numbers with marks.
std::string ColumnProblems::decimal_mark_text() const {
    if ((marked_.names.empty() && signed_.names.empty()) || has_mixed_marks()) return "";
    if (only_with_comma_ > 0) return " --decimal-mark comma";
    if (only_with_point_ > 0 || first_ambiguous_.empty()) return " --decimal-mark point";
    const bool is_less_by_comma = first_ambiguous_.find(',') != std::string::npos;
    return std::string(" --decimal-mark comma (or point, if ") + csv::shown(first_ambiguous_) + " is " +
           (is_less_by_comma ? "more" : "less") + " than a thousand)";
}

/// Returns the options that read the columns: "add --categorical work=onehot".
std::string ColumnProblems::options_text(bool has_id) const {
    const bool is_id = ids_.size() == 1 && !has_id;
    std::vector<std::string> left_out = empty_.names;
    for (const auto* more : {&unordered_, &mostly_nested_})
        left_out.insert(left_out.begin(), more->begin(), more->end());
    if (has_mixed_marks())
        for (const Kind* kind : {&signed_, &marked_})
            left_out.insert(left_out.begin(), kind->names.begin(), kind->names.end());
    if (!is_id) left_out.insert(left_out.begin(), ids_.begin(), ids_.end());
    std::vector<std::string> dates = dates_.names;
    dates.insert(dates.end(), ordered_.begin(), ordered_.end());
    std::string text = "add";
    if (const std::uint64_t odd = odd_cells_ + repeated_headers_; odd > 0)
        text += " --bad-rows " + std::to_string(odd + bad_rows_);
    for (const std::string& stand_in : stand_ins_) text += " --missing-text " + shell_word(stand_in);
    if (is_id) text += " --id " + shell_word(ids_[0]);
    text += option_for_many("--categorical", split_, "onehot") + option_for("--categorical", hashed_, "hash") +
            option_for_many("--dates", dates, "days") + option_for("--dates", times_.names, "hours");
    if (is_ambiguous_) text += " --date-order day_first (or month_first)";
    text += decimal_mark_text();
    text += option_for("--missing", single_gaps_, "indicator");
    // Of categories the mean is their most frequent value, where it is asked of all columns.
    text += gaps_.names.size() > most_columns_named
                ? " --missing mean"
                : option_for("--missing", number_gaps_, "mean") + option_for("--missing", other_gaps_, "most_frequent");
    if (!number_gaps_.empty() || !other_gaps_.empty())
        text += " (or =indicator, a feature of its own that says where; =drop leaves such rows out)";
    if (!left_out.empty()) text += " --leave-out " + shell_word(names_text(left_out));
    if (!unordered_.empty()) text += " (or write the dates alike)";
    if (text == "add") return "";
    if (left_out.empty()) text += ", or leave columns out with --leave-out COL,...";
    if (!codes_.empty())
        text += "; if the values are codes, take them by" + option_for("--categorical", codes_, "onehot") + " instead";
    return text;
}

}  // namespace fairstream::command
