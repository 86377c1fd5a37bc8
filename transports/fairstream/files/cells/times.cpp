#include <fairstream/files/cells/times.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>

#include <fairstream/files/cells/dates.hpp>

namespace fairstream::files {
namespace {

constexpr std::int64_t second = 1'000'000;  // in microseconds
constexpr std::int64_t first_microseconds = 100'000'000'000;
constexpr std::array all_units{TimeUnit::seconds, TimeUnit::milliseconds, TimeUnit::microseconds,
                               TimeUnit::nanoseconds};

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t whole = 0;
    const char* const first = text.data();
    const char* const last = first + text.size();
    const auto [end, error] = std::from_chars(first, last, whole);
    return error == std::errc() && end == last ? std::optional(whole) : std::nullopt;
}

/// Returns the unit of an integer for which no unit is given.
TimeUnit usual_unit(std::int64_t number) {
    const bool small = number < first_microseconds && number > -first_microseconds;
    return small ? TimeUnit::seconds : TimeUnit::microseconds;
}

/// Returns the microseconds in one unit; not for nanoseconds.
constexpr std::int64_t per_unit(TimeUnit unit) {
    return unit == TimeUnit::seconds ? second : unit == TimeUnit::milliseconds ? second / 1000 : 1;
}

/// Returns nothing for a time that does not fit 64 bits.
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

std::optional<std::int64_t> read_time(std::string_view text, std::optional<TimeUnit> unit, DateOrder order) {
    if (const std::optional<std::int64_t> number = whole_number(text))
        return in_microseconds(*number, unit.value_or(usual_unit(*number)));
    double value = 0;
    const char* const first = text.data();
    const char* const last = first + text.size();
    const auto [end, error] = std::from_chars(first, last, value);
    if (error != std::errc() || end != last) return read_date(text, order);
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

}  // namespace fairstream::files
