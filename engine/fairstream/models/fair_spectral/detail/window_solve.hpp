#pragma once
/// One solve over a window: what a step and a refinement share.

#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/model.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream::fair_spectral {

struct Work {
    std::int64_t iterations = 0;
    bool anew = false;  ///< whether k-means also starts anew and the cut is computed
    WorkHandle handle = {};
    SpectralWatch watch = {};  ///< of the solver, in place of the handle; empty: the handle is told
};

/// F and Q of a window's points, M's row scales being `inverse_roots`.
[[nodiscard]] Constraints window_constraints(const Options& options, const Window& window,
                                             std::span<const double> inverse_roots,
                                             std::span<const double> weights = {});
/// sigma for points that were not solved for before; 0 where weights tune themselves.
[[nodiscard]] double first_bandwidth(const Options& options, const Window& window);

/// Returns the state after one solve; `state` is left as it is. `change` is what the window changed by
/// since `state` was made. The window has enough points to start.
[[nodiscard]] State solved(const Options& options, const State& state, Workspace& workspace, const Window& window,
                           const WindowChange& change, const Work& work, Solve& solve);

}  // namespace fairstream::fair_spectral
