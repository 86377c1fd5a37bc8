#pragma once
/// The inexact difference-of-convex algorithm, Algorithm 1 of He, Huang, Yao and Lin.
///
/// Each outer iteration replaces every f_i- by its tangent at the present point, which leaves a convex problem (31). It
/// solves that problem roughly: by the switching subgradient method (Algorithm 2), as the paper does, or by one
/// quadratic problem over the multipliers, as in sequential quadratic programming.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/optimisation/detail/dc/kkt.hpp>
#include <fairstream/optimisation/detail/dc/problem.hpp>

namespace fairstream::dc {

enum class Inner : std::uint8_t { quadratic, ssg };
enum class End : std::uint8_t { converged, iteration_limit, stalled };

struct IdcaOptions {
    Inner inner = Inner::quadratic;
    std::int64_t outer = 100;             ///< K, at least 1
    std::int64_t inner_iterations = 150;  ///< T of the switching subgradient method, at least 1
    double epsilon = 1e-3;                ///< tolerance of feasibility; also scales the steps of `ssg`; above 0
    double tolerance = 1e-3;              ///< the algorithm ends at this `Kkt::residual`
    double near = 1e-3;                   ///< constraints with f_i >= -near are active
    double penalty = 100;  ///< largest penalty of a violated constraint in the merit function of `quadratic`; above 0
};

struct IdcaResult {
    End end = End::iteration_limit;
    std::int64_t outer = 0;
    std::int64_t inner = 0;  ///< number of evaluations of the problem
    double objective = 0;
    double infeasibility = 0;  ///< largest f_i, at least 0
    Kkt kkt;
};

/// Called in every outer iteration with the state before it.
using IdcaTrace = std::function<void(const IdcaResult&)>;

/// Moves `v` to the solution; the problem is evaluated there last. With `ssg`, `v` should be feasible at the start.
/// `quadratic` makes it feasible and returns the feasible point of least residual. A solve by `quadratic` has stalled
/// after ten iterations in which the residual fell by less than a tenth and the objective by less than a
/// ten-thousandth. `multipliers` (m, or empty) are the start values. Reports every outer iteration to `work`; if that
/// ends the work, ends as at the limit of iterations, after at least one.
IdcaResult minimise(Problem& problem, std::vector<double>& v, const IdcaOptions& options,
                    std::span<const double> multipliers = {}, const IdcaTrace& trace = {}, const WorkHandle& work = {});

/// Lowers the largest f_i to `target` by subgradient steps, at most `iterations`. Returns whether it succeeded. `v` is
/// then the first such point, otherwise the point whose largest f_i is least. Adds the number of evaluations to
/// `inner`.
bool restore(Problem& problem, std::vector<double>& v, double target, std::int64_t iterations, std::int64_t& inner,
             const WorkHandle& work = {});

}  // namespace fairstream::dc
