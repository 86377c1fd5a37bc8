#pragma once
/// Residuals of the Karush-Kuhn-Tucker conditions.

#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/optimisation/detail/dc/problem.hpp>

namespace fairstream::dc {

/// Residuals (28) to (30) of He et al. The multipliers minimise the first residual: nonnegative least squares over the
/// constraints that are active within `near`.
struct Kkt {
    double stationarity = 0;          ///< |grad f_0 + sum of multiplier x grad f_i|
    double infeasibility = 0;         ///< largest f_i, at least 0
    double complementarity = 0;       ///< largest |multiplier x f_i|
    std::vector<double> multipliers;  ///< m

    /// Returns the least epsilon for which the point is an epsilon-KKT point with these multipliers.
    [[nodiscard]] double residual() const noexcept;
};

/// Gradients of f_0 and of the constraints, f+ minus f-, where the problem was evaluated last.
struct Gradients {
    std::vector<double> objective;  ///< variables
    Matrix constraints;             ///< m x variables
};
void take_gradients(Problem& problem, Gradients& gradients);

[[nodiscard]] Kkt kkt(const Values& values, const Gradients& gradients, double near, const WorkHandle& work = {});

}  // namespace fairstream::dc
