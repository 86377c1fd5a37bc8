#include <fairstream/input/advice.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/files/cells/dates.hpp>
#include <fairstream/input/by_column.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::files {
namespace {

/// Largest number of columns that advice names; if there are more, the advice is for all columns of the kind.
constexpr std::size_t most_columns_named = 8;

/// An option that advice may set, and its place in the input options. `advised_options` lists these in the order of
/// advice.
struct AdvisedOption {
    const char* name;
    std::vector<std::string> InputOptions::*list;
    std::string InputOptions::*text;
};
const std::vector<AdvisedOption>& advised_options() {
    static const std::vector<AdvisedOption> options{{"--id", nullptr, &InputOptions::id},
                                                    {"--categorical", &InputOptions::categorical, nullptr},
                                                    {"--dates", &InputOptions::dates, nullptr},
                                                    {"--date-order", nullptr, &InputOptions::date_order},
                                                    {"--decimal-mark", nullptr, &InputOptions::decimal_mark},
                                                    {"--time-unit", nullptr, &InputOptions::time_unit},
                                                    {"--missing-text", &InputOptions::missing_texts, nullptr},
                                                    {"--missing", &InputOptions::missing, nullptr},
                                                    {"--leave-out", &InputOptions::left_out, nullptr}};
    return options;
}

}  // namespace

std::string Advice::text() const {
    const bool is_list = option == "--leave-out" || option == "--id";
    const bool are_many = columns.size() > most_columns_named && !is_list && option != "--missing-text";
    if (columns.empty() || are_many) return option + " " + shell_word(treatment);
    return option + " " + shell_word(names_text(columns) + (treatment.empty() ? "" : "=" + treatment));
}

void Advice::add_to(InputOptions& options) const {
    const auto found = std::ranges::find(advised_options(), option, &AdvisedOption::name);
    if (found == advised_options().end()) return;
    const std::string value = names_text(columns) + (treatment.empty() ? "" : (columns.empty() ? "" : "=") + treatment);
    if (found->text != nullptr)
        options.*(found->text) = columns.empty() ? treatment : columns[0];
    else if (option == "--leave-out")
        options.left_out.insert(options.left_out.end(), columns.begin(), columns.end());
    else
        (options.*(found->list)).push_back(value);
}

void ColumnProblems::add(const std::string& column, const std::string& kind, const std::string& what) {
    auto found = std::ranges::find(kinds_, kind, &Kind::singular);
    if (found == kinds_.end()) found = kinds_.insert(kinds_.end(), Kind{kind, {}});
    found->columns.push_back(shown(column) + (what.empty() ? "" : " (" + what + ")"));
}

void ColumnProblems::advise(const std::string& option, const std::string& column, const std::string& treatment) {
    const auto same = std::ranges::find_if(
        advice_, [&](const Advice& one) { return one.option == option && one.treatment == treatment; });
    if (same == advice_.end())
        advice_.push_back({option, column.empty() ? std::vector<std::string>() : std::vector{column}, treatment});
    else if (std::ranges::count(same->columns, column) == 0 && !column.empty())
        same->columns.push_back(column);
}

namespace {

/// Returns the plural of a kind: "are text" for "is text".
std::string plural_of(const std::string& singular) {
    const std::size_t end = singular.find(' ');
    const std::string verb = singular.substr(0, end);
    return (verb == "is" ? "are" : verb == "has" ? "have" : verb.substr(0, verb.size() - 1)) + singular.substr(end);
}

}  // namespace

bool ColumnProblems::advises_leaving_out(const std::string& column) const {
    return std::ranges::any_of(advice_, [&](const Advice& one) {
        return (one.option == "--leave-out" || one.option == "--id") && std::ranges::count(one.columns, column) > 0;
    });
}

std::string ColumnProblems::text() const {
    std::string text;
    for (const Kind& kind : kinds_) {
        const bool is_one = kind.columns.size() == 1;
        text += (text.empty() ? "" : "; ") + std::string(is_one ? "column " : "columns ") +
                first_few(kind.columns, most_columns_named);
        if (kind.columns.size() > most_columns_named) text += " (" + std::to_string(kind.columns.size()) + " columns)";
        text += " " + (is_one ? kind.singular : plural_of(kind.singular));
    }
    return text;
}

std::vector<Advice> ColumnProblems::advice() const {
    std::vector<Advice> sorted = advice_;
    std::ranges::stable_sort(sorted, {}, [](const Advice& one) {
        return std::ranges::find(advised_options(), one.option, &AdvisedOption::name) - advised_options().begin();
    });
    return sorted;
}

std::optional<RowCounts> count_rows(const InputFile& file, const FileColumns& columns,
                                    std::vector<std::string>* first_bad) {
    try {
        PointReader reader(file, columns.roles, columns.formats, {std::numeric_limits<std::uint64_t>::max(), {}});
        const std::optional<RowCounts> counts = reader.count_rows();
        if (first_bad != nullptr) *first_bad = reader.remarks().first_bad;
        return counts;
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
}

namespace {

/// Returns whether a cell has digits: such a text is more probably a value than a sign that the value is missing.
bool has_digits(std::string_view cell) {
    return cell.find_first_of("0123456789") != std::string_view::npos;
}

/// Returns whether the bad rows are so few that the options on columns are probably right.
bool are_few(const RowCounts& rows) {
    constexpr std::uint64_t least_ratio = 10, least_rows_of_one = 3;
    return (rows.bad == 1 && rows.all >= least_rows_of_one) || rows.bad * least_ratio <= rows.all;
}

/// Returns the options that may make a cell readable.
std::vector<Advice> candidates(const BadRow& error, const RowCounts& rows) {
    const std::vector<std::string> column{error.column()};
    std::vector<Advice> advice;
    switch (error.fault()) {
        case Fault::text:
        case Fault::outcome:
            // Three digits after a mark are more probably thousands when the cell was quoted because of commas.
            if (!may_have_thousands(error.cell()) || error.cell().find(',') == std::string::npos)
                advice.push_back({"--decimal-mark", {}, "comma"});
            advice.push_back({"--decimal-mark", {}, "point"});
            if (!has_digits(error.cell())) advice.push_back({"--missing-text", column, error.cell()});
            break;
        case Fault::missing:
            advice.push_back({"--missing", column, "drop"});
            break;
        case Fault::order:
            for (const DateOrder order : all_date_orders)
                advice.push_back({"--date-order", {}, std::string(to_string(order))});
            break;
        case Fault::unit:
            if (const auto unit = mistaken_unit(error.cell()))
                advice.push_back({"--time-unit", {}, std::string(symbol(*unit))});
            break;
        case Fault::magnitude:
            if (!are_few(rows)) advice.push_back({"--leave-out", column});
            break;
        case Fault::form:
        case Fault::group:
        case Fault::future:
            break;
    }
    return advice;
}

/// Returns " (3 of 800 rows cannot be used)".
std::string text_of(const RowCounts& rows) {
    return " (" + std::to_string(rows.bad) + " of " + std::to_string(rows.all) + (rows.all == 1 ? " row" : " rows") +
           " cannot be used)";
}

}  // namespace

std::string bad_rows_text_of(const RowCounts& rows) {
    return text_of(rows) + (rows.bad < rows.all ? ": add --bad-rows " + std::to_string(rows.bad) : "");
}

void refuse_row(const BadRow& error, const InputOptions& options, const InputFile* file,
                const ColumnsOfOptions& columns, const std::string& other_remedy) {
    std::string text = error.what();
    const auto tried = [&](const InputOptions& by) -> std::optional<RowCounts> {
        try {
            return file == nullptr ? std::nullopt : count_rows(*file, columns(by));
        } catch (const InvalidInput&) {
            return std::nullopt;
        }
    };
    const std::optional<RowCounts> rows = tried(options);
    if (rows && rows->bad > 0) text += text_of(*rows);
    const std::string other = other_remedy.empty() ? "" : "; " + other_remedy;
    if (!rows) throw InvalidInput(error.reason(), text + other);
    if (error.fault() == Fault::outcome && has_digits(error.cell()))
        throw InvalidInput(error.reason(), text + ": if it means yes, add --positive " + shell_word(error.cell()) +
                                               "; if it means that the outcome is not known, add --missing-text " +
                                               shell_word(error.column() + "=" + error.cell()));
    std::string advice, or_else;
    std::uint64_t left = rows->bad;
    for (const Advice& one : candidates(error, *rows)) {
        InputOptions by = options;
        one.add_to(by);
        const std::optional<RowCounts> then = tried(by);
        // Another --date-order may repair as many rows: it is then named as the alternative. A text advised as missing
        // may in truth be a value, so --missing-text is advised only if it leaves no bad row.
        if (then && then->bad == left && one.option == "--date-order" && !advice.empty()) or_else = one.treatment;
        if (!then || then->bad >= left || (one.option == "--missing-text" && then->bad > 0)) continue;
        left = then->bad;
        advice = one.text();
        or_else.clear();
    }
    if (left == rows->all) throw InvalidInput(error.reason(), text + other);
    if (left > options.bad_rows)
        advice += (advice.empty() ? "" : " ") + ("--bad-rows " + std::to_string(left)) +
                  (options.bad_rows > 0 ? " in place of " + std::to_string(options.bad_rows) : "");
    if (advice.starts_with("--decimal-mark") && may_have_thousands(error.cell()))
        text += "; the mark in " + error.cell() + " may separate decimals, not thousands; if so";
    if (!or_else.empty()) text += "; the dates fit two orders (the other one is --date-order " + or_else + ")";
    throw InvalidInput(error.reason(), text + ": add " + advice + other);
}

namespace {

/// Returns the names; a name that is no column, but a cell of the first row, is replaced by the number of its column.
/// Empty if a name is neither, or several cells have it.
std::vector<std::string> by_number(std::vector<std::string> names, const Reader& reader) {
    for (std::string& name : names) {
        if (reader.has_column(name)) continue;
        const std::vector<std::string>& row = reader.shape().first_row;
        const std::string_view wanted = trimmed(name, reader.shape().separator);
        const auto found = std::ranges::find(row, wanted);
        if (found == row.end() || std::find(std::next(found), row.end(), wanted) != row.end()) return {};
        name = std::to_string(found - row.begin() + 1);
    }
    return names;
}

}  // namespace

std::string advice_on_header(const InputFile& file, const Shape& shape, const InputOptions& options) {
    if (!shape.has_header || !shape.is_delimited() || is_read_once(file.path())) return "";
    const auto first_is_row = [&](const ShapeOptions& by) {
        try {
            Reader reader(InputFile(file.path(), Passes::one, by));
            return reader.next();
        } catch (const InvalidInput&) {
            return false;
        }
    };
    ShapeOptions without = options.shape;
    without.skipped_lines = shape.skipped_lines + 1;
    if (first_is_row(options.shape) || !first_is_row(without)) return "";
    return ": add --skip-lines " + std::to_string(*without.skipped_lines);
}

namespace {

/// Returns ": add --skip-lines 1", or another option on the shape, with which the header of the file has all these
/// columns; empty if there is none. The file must be readable again.
std::string advice_on_names(const Reader& reader, const InputOptions& options, const std::vector<std::string>& names) {
    constexpr std::uint64_t most_skipped = 20;
    constexpr std::string_view separators = ",;|:^~\t ";
    const InputFile& file = reader.input();
    if (is_read_once(file.path())) return "";
    const auto has_all = [&](const ShapeOptions& by) {
        try {
            Reader again(InputFile(file.path(), Passes::one, by));
            return std::ranges::all_of(names, [&](const std::string& name) { return again.has_column(name); }) &&
                   again.next();
        } catch (const InvalidInput&) {
            return false;
        }
    };
    ShapeOptions by = options.shape;
    for (by.skipped_lines = reader.shape().skipped_lines + 1; *by.skipped_lines <= most_skipped; ++*by.skipped_lines)
        if (has_all(by)) return ": add --skip-lines " + std::to_string(*by.skipped_lines);
    by = options.shape;
    for (const char separator : separators) {
        by.separator = separator;
        if (has_all(by)) return ": add --separator " + shell_word(separator_name(separator));
    }
    return "";
}

}  // namespace

void require_columns(const Reader& reader, const InputOptions& options) {
    constexpr std::size_t most_listed = 20;
    const std::vector<std::string> none,
        features = options.features == std::vector<std::string>{"all"} ? none : options.features;
    const std::vector<std::string> split =
        options.split.find(',') == std::string::npos ? std::vector<std::string>{options.split} : none;
    std::vector<std::string> missing, named;
    std::string advice;
    bool all_found = true;
    for (const auto& [option, given] :
         {std::pair("--features", features), std::pair("--group", options.groups),
          std::pair("--target", std::vector{options.target}), std::pair("--classes", std::vector{options.classes}),
          std::pair("--weight", std::vector{options.weight}), std::pair("--id", std::vector{options.id}),
          std::pair("--leave-out", options.left_out), std::pair("--split", split),
          std::pair("--set prediction", std::vector{options.prediction})}) {
        std::vector<std::string> absent = given;
        std::ranges::remove_copy(given, std::back_inserter(named), "");
        std::erase_if(absent, [&](const std::string& name) { return name.empty() || reader.has_column(name); });
        if (absent.empty()) continue;
        for (const std::string& name : absent) {
            std::string shown =
                files::shown(trimmed(name, reader.shape().separator)) + did_you_mean(name, reader.header());
            if (std::ranges::count(missing, shown) == 0) missing.push_back(std::move(shown));
        }
        const std::vector<std::string> numbers = by_number(given, reader);
        all_found = all_found && !numbers.empty();
        advice += " " + std::string(option) + " " + shell_word(names_text(numbers));
    }
    if (missing.empty()) return;
    std::string text = reader.input().name() + ":1: there is no column " + first_few(missing, missing.size());
    if (reader.shape().has_header || !reader.shape().is_delimited()) {
        std::string shape = advice_on_header(reader.input(), reader.shape(), options);
        if (shape.empty() && reader.shape().is_delimited()) shape = advice_on_names(reader, options, named);
        throw InvalidInput(Reason::malformed, text + "; the columns are " + first_shown(reader.header(), most_listed) +
                                                  shape +
                                                  (options.prediction.empty() || reader.has_column(options.prediction)
                                                       ? ""
                                                       : "; name the column of predictions with --set prediction=COL"));
    }
    text += ": " + to_string(reader.shape());
    if (all_found)
        text += "; its first row has " + std::string(missing.size() == 1 ? "that text" : "these texts") + ": add" +
                advice + ", or --header if that line is the header";
    throw InvalidInput(Reason::malformed, text);
}

}  // namespace fairstream::files
