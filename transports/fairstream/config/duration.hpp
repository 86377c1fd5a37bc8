#pragma once
/// Lengths of time as text: "2h", "1d12h", "500ms".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairstream::config {

/// Returns microseconds; nothing for text that is not numbers with the units d, h, m, s, ms and us, each at most once
/// and longer ones first, or that is above 2^52 microseconds.
[[nodiscard]] std::optional<std::int64_t> read_duration(std::string_view text);
/// Returns the shortest list of such parts, which `read_duration` reads back; "0us" for 0.
[[nodiscard]] std::string duration_text(std::int64_t microseconds);

}  // namespace fairstream::config
