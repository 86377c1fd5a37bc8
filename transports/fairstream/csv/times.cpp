#include <fairstream/csv/times.hpp>

#include <charconv>
#include <chrono>
#include <cmath>

namespace fairstream::csv {
namespace {

constexpr std::int64_t second = 1'000'000;  // in microseconds

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

}  // namespace

std::optional<std::int64_t> read_time(std::string_view text) {
    constexpr std::int64_t first_microseconds = 100'000'000'000;
    const char* const last = text.data() + text.size();
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), last, whole);
    if (error == std::errc() && end == last) {
        const bool seconds = whole < first_microseconds && whole > -first_microseconds;
        return seconds ? whole * second : whole;
    }
    double value = 0;
    const auto [real_end, real_error] = std::from_chars(text.data(), last, value);
    if (real_error == std::errc() && real_end == last) {
        if (!(std::abs(value) < static_cast<double>(first_microseconds))) return std::nullopt;
        return static_cast<std::int64_t>(std::floor(value * static_cast<double>(second)));
    }
    return read_date(text);
}

}  // namespace fairstream::csv
