#pragma once
/// The cheapest labels that a bounded search finds for fixed centres so that every cluster meets its demands.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

class FairAssignment;

/// Labels, and the sum of the points' squared distances to their centres.
struct FoundLabels {
    std::vector<ClusterId> labels;
    double cost = 0;
};

/// Searches from several starts: the assignment at the present prices, the nearest centres, for few points the nearest
/// of some of the centres, and the counts in `found`, which meet the demands. The labels of each start are led to the
/// demands and made cheaper. Then the best labels are improved without the demands and led back to them. Returns labels
/// in the order of the assignment's points; nothing if none meet the demands. Takes at most about half a second of one
/// core, not counting `found`.
[[nodiscard]] std::optional<FoundLabels> search_labels(FairAssignment& assignment, const CountProblem& problem,
                                                       std::span<const CellCounts> found);

}  // namespace fairstream
