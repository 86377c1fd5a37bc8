#pragma once
/// Time measurement, and the time of day.

#include <chrono>
#include <cstdint>

namespace fairstream {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns microseconds since the Unix epoch.
[[nodiscard]] inline std::int64_t now_in_microseconds() {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace fairstream
