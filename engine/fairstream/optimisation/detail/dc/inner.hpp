#pragma once
/// The two methods for the convex problem of an outer iteration.

#include <optional>
#include <vector>

#include <fairstream/optimisation/detail/dc/curvature.hpp>
#include <fairstream/optimisation/detail/dc/idca.hpp>
#include <fairstream/optimisation/detail/dc/secants.hpp>

namespace fairstream::dc {

/// The present point; `values` and `gradients` are at `v`, where the problem was evaluated last.
struct Iterate {
    std::vector<double> v;
    Values values;
    Gradients gradients;
};

/// Runs Algorithm 2 on the convex problem at `place`. The problem may be evaluated at another point afterwards. Returns
/// whether `place.v` moved.
bool solve_by_ssg(Problem& problem, const IdcaOptions& options, Iterate& place, std::int64_t& inner,
                  const WorkHandle& work);

/// State that quadratic steps of one solve pass on.
struct QuadraticState {
    std::vector<double> multipliers;  ///< multipliers of the last model, m; of another size: none yet
    double penalty = 0;               ///< penalty of the merit function f_0 + penalty x violation; 0: not set yet
    double damping = 0;               ///< raises the diagonal of the model, relative to itself
    Curvature curvature;              ///< curvature of the model
    int uses = 0;                     ///< number of steps that used the curvature
    std::optional<CurvatureFactors> factors;  ///< factors of the curvature
    Secants secants;                          ///< used if the curvature is an estimate
};

/// Takes one step along the solution of a quadratic model of the convex problem at `place`. Returns whether the merit
/// function fell; `place.v` and `place.values` have then moved.
bool solve_by_quadratic(Problem& problem, const IdcaOptions& options, Iterate& place, QuadraticState& state,
                        std::int64_t& inner, const WorkHandle& work);

}  // namespace fairstream::dc
