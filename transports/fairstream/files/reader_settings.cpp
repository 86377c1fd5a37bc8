#include <fairstream/files/reader_settings.hpp>

#include <algorithm>

namespace fairstream::files {
namespace {

/// Names, indexed by `DateOrder` and by `DecimalMark`.
constexpr std::array<std::string_view, 3> date_orders{"year_first", "day_first", "month_first"};
constexpr std::array<std::string_view, 3> decimal_marks{"found", "point", "comma"};

}  // namespace

std::string_view to_string(DateOrder order) noexcept {
    return date_orders[static_cast<std::size_t>(order)];
}

std::string_view to_string(DecimalMark mark) noexcept {
    return decimal_marks[static_cast<std::size_t>(mark)];
}

std::optional<DateOrder> find_date_order(std::string_view name) noexcept {
    const auto found = std::ranges::find(date_orders, name);
    if (found == date_orders.end()) return std::nullopt;
    return static_cast<DateOrder>(found - date_orders.begin());
}

std::optional<DecimalMark> find_decimal_mark(std::string_view name) noexcept {
    const auto found = std::ranges::find(decimal_marks.begin() + 1, decimal_marks.end(), name);
    if (found == decimal_marks.end()) return std::nullopt;
    return static_cast<DecimalMark>(found - decimal_marks.begin());
}

DateOrder ReaderSettings::date_order(std::size_t column) const noexcept {
    return column < date_orders.size() ? date_orders[column] : DateOrder::year_first;
}

void ReaderSettings::set_date_order(std::size_t column, DateOrder order) {
    if (column >= date_orders.size()) date_orders.resize(column + 1);
    date_orders[column] = order;
}

void ReaderSettings::add_missing_texts(const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
        if (std::ranges::count(missing_texts, text) == 0) missing_texts.push_back(text);
}

bool ReaderSettings::operator==(const ReaderSettings& other) const noexcept {
    for (std::size_t i = 0; i < std::max(date_orders.size(), other.date_orders.size()); ++i)
        if (date_order(i) != other.date_order(i)) return false;
    return missing_texts == other.missing_texts && decimal_mark == other.decimal_mark;
}

}  // namespace fairstream::files
