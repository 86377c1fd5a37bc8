#pragma once
/// When a model steps.

#include <cstdint>

namespace fairstream {

/// What a model does when a step is due while its last step still runs.
enum class WhenBusy : std::uint8_t {
    wait,  ///< wait for the running step; outputs never depend on timing
    skip,  ///< skip the new step; the decision is part of the update and must be recorded for a replay
};

struct Schedule {
    /// 0: step with every batch, on the window itself. n > 0: step on a snapshot, as a background task, whenever n
    /// points have arrived since the last such step began. The result becomes visible when the next step is due,
    /// neither earlier nor later. Until then new points carry provisional predictions.
    std::uint64_t every = 0;
    WhenBusy when_busy = WhenBusy::wait;
    bool operator==(const Schedule&) const = default;
};

}  // namespace fairstream
