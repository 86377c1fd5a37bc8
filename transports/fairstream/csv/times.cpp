#include <fairstream/csv/times.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace fairstream::csv {
namespace {

constexpr std::int64_t second = 1'000'000;  // in microseconds
constexpr std::int64_t first_microseconds = 100'000'000'000;
constexpr std::array all_units{TimeUnit::seconds, TimeUnit::milliseconds, TimeUnit::microseconds,
                               TimeUnit::nanoseconds};

/// The rest of a text that is read from the front.
class Rest {
public:
    explicit Rest(std::string_view text) : text_(text) {}
    [[nodiscard]] bool empty() const { return text_.empty(); }
    bool take(char c) {
        if (text_.empty() || text_.front() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    /// Reads a number of exactly so many digits; -1 for other text.
    int digits(std::size_t count) {
        if (text_.size() < count) return -1;
        int value = 0;
        for (const char c : text_.substr(0, count)) {
            if (c < '0' || c > '9') return -1;
            value = 10 * value + (c - '0');
        }
        text_.remove_prefix(count);
        return value;
    }
    /// Reads the digits after a decimal point as microseconds; nothing without a digit.
    std::optional<std::int64_t> fraction() {
        std::int64_t value = 0, unit = second;
        bool any = false;
        for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; text_.remove_prefix(1)) {
            unit /= 10;
            value += unit * (text_.front() - '0');
            any = true;
        }
        return any ? std::optional(value) : std::nullopt;
    }

private:
    std::string_view text_;
};

bool within(int value, int most) {
    return value >= 0 && value <= most;
}

/// Reads "08:15", "08:15:30" or "08:15:30.5" as microseconds of a day.
std::optional<std::int64_t> clock_time(Rest& rest) {
    const int hours = rest.digits(2);
    const bool colon = rest.take(':');
    const int minutes = rest.digits(2);
    if (!colon || !within(hours, 23) || !within(minutes, 59)) return std::nullopt;
    std::int64_t time = (hours * 60 + minutes) * 60 * second;
    if (!rest.take(':')) return time;
    const int seconds = rest.digits(2);
    if (!within(seconds, 60)) return std::nullopt;
    time += seconds * second;
    if (!rest.take('.')) return time;
    const std::optional<std::int64_t> fraction = rest.fraction();
    return fraction ? std::optional(time + *fraction) : std::nullopt;
}

/// Reads "Z", "+02:00" or "-0530" as microseconds east of Greenwich; 0 where the text has ended.
std::optional<std::int64_t> offset(Rest& rest) {
    if (rest.empty() || rest.take('Z')) return 0;
    const bool east = rest.take('+');
    if (!east && !rest.take('-')) return std::nullopt;
    const int hours = rest.digits(2);
    rest.take(':');
    const int minutes = rest.empty() ? 0 : rest.digits(2);
    if (!within(hours, 23) || !within(minutes, 59)) return std::nullopt;
    return (east ? 1 : -1) * (hours * 60 + minutes) * 60 * second;
}

std::optional<std::int64_t> read_date(std::string_view text) {
    namespace chrono = std::chrono;
    Rest rest(text);
    const int year = rest.digits(4);
    bool valid = year >= 0 && rest.take('-');
    const int month = valid ? rest.digits(2) : -1;
    valid = month > 0 && rest.take('-');
    const int day = valid ? rest.digits(2) : -1;
    if (day <= 0) return std::nullopt;
    const chrono::year_month_day date{chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                      chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    std::int64_t time = chrono::duration_cast<chrono::microseconds>(chrono::sys_days(date).time_since_epoch()).count();
    if (rest.empty()) return time;
    if (!rest.take('T') && !rest.take(' ')) return std::nullopt;
    const std::optional<std::int64_t> of_day = clock_time(rest);
    const std::optional<std::int64_t> east = of_day ? offset(rest) : std::nullopt;
    if (!east || !rest.empty()) return std::nullopt;
    return time + *of_day - *east;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t whole = 0;
    const char* const first = text.data();
    const char* const last = first + text.size();
    const auto [end, error] = std::from_chars(first, last, whole);
    return error == std::errc() && end == last ? std::optional(whole) : std::nullopt;
}

/// Returns the unit in which a whole number is read that is given without one.
TimeUnit usual_unit(std::int64_t number) {
    const bool small = number < first_microseconds && number > -first_microseconds;
    return small ? TimeUnit::seconds : TimeUnit::microseconds;
}

/// Returns the microseconds of one unit, which is no nanosecond.
constexpr std::int64_t per_unit(TimeUnit unit) {
    return unit == TimeUnit::seconds ? second : unit == TimeUnit::milliseconds ? second / 1000 : 1;
}

/// Returns nothing for a time beyond 64 bits.
std::optional<std::int64_t> in_microseconds(std::int64_t number, TimeUnit unit) {
    if (unit == TimeUnit::nanoseconds) return number / 1000 - (number % 1000 < 0 ? 1 : 0);
    std::int64_t time = 0;
    return __builtin_mul_overflow(number, per_unit(unit), &time) ? std::nullopt : std::optional(time);
}

}  // namespace

std::string_view symbol(TimeUnit unit) {
    constexpr std::array<std::string_view, 4> symbols{"s", "ms", "us", "ns"};
    return symbols[static_cast<std::size_t>(unit)];
}

std::string_view name(TimeUnit unit) {
    constexpr std::array<std::string_view, 4> names{"seconds", "milliseconds", "microseconds", "nanoseconds"};
    return names[static_cast<std::size_t>(unit)];
}

std::optional<TimeUnit> find_time_unit(std::string_view text) {
    for (const TimeUnit unit : all_units)
        if (symbol(unit) == text) return unit;
    return std::nullopt;
}

std::optional<std::int64_t> read_time(std::string_view text, std::optional<TimeUnit> unit) {
    if (const std::optional<std::int64_t> number = whole_number(text))
        return in_microseconds(*number, unit.value_or(usual_unit(*number)));
    double value = 0;
    const char* const first = text.data();
    const char* const last = first + text.size();
    const auto [end, error] = std::from_chars(first, last, value);
    if (error != std::errc() || end != last) return read_date(text);
    if (!unit && !(std::abs(value) < static_cast<double>(first_microseconds))) return std::nullopt;
    const TimeUnit of = unit.value_or(TimeUnit::seconds);
    const double time =
        std::floor(of == TimeUnit::nanoseconds ? value / 1000 : value * static_cast<double>(per_unit(of)));
    constexpr double limit = 0x1p63;
    return std::abs(time) < limit ? std::optional(static_cast<std::int64_t>(time)) : std::nullopt;
}

std::optional<TimeUnit> mistaken_unit(std::string_view text) {
    constexpr std::int64_t first = 946'684'800 * second, last = 4'102'444'800 * second;  // 2000 and 2100
    const std::optional<std::int64_t> number = whole_number(text);
    if (!number) return std::nullopt;
    for (const TimeUnit unit : all_units) {
        const std::optional<std::int64_t> time = in_microseconds(*number, unit);
        if (time && *time >= first && *time < last)
            return unit == usual_unit(*number) ? std::nullopt : std::optional(unit);
    }
    return std::nullopt;
}

std::string time_text(std::int64_t microseconds) {
    namespace chrono = std::chrono;
    constexpr std::int64_t first = -62'167'219'200 * second, last = 253'402'300'800 * second;  // years 0 and 10000
    if (microseconds < first || microseconds >= last) return std::to_string(microseconds);
    const chrono::microseconds time(microseconds);
    const auto day = chrono::floor<chrono::days>(time);
    const chrono::year_month_day date{chrono::sys_days(day)};
    const std::int64_t of_day = (time - day).count();
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(of_day / second / 3600), static_cast<int>(of_day / second / 60 % 60),
                  static_cast<int>(of_day / second % 60));
    std::string result = text.data();
    if (of_day % second != 0) {
        std::snprintf(text.data(), text.size(), ".%06d", static_cast<int>(of_day % second));
        result += text.data();
    }
    return result + "Z";
}

}  // namespace fairstream::csv
