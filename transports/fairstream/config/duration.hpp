#pragma once
/// Durations as text: "2h", "1d12h", "500ms".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairstream::config {

/// Returns microseconds. The text consists of numbers with the units d, h, m, s, ms and us, each unit at most once,
/// longer units first. Returns nothing for other text, and for more than 2^52 microseconds.
[[nodiscard]] std::optional<std::int64_t> read_duration(std::string_view text);
/// Returns the shortest text that `read_duration` reads back; "0us" for 0.
[[nodiscard]] std::string duration_text(std::int64_t microseconds);

}  // namespace fairstream::config
