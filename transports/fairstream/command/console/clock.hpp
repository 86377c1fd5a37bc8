#pragma once
/// Time measurement.

#include <chrono>

namespace fairstream::command {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace fairstream::command
