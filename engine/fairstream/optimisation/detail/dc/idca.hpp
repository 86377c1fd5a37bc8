#pragma once
/// The inexact difference-of-convex algorithm, Algorithm 1 of He, Huang, Yao and Lin.
///
/// Each outer iteration replaces every f_i- by its tangent at the present point, which leaves a convex problem (31),
/// and solves that roughly: by the switching subgradient method (Algorithm 2), as the paper does, or by one quadratic
/// problem over the multipliers, as sequential quadratic programming would.

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
    double epsilon = 1e-3;                ///< of its steps and of its feasibility, above 0
    double tolerance = 1e-3;              ///< `Kkt::residual` at which it ends
    double near = 1e-3;                   ///< constraints at least -near are active
    double penalty = 100;  ///< of a broken constraint in the merit function of `quadratic`, at most; above 0
};

struct IdcaResult {
    End end = End::iteration_limit;
    std::int64_t outer = 0;
    std::int64_t inner = 0;  ///< points at which the problem was evaluated
    double objective = 0;
    double infeasibility = 0;  ///< largest f_i, at least 0
    Kkt kkt;
};

/// Called in every outer iteration, with how things stand before it.
using IdcaTrace = std::function<void(const IdcaResult&)>;

/// Moves `v` to the answer, where the problem is evaluated last. With `ssg` it should begin feasible; `quadratic` makes
/// it so, answers with the feasible point of least residual, and has stalled after ten iterations in which neither that
/// fell by a tenth nor the objective by a ten-thousandth. `multipliers` (m, or empty) are those to begin from. Tells
/// `work` of every outer iteration; asked to end, it ends as at their limit, after one at least.
IdcaResult minimise(Problem& problem, std::vector<double>& v, const IdcaOptions& options,
                    std::span<const double> multipliers = {}, const IdcaTrace& trace = {}, const WorkHandle& work = {});

/// Lowers the largest f_i to `target` by subgradient steps on it, at most `iterations`. Returns whether it got there;
/// `v` is then the first such point and otherwise the one with the least. `inner` is raised by the points evaluated.
bool restore(Problem& problem, std::vector<double>& v, double target, std::int64_t iterations, std::int64_t& inner,
             const WorkHandle& work = {});

}  // namespace fairstream::dc
