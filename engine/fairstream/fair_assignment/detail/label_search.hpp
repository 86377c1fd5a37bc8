#pragma once
/// The cheapest labels that a bounded search finds for centres that stay, where every cluster keeps its demands.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

class FairAssignment;

/// Labels and the sum of the points' squared distances to their centres.
struct FoundLabels {
    std::vector<ClusterId> labels;
    double cost = 0;
};

/// Searches from the assignment at the present prices, from the nearest centres, of few points from those of some of
/// the clusters, and from counts that are `found` to keep the demands: each is led to the demands, made cheaper, and
/// the best one let go and led to them again. Returns labels in the order of the assignment's points; nothing where
/// none keep the demands. Takes at most about half a second of one core, but for `found`.
[[nodiscard]] std::optional<FoundLabels> search_labels(FairAssignment& assignment, const CountProblem& problem,
                                                       std::span<const CellCounts> found);

}  // namespace fairstream
