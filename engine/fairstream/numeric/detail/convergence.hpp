#pragma once
/// Detection of an iteration that no longer improves.

#include <cstddef>
#include <span>

namespace fairstream {

/// Number of iterations in each of the two spans that `has_stagnated` compares.
inline constexpr std::size_t stagnation_span = 20;
/// Returns whether the residual's geometric mean over the last twenty iterations is less than a fiftieth below the mean
/// over the twenty before. The mean is taken because residuals swing while they fall.
[[nodiscard]] bool has_stagnated(std::span<const double> residuals);

}  // namespace fairstream
