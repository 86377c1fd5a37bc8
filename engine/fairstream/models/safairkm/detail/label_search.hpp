#pragma once
/// The cheapest labels that a bounded search finds for centres that stay, where every cluster keeps its demands.

#include <cstdint>
#include <optional>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream::safairkm {

class FairAssignment;
struct CountProblem;

/// Searches from the assignment at the present prices, from the nearest centres, and from `counts` that keep the
/// demands, k x cells, where there are any: each is led to the demands, made cheaper, and the best one let go and led
/// to them again. Returns labels in the order of the assignment's points; nothing where none keep the demands. Takes at
/// most about half a second of one core, but for `counts`.
[[nodiscard]] std::optional<std::vector<ClusterId>> search_labels(
    FairAssignment& assignment, const CountProblem& problem, const std::optional<std::vector<std::int64_t>>& counts);

}  // namespace fairstream::safairkm
