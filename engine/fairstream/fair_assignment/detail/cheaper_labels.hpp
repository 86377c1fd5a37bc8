#pragma once
/// Cheap labels of points whose clusters meet demands, by moves of points and exchanges of pairs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Points sorted by cell, with their distances to each centre.
struct CellDistances {
    std::span<const float> distances;  ///< clusters x points, squared
    std::vector<std::size_t> ends;     ///< by cell: end of its points, which begin at the end of the cell before
};

/// Steps that a search may take; at most half a second of one core.
inline constexpr std::int64_t usual_search = 400'000'000;

/// Moves single points to other clusters, and exchanges pairs of points: each time the change that saves the most.
/// Subtracts its steps from `steps`, and ends when these are used up or no change saves anything. No cluster's
/// shortfall rises. `labels` are the labels of the points. Returns whether any label changed. Does nothing with more
/// than `most_cells_searched` cells.
bool make_cheaper(const CountProblem& problem, const CellDistances& points, std::span<ClusterId> labels,
                  std::int64_t& steps);

/// Makes moves and exchanges as `make_cheaper`, but shortfalls may rise, at a price for each point of shortfall. The
/// price starts at `first` mean distances of the points and rises until all clusters meet the demands. Returns whether
/// all clusters meet them.
bool make_feasible(const CountProblem& problem, const CellDistances& points, double first, std::span<ClusterId> labels,
                   std::int64_t& steps);

/// Continues from labels that meet the demands, through labels that cost more or miss the demands. Makes up to a
/// thousand changes, within a small part of `usual_search`. Leaves the cheapest labels that meet the demands; returns
/// whether they are cheaper than before.
bool tabu_search(const CountProblem& problem, const CellDistances& points, std::span<ClusterId> labels,
                 std::int64_t& steps);

}  // namespace fairstream
