#pragma once
/// Assignment of rows to columns, one to one, at least cost.

#include <cstddef>
#include <optional>
#include <vector>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// Returns the column assigned to each row of `costs`, with the least possible sum of costs: exact for whole numbers,
/// otherwise up to rounding. As many pairs are assigned as the shorter side has entries; rows are left without a column
/// only if there are more rows than columns. Of equally cheap columns the one with the lower index is taken, so equal
/// costs assign column i to row i. O(s^2 l) for sides s <= l.
///
/// R. Jonker and A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems,
/// Computing 38 (1987), 325-340, without its initialisation; rectangular as in D. F. Crouse, On implementing 2D
/// rectangular assignment algorithms, IEEE Transactions on Aerospace and Electronic Systems 52 (2016), 1679-1696.
///
/// Throws `InvalidInput` (bad_feature) for a cost that is NaN, or above 1e300 in magnitude, so that sums are finite.
[[nodiscard]] std::vector<std::optional<std::size_t>> cheapest_assignment(const Matrix& costs);

}  // namespace fairstream
