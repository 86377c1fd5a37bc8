#include <fairstream/command/input/value_notes.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include <fairstream/command/console/shell_word.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/input/by_column.hpp>
#include <fairstream/csv/numbers.hpp>
#include <fairstream/csv/remedies.hpp>
#include <fairstream/csv/shown.hpp>

namespace fairstream::command {
namespace {

/// Returns a text as it looks: without Unicode's characters of no width, and with usual blanks, none at its ends.
std::string without_unseen(std::string text) {
    using Replacement = std::pair<std::string_view, std::string_view>;
    constexpr std::array<Replacement, 8> replacements{{{"\xC2\xA0", " "},
                                                       {"\xE2\x80\xAF", " "},
                                                       {"\xC2\xAD", ""},
                                                       {"\xE2\x80\x8B", ""},
                                                       {"\xE2\x80\x8C", ""},
                                                       {"\xE2\x80\x8D", ""},
                                                       {"\xE2\x81\xA0", ""},
                                                       {"\xEF\xBB\xBF", ""}}};
    for (const auto& [unseen, usual] : replacements)
        for (std::size_t at = text.find(unseen); at != std::string::npos; at = text.find(unseen, at))
            text.replace(at, unseen.size(), usual);
    const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

std::vector<std::string> text_notes(const std::string& column, const std::string& what,
                                    const std::vector<std::string>& texts, const std::string& file) {
    constexpr std::size_t most_named = 4;
    std::vector<std::string> notes, pairs, numbers, unseen;
    std::map<std::string, std::string> by_letters, by_looks;
    std::map<double, std::string> by_number;
    for (const std::string& text : texts) {
        const auto [other, is_new] = by_letters.emplace(csv::in_lower_case(text), text);
        if (!is_new) pairs.push_back(csv::shown(other->second) + " and " + csv::shown(text));
        const auto [alike, looks_new] = by_looks.emplace(without_unseen(text), text);
        if (!looks_new) unseen.push_back(csv::shown(alike->second) + " and " + csv::shown(text));
        double number = 0;
        if (csv::read_number(text, number) != std::errc()) continue;
        const auto [same, is_other] = by_number.emplace(number, text);
        if (!is_other) numbers.push_back(csv::shown(same->second) + " and " + csv::shown(text));
    }
    if (!pairs.empty())
        notes.push_back("column " + csv::shown(column) + ": " + what + " " + csv::first_few(pairs, most_named) +
                        " differ in capital letters only, and are " + (pairs.size() == 1 ? "two" : "two each"));
    if (!numbers.empty())
        notes.push_back("column " + csv::shown(column) + ": " + what + " " + csv::first_few(numbers, most_named) +
                        " are the same number, and are " + (numbers.size() == 1 ? "two" : "two each"));
    if (!unseen.empty())
        notes.push_back("column " + csv::shown(column) + ": " + what + " " + csv::first_few(unseen, most_named) +
                        " differ in characters that cannot be seen, and are " +
                        (unseen.size() == 1 ? "two" : "two each"));
    if (!std::ranges::all_of(texts, csv::is_utf8))
        notes.push_back("column " + csv::shown(column) + " has text that is not UTF-8, of which reports show \uFFFD: " +
                        "iconv -f latin1 -t utf-8 " + shell_word(file) + " makes it so, if it is Latin-1");
    return notes;
}

bool may_name_ids(const std::string& column) {
    const std::string name = csv::in_lower_case(column);
    return name == "id" || name == "index" || name == "uuid" || name.ends_with("_id") || name.ends_with(" id");
}

namespace {

/// Returns what is to be done with a feature that seems to be one of ids.
std::string id_remedy(const std::string& column, bool has_ids) {
    return has_ids ? "if it is none, add --leave-out " + shell_word(column)
                   : "if these are ids, add --id " + shell_word(column);
}

}  // namespace

std::optional<std::string> id_note(const csv::ColumnProfile& profile, bool has_ids) {
    constexpr std::uint64_t least = 20;
    const std::string name = csv::in_lower_case(profile.name);
    const bool is_named_so = may_name_ids(name) || name.starts_with("column ") || name.starts_with("unnamed:");
    const bool holds_ids = profile.begins_with_different && profile.ids == profile.cells && profile.cells >= least;
    if (!holds_ids || (!is_named_so && !profile.counts_rows)) return std::nullopt;
    return "column " + csv::shown(profile.name) + " is a feature, and " +
           (profile.counts_rows ? "counts the rows" : "no value comes twice") + ": " + id_remedy(profile.name, has_ids);
}

std::optional<std::string> text_id_note(const csv::ColumnProfile& profile, bool has_ids) {
    constexpr std::uint64_t least = 20;
    if (!profile.begins_with_different || profile.cells < least) return std::nullopt;
    return "column " + csv::shown(profile.name) + " is a feature, and no value comes twice" +
           (profile.has_more_values ? " in its first " + counted(csv::most_kept_values) : "") + ", such as " +
           csv::shown(profile.first_text) + ": " + id_remedy(profile.name, has_ids);
}

std::optional<std::string> stand_in_note(const csv::ColumnProfile& profile) {
    if (profile.stand_ins == 0) return std::nullopt;
    return stand_in_note(csv::StandInCells{profile.name, profile.first_stand_in, profile.stand_ins},
                         ", and --missing says what becomes of it");
}

std::string stand_in_note(const csv::StandInCells& cells, const std::string& what_else) {
    return "column " + csv::shown(cells.column) + " has " + counted(cells.cells, "cell") + " such as " +
           csv::shown(cells.first) + ": if that means a missing value, add --missing-text " +
           shell_word(cells.column + "=" + cells.first) + what_else;
}

std::string unmet_note(const std::string& column) {
    return "no line so far has the key " + csv::shown(column) + ": its cells are taken for missing ones";
}

std::optional<std::string> total_note(const std::vector<csv::ColumnProfile>& profiles, const std::string& file) {
    const auto found = std::ranges::find_if(profiles, [](const auto& profile) { return !profile.last_total.empty(); });
    if (found == profiles.end()) return std::nullopt;
    return total_note(csv::TotalCell{found->name, found->last_total, found->last_line}, file);
}

std::string total_note(const csv::TotalCell& last, const std::string& file) {
    const std::string line = std::to_string(last.line);
    return file + ":" + line + ": the last row has " + csv::shown(last.text) + " in column " + csv::shown(last.column) +
           ": if it sums up the others it is no point: " + csv::given_to("sed " + line + "d", file) +
           " | fairstream ... --input - leaves it out";
}

std::optional<std::string> spellings_note(const csv::ColumnProfile& profile, const std::string& what) {
    if (!csv::is_truth_in_several_spellings(profile)) return std::nullopt;
    return "column " + csv::shown(profile.name) + " says no and yes in several ways, " + with_commas(profile.levels()) +
           ": " + what;
}

std::optional<std::string> negatives_note(const csv::ColumnProfile& profile, const std::string& positive) {
    constexpr std::size_t most_named = 5;
    std::vector<std::string> others = profile.levels();
    std::erase_if(others, [&](const std::string& other) { return csv::is_same_answer(positive, other); });
    if (profile.has_more_values || others.size() < 2) return std::nullopt;
    if (csv::is_truth_in_several_spellings(profile)) return std::nullopt;
    return "target column " + csv::shown(profile.name) + ": " + csv::first_shown(others, most_named) +
           " all count as no, as " + csv::shown(positive) +
           " is yes: of outcomes that are not known leave the cell empty";
}

namespace {

/// Returns what puts names before the first line.
std::string names_before(const std::vector<std::string>& names, const std::string& file) {
    return ": if the first line is a row, put one of names before it: (seq -s, " + std::to_string(names.size()) + "; " +
           csv::unpacker_of(file) + " " + shell_word(file) + ") | fairstream ... --input -";
}

}  // namespace

std::optional<std::string> header_note(const std::vector<std::string>& names, const std::string& file) {
    std::vector<double> numbers;
    for (const std::string& name : names) {
        double number = 0;
        if (csv::read_number(name, number) != std::errc()) return std::nullopt;
        numbers.push_back(number);
    }
    bool counts = numbers.empty() || numbers[0] == 0 || numbers[0] == 1;
    for (std::size_t i = 1; i < numbers.size(); ++i) counts = counts && numbers[i] == numbers[i - 1] + 1;
    if (counts) return std::nullopt;
    return "all names of the header are numbers, such as " + csv::shown(names[0]) + names_before(names, file);
}

std::optional<std::string> first_row_note(const std::vector<csv::ColumnProfile>& profiles,
                                          const std::vector<std::string>& names, const std::string& file) {
    double number = 0;
    const auto is_number = [&](const std::string& name) { return csv::read_number(name, number) == std::errc(); };
    if (std::ranges::none_of(names, is_number)) return std::nullopt;
    const auto is_value = [&](const csv::ColumnProfile& profile) {
        return !is_number(profile.name) && profile.texts > 0 && profile.numbers == 0 &&
               std::ranges::any_of(profile.values, [&](const auto& value) { return value.first == profile.name; });
    };
    const auto found = std::ranges::find_if(profiles, is_value);
    if (found == profiles.end()) return std::nullopt;
    return "the header has numbers, and " + csv::shown(found->name) + " is a value of its column, too" +
           names_before(names, file);
}

std::string date_ahead_note(const csv::DateAhead& date) {
    return "column " + csv::shown(date.column) + ": years of two digits are of 1969 to 2068, and " +
           csv::shown(date.cell) +
           " is ahead of this machine's clock: write four digits where another century is meant";
}

std::string decimal_mark_note(const csv::LikeThousands& column) {
    const bool is_point = column.mark == DecimalMark::point;
    const std::string mark = is_point ? "point" : "comma", other = is_point ? "comma" : "point";
    if (column.are_thousands)
        return "column " + csv::shown(column.column) + " is read with decimal " + other + "s as the stream is, " +
               column.value + " as a number without decimals: if its " + mark + "s are decimal " + mark +
               "s, add --decimal-mark " + mark;
    return "column " + csv::shown(column.column) + " is read with decimal " + mark + "s, such as " + column.value +
           ": if they separate thousands, add --decimal-mark " + other;
}

std::optional<std::string> decimal_mark_note(const csv::ColumnProfile& profile) {
    for (const csv::NumbersWithMark* numbers : {&profile.with_point, &profile.with_comma})
        if (numbers->probably_separate_thousands())
            return decimal_mark_note(csv::LikeThousands{profile.name, numbers->first(), numbers->mark()});
    return std::nullopt;
}

}  // namespace fairstream::command
