#pragma once
/// Cheap labels of points whose clusters keep demands, by points that move and pairs that change places.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Points sorted by cell, and how far they are from each centre.
struct CellDistances {
    std::span<const float> distances;  ///< clusters x points, squared
    std::vector<std::size_t> ends;     ///< of each cell: where its points end, which start where those before it end
};

/// Steps that a search may take; at most half a second of one core.
inline constexpr std::int64_t usual_search = 400'000'000;

/// Moves single points to other clusters, and pairs of points into each other's, the change that saves the most first,
/// until none saves anything or `steps` are taken, from which it takes its own. No cluster falls shorter of its
/// demands. `labels` has those of the points. Returns whether any changed. Does nothing where there are more than
/// `most_cells_searched` cells.
bool make_cheaper(const CountProblem& problem, const CellDistances& points, std::span<ClusterId> labels,
                  std::int64_t& steps);

/// Does so at a price of each point by which a cluster falls short, from `first` mean distances of the points on, which
/// rises until all clusters keep the demands. Returns whether they do.
bool make_feasible(const CountProblem& problem, const CellDistances& points, double first, std::span<ClusterId> labels,
                   std::int64_t& steps);

/// Goes on from labels that keep the demands for up to a thousand changes, as many as take a small part of
/// `usual_search`, through labels that cost more or miss the demands. Leaves the cheapest that keep them; returns
/// whether they are cheaper than before.
bool wander(const CountProblem& problem, const CellDistances& points, std::span<ClusterId> labels, std::int64_t& steps);

}  // namespace fairstream
