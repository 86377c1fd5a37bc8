#include <fairstream/files/columns/profile.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>

#include <fairstream/files/cells/dates.hpp>
#include <fairstream/files/cells/numbers.hpp>
#include <fairstream/files/cells/text_hash.hpp>

namespace fairstream::files {
namespace {

constexpr std::array<std::array<std::string_view, 2>, 5> truths{
    {{"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}, {"off", "on"}}};

std::optional<std::int64_t> as_integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool has_leading_zero(std::string_view text) {
    return text.size() > 1 && text.front() == '0';
}

/// Returns whether a text is an integer in its usual form: "007" is another id than 7.
bool is_id(std::string_view text) {
    if (has_leading_zero(text)) return false;
    PointId value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value != no_point;
}

/// Returns whether digits form a date from 1900 to 2100, such as 20260131.
bool is_compact_date(std::string_view digits) {
    constexpr std::size_t size = 8;
    return digits.size() == size && (digits.starts_with("19") || digits.starts_with("20")) &&
           read_date(digits, DateOrder::year_first).has_value();
}

/// Returns a word in the case of another one: capitals, a leading capital, or small letters.
std::string spelled_as(std::string_view word, std::string_view other) {
    const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto capital = [](char c) { return static_cast<char>(c - 'a' + 'A'); };
    std::string text(word);
    if (other.empty() || !is_capital(other.front())) return text;
    text.front() = capital(text.front());
    if (std::ranges::all_of(other, is_capital) && other.size() > 1) std::ranges::transform(word, text.begin(), capital);
    return text;
}

/// Counts the cells of one column.
class Counter {
public:
    Counter(std::string name, std::size_t column) : column_(column) { profile_.name = std::move(name); }

    void add(const Reader& reader) {
        const std::string_view cell = reader.trimmed_cell(column_);
        ++profile_.cells;
        keep(cell);
        if (counts_rows_) compare_with_last(cell);
        if (reader.is_number(column_)) {
            ++profile_.numbers;
            profile_.compact_dates += is_compact_date(cell);
            profile_.ids += is_id(cell);
            if (cell.find_first_of(".,") != std::string_view::npos) add_marked(cell);
        } else if (reader.is_missing(column_)) {
            if (profile_.missing++ == 0) profile_.first_missing_line = reader.line();
            profile_.empty += cell.empty();
        } else if (!add_date(cell)) {
            if (profile_.texts++ == 0) {
                profile_.first_text = cell;
                profile_.line_of_text = reader.line();
            }
            profile_.equal_to_first_text += cell == profile_.first_text;
        }
    }

    [[nodiscard]] ColumnProfile take() {
        profile_.counts_rows = counts_rows_ && profile_.cells > 1;
        if (!profile_.has_more_values) {
            profile_.has_distinct_values = places_.size() == profile_.cells;
            profile_.values.resize(places_.size());
            for (auto& [value, place] : places_) profile_.values[place.first] = {value, place.second};
        }
        return std::move(profile_);
    }

private:
    void keep(std::string_view cell) {
        if (profile_.has_more_values) return;
        const auto found = places_.find(cell);
        if (found != places_.end()) {
            ++found->second.second;
        } else if (places_.size() == most_kept_values) {
            profile_.has_more_values = true;
            profile_.has_distinct_values = profile_.cells == places_.size() + 1;
            places_.clear();
        } else {
            places_.emplace(cell, std::pair(places_.size(), 1));
        }
    }

    void add_marked(std::string_view cell) {
        ++profile_.marked;
        if (may_have_thousands(cell) && profile_.grouped++ == 0) profile_.first_grouped = cell;
    }

    void compare_with_last(std::string_view cell) {
        const std::optional<std::int64_t> number = as_integer(cell);
        counts_rows_ = number && (profile_.cells == 1 ? *number == 0 || *number == 1 : *number == last_number_ + 1);
        last_number_ = number.value_or(0);
    }

    /// Counts the orders in which a cell is a date. In a column with many texts before the first date, no date is
    /// counted.
    bool add_date(std::string_view cell) {
        constexpr std::uint64_t most_texts = 100;
        if (profile_.texts >= most_texts && std::ranges::all_of(profile_.dates, [](auto count) { return count == 0; }))
            return false;
        const bool is_time = read_time_of_day(cell).has_value();
        profile_.times_of_day += is_time;
        bool any = is_time;
        for (const DateOrder order : all_date_orders)
            if (is_time || read_date(cell, order)) ++profile_.dates[static_cast<std::size_t>(order)], any = true;
        return any;
    }

    std::size_t column_;
    ColumnProfile profile_;
    bool counts_rows_ = true;  // whether the cells so far count the rows
    std::int64_t last_number_ = 0;
    /// Each value with its place in the file's order and its count.
    std::unordered_map<std::string, std::pair<std::size_t, std::uint64_t>, TextHash, std::equal_to<>> places_;
};

}  // namespace

CellKind ColumnProfile::kind(std::uint64_t tolerated) const {
    const std::uint64_t there = value_count();
    if (there == 0) return CellKind::missing;
    if (are_compact_dates(tolerated)) return CellKind::date;
    if (numbers > 0 && numbers + tolerated >= there) return CellKind::number;
    if (truth_words(*this)) return CellKind::truth;
    const std::uint64_t most = std::ranges::max(dates);
    return most > 0 && most + compact_dates + tolerated >= there ? CellKind::date : CellKind::text;
}

std::optional<DateOrder> ColumnProfile::date_order(std::uint64_t tolerated) const {
    const std::uint64_t there = value_count();
    if (are_compact_dates(tolerated)) return DateOrder::year_first;
    // The dates are in the order that accepts the most cells.
    const std::uint64_t most = std::ranges::max(dates);
    if (most == 0 || most + compact_dates + tolerated < there) return std::nullopt;
    const auto fits = [&](DateOrder order) { return dates[static_cast<std::size_t>(order)] == most; };
    // A date with the year first is the same in all orders.
    if (fits(DateOrder::year_first)) return DateOrder::year_first;
    const bool day = fits(DateOrder::day_first), month = fits(DateOrder::month_first);
    if (day == month) return std::nullopt;
    return day ? DateOrder::day_first : DateOrder::month_first;
}

std::vector<std::string> ColumnProfile::levels() const {
    std::vector<std::string> levels;
    for (const auto& [value, count] : values)
        if (!is_missing_value(value)) levels.push_back(value);
    sort_values(levels);
    return levels;
}

namespace {

/// Returns whether a word means yes, and the index of its pair of words. 1 and 0, which pandas also writes with a
/// decimal, have an index after all other pairs.
std::optional<std::pair<bool, std::size_t>> truth_of(std::string_view text) {
    const std::string word = in_lower_case(std::string(text));
    for (std::size_t pair = 0; pair < truths.size(); ++pair)
        for (const bool yes : {false, true})
            if (word == truths[pair][yes ? 1 : 0]) return std::pair(yes, pair);
    for (const std::string_view number : {"0", "0.0", "1", "1.0"})
        if (word == number) return std::pair(word.front() == '1', truths.size());
    return std::nullopt;
}

}  // namespace

std::optional<std::array<std::string, 2>> truth_words(const ColumnProfile& column) {
    if (column.has_more_values) return std::nullopt;
    const std::vector<std::string> levels = column.levels();
    if (levels.empty() || levels.size() > 2) return std::nullopt;
    for (const auto& pair : truths) {
        std::array<std::string, 2> words;
        std::size_t found = 0;
        for (const std::string& level : levels)
            for (std::size_t i = 0; i < 2; ++i)
                if (in_lower_case(level) == pair[i] && words[i].empty()) words[i] = level, ++found;
        if (found != levels.size()) continue;
        for (std::size_t i = 0; i < 2; ++i)
            if (words[i].empty()) words[i] = spelled_as(pair[i], words[1 - i]);
        return words[0].empty() || words[1].empty() ? std::nullopt : std::optional(words);
    }
    return std::nullopt;
}

std::optional<bool> truth_value(std::string_view text) {
    const auto truth = truth_of(text);
    return truth ? std::optional(truth->first) : std::nullopt;
}

std::optional<std::uint32_t> truth_level(const std::vector<std::string>& levels, std::string_view text) {
    if (levels.size() != 2) return std::nullopt;
    const auto first = truth_of(levels[0]), second = truth_of(levels[1]), found = truth_of(text);
    if (!first || !second || !found || first->second != second->second || first->first == second->first)
        return std::nullopt;
    return found->first == second->first ? 1U : 0U;
}

bool is_same_answer(std::string_view positive, std::string_view cell) {
    if (cell == positive) return true;
    if (positive.size() < 2) return false;
    const auto asked = truth_of(positive), found = truth_of(cell);
    return asked && asked->second < truths.size() && found && asked->first == found->first;
}

FileProfile profile_columns(Reader& reader, const std::vector<std::string>& names,
                            const std::function<void(double)>& progress) {
    std::vector<Counter> counters;
    for (const std::string& name : names) counters.emplace_back(name, reader.column(name));
    FileProfile profile;
    const auto next = [&] {
        for (;; ++profile.bad_rows) {
            try {
                return reader.next();
            } catch (const BadRow& error) {
                if (profile.first_bad.empty()) profile.first_bad = error.what();
            }
        }
    };
    for (std::uint64_t rows = 1; next(); ++rows) {
        for (Counter& counter : counters) counter.add(reader);
        if (progress && rows % rows_per_report == 0) progress(reader.progress());
    }
    for (Counter& counter : counters) profile.columns.push_back(counter.take());
    return profile;
}

std::string in_lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
    return text;
}

void sort_values(std::vector<std::string>& values) {
    std::ranges::sort(values);
    if (std::ranges::all_of(values, [](const std::string& value) { return as_integer(value).has_value(); }))
        std::ranges::stable_sort(values, {}, [](const std::string& value) { return *as_integer(value); });
}

}  // namespace fairstream::files
