#pragma once
/// Small quadratic problems over multipliers.

#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::dc {

/// Returns the x in [0, upper]^n that minimises x'Qx/2 - b'x, with Q symmetric and positive semidefinite (n x n).
/// Starts from `start` (n, clipped) and uses an active-set method; ties and the order of choices are fixed. With
/// `upper` infinite and Q = A A', b = -A g, it minimises |A'x + g| over x >= 0. Ends when no multiplier improves by
/// more than `tolerance` relative to the largest entry of b, after 50 + 10 n changes of the active set, or when `work`,
/// which counts the work, ends it.
[[nodiscard]] std::vector<double> solve_box(const Matrix& q, std::span<const double> b, double upper,
                                            std::span<const double> start, double tolerance = 1e-12,
                                            const WorkHandle& work = {});

}  // namespace fairstream::dc
