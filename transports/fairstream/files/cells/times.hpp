#pragma once
/// Times of events as text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fairstream/files/cells/dates.hpp>

namespace fairstream::files {

/// The unit of times that are numbers.
enum class TimeUnit : std::uint8_t { seconds, milliseconds, microseconds, nanoseconds };
/// Returns "s", "ms", "us" or "ns".
[[nodiscard]] std::string_view symbol(TimeUnit unit);
/// Returns the unit's name: "milliseconds".
[[nodiscard]] std::string_view name(TimeUnit unit);
/// Returns the unit with this symbol; nothing for other text.
[[nodiscard]] std::optional<TimeUnit> find_time_unit(std::string_view symbol);

/// Returns microseconds since the Unix epoch; nothing for other text. Accepts dates in this order (`read_date`), and
/// numbers in `unit`, possibly with a fraction. Without a unit, numbers below 10^11 in magnitude are seconds; larger
/// ones must be integers and are microseconds. Digits below a microsecond are dropped.
[[nodiscard]] std::optional<std::int64_t> read_time(std::string_view text, std::optional<TimeUnit> unit = {},
                                                    DateOrder order = DateOrder::year_first);

/// Returns the unit in which an integer would be a time from 2000 to 2100, if `read_time` assumes another unit; nothing
/// for other text.
[[nodiscard]] std::optional<TimeUnit> mistaken_unit(std::string_view text);

/// Returns a time in a form that `read_time` reads: ISO 8601 in UTC, or a number for years outside 0 to 9999.
[[nodiscard]] std::string time_text(std::int64_t microseconds);

}  // namespace fairstream::files
