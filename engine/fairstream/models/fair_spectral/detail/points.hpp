#pragma once
/// The affinity of a window's points, kept from step to step.

#include <fairstream/models/fair_spectral/detail/model.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream::fair_spectral {

/// Returns the affinity of the window's points, updated in the workspace. `bandwidth` 0: self-tuning.
const PointAffinity& affinity_of(const Options& options, double bandwidth, const Window& window, Workspace& workspace);
[[nodiscard]] inline bool needs_bandwidth(const Options& options) {
    return options.affinity != AffinityKind::knn || options.edge_weights == Weights::rbf;
}
/// Returns the (1/2k)-quantile of the distances between at most 512 points of the window, above 0; for k separate
/// clusters it is the median distance within one.
[[nodiscard]] double usual_bandwidth(const Options& options, const Window& window);

/// Returns the connected part of each point if the affinity is a graph, otherwise nothing.
[[nodiscard]] std::vector<ClusterId> parts_of_graph(const Options& options, const Affinity& affinity);

/// Returns the slots of the options' pairs of retained points: of the first `room` pairs, if there are more.
[[nodiscard]] LinkedRows linked_rows(const Options& options, const Window& window, std::size_t room);

}  // namespace fairstream::fair_spectral
