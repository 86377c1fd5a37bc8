#pragma once
/// One solve over a window: what a step and a refinement share.

#include <cstddef>
#include <cstdint>

#include <fairstream/models/lord/detail/model.hpp>

namespace fairstream::lord {

/// Returns the graph of the window's points, brought up to date in the workspace. `neighbours`: 0: the usual number.
const PointAffinity& graph_of(const Window& window, std::size_t neighbours, Workspace& workspace);

struct Work {
    std::int64_t iterations = 0;
    bool anew = false;  ///< whether fresh starts are made beside the present clusters
    WorkHandle handle = {};
};

/// Returns the state after one solve; `state` is left as it is. `change` is what the window changed by since `state`
/// was made. The window has at least k points.
[[nodiscard]] State solved(const Options& options, const State& state, Workspace& workspace, const Window& window,
                           const WindowChange& change, const Work& work, Solve& solve);

}  // namespace fairstream::lord
