#pragma once
/// One solve over a window, shared by a step and a refinement.

#include <cstddef>
#include <cstdint>

#include <fairstream/models/lord/detail/model.hpp>

namespace fairstream::lord {

/// Returns the graph of the window's points, updated in the workspace. `neighbours` 0: the default number.
const PointAffinity& graph_of(const Window& window, std::size_t neighbours, Workspace& workspace);

struct Work {
    std::int64_t iterations = 0;
    bool with_fresh_starts = false;  ///< whether fresh starts are made besides the present clusters
    WorkHandle handle = {};
};

/// Returns the state after one solve; `state` does not change. `change` is the window's change since `state` was made.
/// The window must have at least k points.
[[nodiscard]] State solved(const Options& options, const State& state, Workspace& workspace, const Window& window,
                           const WindowChange& change, const Work& work, Solve& solve);

}  // namespace fairstream::lord
