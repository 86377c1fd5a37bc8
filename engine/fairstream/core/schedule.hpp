#pragma once
/// When a model steps.

#include <cstdint>

namespace fairstream {

/// Policy for a slow model that is due again while its last step still runs.
enum class WhenBusy : std::uint8_t {
    wait,  ///< wait for it; timing never shows
    skip,  ///< go on without; the decision is part of the update and must be recorded to replay it
};

struct Schedule {
    /// 0: step with every batch, on the window itself. n > 0: step on a snapshot, as a task beside ingestion, whenever
    /// n points have arrived since the last such step; its result becomes visible when the next one is due, neither
    /// earlier nor later. Until then new points carry provisional predictions.
    std::uint64_t every = 0;
    WhenBusy when_busy = WhenBusy::wait;
    bool operator==(const Schedule&) const = default;
};

}  // namespace fairstream
