#pragma once
/// Times of events as text.

#include <cstdint>
#include <optional>
#include <string_view>

namespace fairstream::csv {

/// Returns microseconds since the Unix epoch; nothing for other text. Taken are ISO 8601, "2026-01-31",
/// "2026-01-31T08:15", with seconds and a fraction of them, a blank for the T, and Z or an offset such as +02:00,
/// without which it is UTC; and numbers: seconds below 10^11 in magnitude, a fraction included, otherwise microseconds.
/// Digits below a microsecond are left out.
[[nodiscard]] std::optional<std::int64_t> read_time(std::string_view text);

}  // namespace fairstream::csv
