#pragma once
/// Assignment of rows to columns, one to one, at the least cost.

#include <cstddef>
#include <optional>
#include <vector>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// Returns for each row of `costs` the column that is assigned to it, so that the sum of the costs is the least there
/// is, up to rounding: exactly for whole numbers. As many rows and columns are assigned as the shorter side has; rows
/// are left without a column only where there are more of them. Of columns that are equally near the lower is taken, so
/// that equal costs assign column i to row i. O(s^2 l) for sides of s <= l.
///
/// R. Jonker and A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear assignment problems,
/// Computing 38 (1987), 325-340, without its initialisation; rectangular as in D. F. Crouse, On implementing 2D
/// rectangular assignment algorithms, IEEE Transactions on Aerospace and Electronic Systems 52 (2016), 1679-1696.
///
/// Throws `InvalidInput` (bad_feature) for a cost that is NaN, or above 1e300 in magnitude: sums must be finite.
[[nodiscard]] std::vector<std::optional<std::size_t>> cheapest_assignment(const Matrix& costs);

}  // namespace fairstream
