#pragma once
/// Dates as text, with or without a time of day.

#include <cstdint>
#include <optional>
#include <string_view>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/reader_settings.hpp>

namespace fairstream::files {

/// Returns microseconds since the Unix epoch; nothing for other text. Accepted forms:
/// - for every order, a year of four digits first: "2026-01-31", "2026/1/31", "20260131"; "2026-01" is its first day;
/// - for every order, English names of months: "31 Jan 2026", "Jan 31, 2026";
/// - for `DateOrder::day_first` also "31.1.2026", and for month_first "1/31/2026", with points, slashes or hyphens. A
///   year of two digits then means 1969 to 2068.
///
/// A time of day may follow a blank or T: "08:15", "8:15:30.5" or "8:15 PM"; then Z, UTC, GMT or an offset such as
/// +02:00, otherwise it is UTC. Digits below a microsecond are dropped.
[[nodiscard]] std::optional<std::int64_t> read_date(std::string_view text, DateOrder order = DateOrder::year_first);

/// Returns the microseconds since midnight of a time of day without a date, such as "08:15", without an offset; nothing
/// for other text.
[[nodiscard]] std::optional<std::int64_t> read_time_of_day(std::string_view text);

/// Reads a cell of a column of dates. A time of day without a date is taken as a time on 1970-01-01.
[[nodiscard]] inline std::optional<std::int64_t> read_date_or_time(std::string_view text, DateOrder order) {
    const std::optional<std::int64_t> time = read_time_of_day(text);
    return time ? time : read_date(text, order);
}

/// Returns a time in microseconds since the Unix epoch as a number of units since the epoch; `unit` is not none.
[[nodiscard]] double in_date_unit(std::int64_t microseconds, DateUnit unit);
/// Returns the microsecond nearest to a number of units since the Unix epoch.
[[nodiscard]] std::int64_t from_date_unit(double units, DateUnit unit);

}  // namespace fairstream::files
