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
/// Returns the word for it: "milliseconds".
[[nodiscard]] std::string_view name(TimeUnit unit);
/// Returns the unit with this symbol; nothing for other text.
[[nodiscard]] std::optional<TimeUnit> find_time_unit(std::string_view symbol);

/// Returns microseconds since the Unix epoch; nothing for other text. Taken are dates, as `read_date` reads them in
/// this order, and numbers in `unit`, a fraction included. Without a unit those below 10^11 in magnitude are seconds,
/// and others, which have no fraction, microseconds. Digits below a microsecond are left out.
[[nodiscard]] std::optional<std::int64_t> read_time(std::string_view text, std::optional<TimeUnit> unit = {},
                                                    DateOrder order = DateOrder::year_first);

/// Returns the unit in which a whole number is a time from 2000 to 2100, where `read_time` takes it for another time;
/// nothing for other text.
[[nodiscard]] std::optional<TimeUnit> mistaken_unit(std::string_view text);

/// Returns a time as `read_time` reads it: ISO 8601 in UTC, or the number where it is not within the years 0 to 9999.
[[nodiscard]] std::string time_text(std::int64_t microseconds);

}  // namespace fairstream::files
