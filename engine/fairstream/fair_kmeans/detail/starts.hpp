#pragma once
/// Starts of an open-ended search for clusters of a window, and the best of them.

#include <vector>

#include <fairstream/base/outcome.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/fair_kmeans/detail/state.hpp>

namespace fairstream::safairkm {

using Prices = std::vector<std::vector<double>>;

struct Start {
    State state;
    Workspace workspace;
    Solve solve;
    double target_shortfall = 0;  ///< shortfall of the targets, in points; 0: meets them
    Prices prices;
};

/// Compares shortfalls of the targets, and if they are equal, costs.
[[nodiscard]] bool is_better(const Start& a, const Start& b);

/// Return the best of the starts from `next` on, and set `next` to the first start that was not made. This is
/// `options.starts` if only the search for other basins is left, and one more if nothing is left. Starts are on all
/// points or on a sample; the best of a sample is then carried over to all points. If the sample is too small for the
/// targets, it only chooses where to begin.
[[nodiscard]] Start best_start_on_all(const Options& options, const State& state, const Window& window, int& next,
                                      const WorkHandle& work);
[[nodiscard]] Start best_start_on_sample(const Options& options, const State& state, const Window& window, int& next,
                                         const WorkHandle& work);

/// Returns the unchanged clustering, for when there is no better one.
[[nodiscard]] Start unchanged_start(const Options& options, const State& state, const Window& window);

}  // namespace fairstream::safairkm
