#pragma once
/// When an iteration gains nothing any more.

#include <cstddef>
#include <span>

namespace fairstream {

/// Iterations in each of the two spans that `stands_still` compares.
inline constexpr std::size_t residuals_looked_at = 20;
/// Says whether the geometric mean of a residual, which swings while it falls, fell by less than a fiftieth from the
/// twenty iterations before to the last twenty.
[[nodiscard]] bool stands_still(std::span<const double> residuals);

}  // namespace fairstream
