#pragma once
/// One solve over a window: what a step and a refinement share.

#include <fairstream/models/fair_spectral/detail/problem.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>

namespace fairstream::fair_spectral {

struct Work {
    std::int64_t iterations = 0;
    bool anew = false;  ///< whether k-means also starts anew and the cut is computed
    Watch watch;        ///< empty: nothing is reported
};

/// Returns the state after one solve; `state` is left as it is. `written` are the slots that hold other points than
/// when `state` was made. The window has enough points to start.
[[nodiscard]] State solved(const Options& options, const State& state, Workspace& workspace, const Window& window,
                           std::span<const Slot> written, const Work& work, Solve& solve);

}  // namespace fairstream::fair_spectral
