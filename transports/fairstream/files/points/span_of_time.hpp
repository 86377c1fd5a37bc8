#pragma once
/// Difference in time between points of one batch.

#include <algorithm>
#include <cstdint>
#include <utility>

namespace fairstream::files {

/// The longest span of time, in microseconds, within a batch. All points of a batch get one time, the latest.
class SpanOfTime {
public:
    /// Adds the time of the next point; `begins_batch`: the point is the first of its batch.
    void add(std::int64_t time, bool begins_batch) noexcept {
        first_ = begins_batch ? time : std::min(first_, time);
        last_ = begins_batch ? time : std::max(last_, time);
        longest_ = std::max(longest_, static_cast<std::uint64_t>(last_) - static_cast<std::uint64_t>(first_));
    }
    [[nodiscard]] std::uint64_t longest() const noexcept { return longest_; }

private:
    std::int64_t first_ = 0, last_ = 0;  // times of the batch
    std::uint64_t longest_ = 0;
};

}  // namespace fairstream::files
