#pragma once
/// How far apart the times of points are that come together.

#include <algorithm>
#include <cstdint>
#include <utility>

namespace fairstream::files {

/// The longest span of time, in microseconds, of points that come together and so have one time, the latest.
class SpanOfTime {
public:
    /// Takes the time of the next point; `begins_batch`: it comes together with none before it.
    void add(std::int64_t time, bool begins_batch) noexcept {
        first_ = begins_batch ? time : std::min(first_, time);
        last_ = begins_batch ? time : std::max(last_, time);
        longest_ = std::max(longest_, static_cast<std::uint64_t>(last_) - static_cast<std::uint64_t>(first_));
    }
    [[nodiscard]] std::uint64_t longest() const noexcept { return longest_; }

private:
    std::int64_t first_ = 0, last_ = 0;  // of the batch
    std::uint64_t longest_ = 0;
};

}  // namespace fairstream::files
