#pragma once
/// One solve over a window: what a step and a refinement share.

#include <cstdint>
#include <memory>
#include <vector>

#include <fairstream/models/kept_affinity.hpp>
#include <fairstream/models/lord/detail/marginals.hpp>
#include <fairstream/models/lord/lord.hpp>
#include <fairstream/numeric/detail/affinity/neighbour_graph.hpp>

namespace fairstream::lord {

struct Workspace::Kept : KeptAffinity<std::size_t> {
    /// Returns the graph of the window's points, brought up to date. `neighbours`: 0: the usual number.
    const PointAffinity& of(const Window& window, std::size_t neighbours);
};

struct Work {
    std::int64_t iterations = 0;
    bool anew = false;  ///< whether fresh starts are made beside the present clusters
};

/// Returns the block of each point: the combination of its groups in the attributes of the options, where that has
/// enough points to have marginals of its own; empty where all points are one block. `groups`: n x those of `format`.
[[nodiscard]] std::vector<std::uint32_t> fair_blocks(const Options& options, const StreamFormat& format,
                                                     std::span<const GroupId> groups, std::size_t points);
/// mu, k: the roots of the priors.
[[nodiscard]] std::vector<double> roots_of_priors(const Options& options);

/// Returns the state after one solve; `state` is left as it is. `change` is what the window changed by since `state`
/// was made. The window has at least k points.
[[nodiscard]] State solved(const Options& options, const State& state, Workspace& workspace, const Window& window,
                           const WindowChange& change, const Work& work, Solve& solve);

/// P(y_i = j | x_i) = W V_ij mu_j, n x k.
[[nodiscard]] Matrix probabilities_of(const Matrix& v, std::span<const double> mu, double mass);

}  // namespace fairstream::lord
