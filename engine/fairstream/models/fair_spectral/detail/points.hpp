#pragma once
/// The affinity of a window's points, kept from step to step.

#include <fairstream/models/detail/kept_affinity.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/affinity/neighbour_graph.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>

namespace fairstream::fair_spectral {

/// Parameters of an affinity beside the points.
struct AffinitySetup {
    AffinityKind kind = AffinityKind::knn;
    std::size_t neighbours = 0, landmarks = 0;
    double bandwidth = 0;  ///< 0: self-tuning
    std::uint64_t seed = 0;
    bool operator==(const AffinitySetup&) const = default;
};
[[nodiscard]] AffinitySetup affinity_setup(const Options& options, double bandwidth);
[[nodiscard]] inline bool needs_bandwidth(const Options& options) {
    return options.affinity != AffinityKind::knn || options.edge_weights == Weights::rbf;
}
/// The (1/2k)-quantile of the distances between at most 512 points of the window: where k clusters lie apart, the
/// median distance within one. Above 0.
[[nodiscard]] double usual_bandwidth(const Options& options, const Window& window);

struct Workspace::Kept : KeptAffinity<AffinitySetup> {
    /// Returns the affinity of the window's points, brought up to date.
    const PointAffinity& of(const Window& window, const AffinitySetup& wanted);
};

/// Returns the connected part of each point where the affinity is a graph, else nothing.
[[nodiscard]] std::vector<ClusterId> parts_of_graph(const Options& options, const Affinity& affinity);

/// Returns the slots of the options' pairs of which both points are retained, the first `room` of them.
[[nodiscard]] LinkedRows linked_rows(const Options& options, const Window& window, std::size_t room);

}  // namespace fairstream::fair_spectral
