#pragma once
/// Small quadratic problems over multipliers.

#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::dc {

/// Returns the x in [0, upper]^n that minimises x'Qx/2 - b'x, Q symmetric and positive semidefinite (n x n), from
/// `start` (n, clipped) by an active-set method; ties and the order of its choices are fixed. With `upper` infinite and
/// Q = A A', b = -A g it is non-negative least squares |A'x + g|. Ends when no multiplier improves by more than
/// `tolerance` relative to the largest entry of b, or after 50 + 10 n changes of the active set; or when `work`, where
/// it counts what it does, is asked to end.
[[nodiscard]] std::vector<double> solve_box(const Matrix& q, std::span<const double> b, double upper,
                                            std::span<const double> start, double tolerance = 1e-12,
                                            const WorkHandle& work = {});

}  // namespace fairstream::dc
