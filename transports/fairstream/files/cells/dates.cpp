#include <fairstream/files/cells/dates.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>

namespace fairstream::files {
namespace {

constexpr std::int64_t microseconds_a_second = 1'000'000;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_letter(char c) {
    return lower(c) >= 'a' && lower(c) <= 'z';
}

/// A number, and the count of its digits as written.
struct Digits {
    int value = -1;
    std::size_t count = 0;  ///< number of digits; 0: no number
};

/// The unread rest of a text.
class UnreadText {
public:
    explicit UnreadText(std::string_view text) : text_(text) {}
    [[nodiscard]] bool empty() const { return text_.empty(); }
    [[nodiscard]] char front() const { return text_.empty() ? '\0' : text_.front(); }
    bool take(char c) {
        if (front() != c || text_.empty()) return false;
        text_.remove_prefix(1);
        return true;
    }
    /// Takes one or more blanks; returns whether there were any.
    bool take_blanks() {
        const bool any = front() == ' ';
        while (take(' ')) {
        }
        return any;
    }
    /// Takes at most `most` digits.
    Digits digits(std::size_t most) {
        Digits digits{0, 0};
        for (; digits.count < most && is_digit(front()); text_.remove_prefix(1), ++digits.count)
            digits.value = 10 * digits.value + (front() - '0');
        return digits;
    }
    /// Takes letters, in lower case.
    std::string word() {
        std::string word;
        for (; is_letter(front()); text_.remove_prefix(1)) word += lower(front());
        return word;
    }
    /// Takes the digits after a decimal point as microseconds; nothing when there is no digit.
    std::optional<std::int64_t> fraction() {
        std::int64_t value = 0, unit = microseconds_a_second;
        if (!is_digit(front())) return std::nullopt;
        for (; is_digit(front()); text_.remove_prefix(1)) {
            unit /= 10;
            value += unit * (front() - '0');
        }
        return value;
    }

private:
    std::string_view text_;
};

/// Returns the index of the name that a word of at least three letters abbreviates, such as "sept"; -1 for other words.
template <std::size_t Count> int number_of(const std::string& word, const std::array<std::string_view, Count>& names) {
    for (std::size_t i = 0; i < Count; ++i)
        if (word.size() >= 3 && names[i].starts_with(word)) return static_cast<int>(i);
    return -1;
}

constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                  "may",       "june",     "july",     "august",
                                                  "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> weekdays{"monday", "tuesday",  "wednesday", "thursday",
                                                   "friday", "saturday", "sunday"};

/// Day, month and year, not yet checked to exist.
struct Parts {
    Digits year, month, day;
};

/// Takes the second and third of three numbers, separated by the same mark as the first two.
std::optional<std::array<Digits, 2>> second_and_third_number(UnreadText& rest, std::size_t last_digits) {
    const char mark = rest.front();
    if ((mark != '-' && mark != '/' && mark != '.') || !rest.take(mark)) return std::nullopt;
    const Digits second = rest.digits(2);
    if (second.count == 0 || !rest.take(mark)) return std::nullopt;
    const Digits third = rest.digits(last_digits);
    return third.count == 0 ? std::nullopt : std::optional(std::array{second, third});
}

/// Takes "Jan 31, 2026", with the month still unread.
std::optional<Parts> month_and_day(UnreadText& rest) {
    const int month = number_of(rest.word(), months);
    (void)rest.take('.');
    rest.take_blanks();
    const Digits day = rest.digits(2);
    const bool comma = rest.take(',');
    if (month < 0 || !(rest.take_blanks() || comma)) return std::nullopt;
    return Parts{rest.digits(4), {month + 1, 2}, day};
}

/// Takes the rest of "31 Jan 2026" or "31-Jan-2026".
std::optional<Parts> day_and_month(UnreadText& rest, Digits day) {
    const bool hyphen = rest.take('-');
    if (!hyphen && !rest.take_blanks()) return std::nullopt;
    const int month = number_of(rest.word(), months);
    (void)rest.take('.');
    if (month < 0 || !(hyphen ? rest.take('-') : rest.take_blanks())) return std::nullopt;
    return Parts{rest.digits(4), {month + 1, 2}, day};
}

std::optional<Parts> date_parts(UnreadText& rest, DateOrder order) {
    if (is_letter(rest.front())) {
        UnreadText after = rest;
        if (number_of(after.word(), weekdays) < 0) return month_and_day(rest);
        (void)after.take(',');
        after.take_blanks();
        rest = after;
        if (is_letter(rest.front())) return month_and_day(rest);
    }
    const Digits first = rest.digits(8);
    if (first.count == 8) {
        const int value = first.value;
        return Parts{{value / 10000, 4}, {value / 100 % 100, 2}, {value % 100, 2}};
    }
    if (first.count == 4) {
        if (UnreadText after = rest; after.take('-')) {
            const Digits month = after.digits(2);
            if (month.count == 2 && after.empty()) {
                rest = after;
                return Parts{first, month, {1, 2}};
            }
        }
        const auto others = second_and_third_number(rest, 2);
        if (!others) return std::nullopt;
        return Parts{first, (*others)[0], (*others)[1]};
    }
    if (first.count == 0 || first.count > 2) return std::nullopt;
    if (rest.front() == ' ') return day_and_month(rest, first);
    if (UnreadText after = rest; after.take('-') && is_letter(after.front())) return day_and_month(rest, first);
    if (order == DateOrder::year_first) return std::nullopt;
    const auto others = second_and_third_number(rest, 4);
    if (!others) return std::nullopt;
    return order == DateOrder::day_first ? Parts{(*others)[1], (*others)[0], first}
                                         : Parts{(*others)[1], first, (*others)[0]};
}

/// Returns the days since the Unix epoch; nothing for a day that does not exist.
std::optional<std::chrono::sys_days> day_of(const Parts& parts) {
    namespace chrono = std::chrono;
    constexpr int first_of_century = 69;  // years of two digits, as in POSIX
    if (parts.year.count != 2 && parts.year.count != 4) return std::nullopt;
    int year = parts.year.value;
    if (parts.year.count == 2) year += year < first_of_century ? 2000 : 1900;
    if (parts.month.value < 1 || parts.day.value < 1) return std::nullopt;
    const chrono::year_month_day date{chrono::year(year), chrono::month(static_cast<unsigned>(parts.month.value)),
                                      chrono::day(static_cast<unsigned>(parts.day.value))};
    return date.ok() ? std::optional(chrono::sys_days(date)) : std::nullopt;
}

/// Takes "08:15", "8:15:30.5" or "8:15 PM" as microseconds of a day.
std::optional<std::int64_t> clock_time(UnreadText& rest) {
    Digits hours = rest.digits(2);
    if (hours.count == 0 || hours.value > 23 || !rest.take(':')) return std::nullopt;
    const Digits minutes = rest.digits(2);
    if (minutes.count != 2 || minutes.value > 59) return std::nullopt;
    std::int64_t seconds = 0, fraction = 0;
    if (rest.take(':')) {
        const Digits whole = rest.digits(2);
        if (whole.count != 2 || whole.value > 60) return std::nullopt;
        seconds = whole.value;
        if (rest.take('.')) {
            const std::optional<std::int64_t> part = rest.fraction();
            if (!part) return std::nullopt;
            fraction = *part;
        }
    }
    UnreadText after = rest;
    after.take_blanks();
    if (const std::string half = after.word(); half == "am" || half == "pm") {
        if (hours.value < 1 || hours.value > 12) return std::nullopt;
        hours.value = hours.value % 12 + (half == "pm" ? 12 : 0);
        rest = after;
    }
    return ((hours.value * 60 + minutes.value) * 60 + seconds) * microseconds_a_second + fraction;
}

/// Takes "Z", "UTC", "+02:00" or "-0530" as microseconds east of Greenwich; 0 at the end of the text.
std::optional<std::int64_t> offset(UnreadText& rest) {
    rest.take_blanks();
    if (rest.empty()) return 0;
    if (is_letter(rest.front())) {
        const std::string zone = rest.word();
        return zone == "z" || zone == "utc" || zone == "gmt" ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    const bool east = rest.take('+');
    if (!east && !rest.take('-')) return std::nullopt;
    const Digits hours = rest.digits(2);
    rest.take(':');
    const Digits minutes = rest.empty() ? Digits{0, 2} : rest.digits(2);
    if (hours.count != 2 || hours.value > 23 || minutes.count != 2 || minutes.value > 59) return std::nullopt;
    return (east ? 1 : -1) * (hours.value * 60 + minutes.value) * 60 * microseconds_a_second;
}

}  // namespace

std::optional<std::int64_t> read_date(std::string_view text, DateOrder order) {
    namespace chrono = std::chrono;
    UnreadText rest(text);
    const std::optional<Parts> parts = date_parts(rest, order);
    const std::optional<chrono::sys_days> day = parts ? day_of(*parts) : std::nullopt;
    if (!day) return std::nullopt;
    const std::int64_t time = chrono::duration_cast<chrono::microseconds>(day->time_since_epoch()).count();
    if (rest.empty()) return time;
    (void)rest.take(',');
    if (!rest.take('T') && !rest.take_blanks()) return std::nullopt;
    const std::optional<std::int64_t> of_day = clock_time(rest);
    const std::optional<std::int64_t> east = of_day ? offset(rest) : std::nullopt;
    if (!east || !rest.empty()) return std::nullopt;
    return time + *of_day - *east;
}

std::optional<std::int64_t> read_time_of_day(std::string_view text) {
    UnreadText rest(text);
    const std::optional<std::int64_t> time = clock_time(rest);
    return rest.empty() ? time : std::nullopt;
}

namespace {

double microseconds_of(DateUnit unit) {
    constexpr double hour = 3600.0 * static_cast<double>(microseconds_a_second), day = 24 * hour;
    switch (unit) {
        case DateUnit::hours:
            return hour;
        case DateUnit::days:
            return day;
        case DateUnit::years:
            return 365.2425 * day;
        case DateUnit::seconds:
        case DateUnit::none:
            break;
    }
    return static_cast<double>(microseconds_a_second);
}

}  // namespace

double in_date_unit(std::int64_t microseconds, DateUnit unit) {
    return static_cast<double>(microseconds) / microseconds_of(unit);
}

std::int64_t from_date_unit(double units, DateUnit unit) {
    constexpr double limit = 9e18;
    return std::llround(std::clamp(units * microseconds_of(unit), -limit, limit));
}

}  // namespace fairstream::files
