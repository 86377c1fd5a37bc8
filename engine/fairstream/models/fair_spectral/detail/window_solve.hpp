#pragma once
/// One solve over a window, shared by a step and a refinement.

#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/model.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream::fair_spectral {

struct Work {
    std::int64_t iterations = 0;
    bool with_fresh_starts = false;  ///< whether k-means also starts afresh and the cut is computed
    WorkHandle handle = {};
    SpectralWatch watch = {};  ///< watch of the solver, used instead of the handle; empty: the handle is used
};

/// Returns F and Q of a window's points; `inverse_roots` are M's row scales.
[[nodiscard]] Constraints window_constraints(const Options& options, const Window& window,
                                             std::span<const double> inverse_roots,
                                             std::span<const double> weights = {});
/// Returns sigma for points that were not solved before; 0 if weights are self-tuning.
[[nodiscard]] double first_bandwidth(const Options& options, const Window& window);

/// Returns the state after one solve; `state` does not change. `change` is the window's change since `state` was made.
/// The window must have enough points to start.
[[nodiscard]] State solved(const Options& options, const State& state, Workspace& workspace, const Window& window,
                           const WindowChange& change, const Work& work, Solve& solve);

}  // namespace fairstream::fair_spectral
