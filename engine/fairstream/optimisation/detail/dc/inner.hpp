#pragma once
/// The two ways to solve the convex problem of an outer iteration.

#include <optional>
#include <vector>

#include <fairstream/optimisation/detail/dc/curvature.hpp>
#include <fairstream/optimisation/detail/dc/idca.hpp>
#include <fairstream/optimisation/detail/dc/secants.hpp>

namespace fairstream::dc {

/// The present point: `values` and `gradients` are those at `v`, where the problem was evaluated last.
struct Iterate {
    std::vector<double> v;
    Values values;
    Gradients gradients;
};

/// Algorithm 2 on the convex problem at `place`. Leaves the problem wherever it looked last. Returns whether `place.v`
/// moved.
bool solve_by_ssg(Problem& problem, const IdcaOptions& options, Iterate& place, std::int64_t& inner,
                  const WorkHandle& work);

/// State that the quadratic steps of one solve pass on.
struct Trail {
    std::vector<double> multipliers;          ///< of the last model, m; with other than m a step is not asked for
    double penalty = 0;                       ///< of the merit function f_0 + penalty x violation; 0: not begun
    double damping = 0;                       ///< what the diagonal of the model is raised by, relative to itself
    Curvature curvature;                      ///< of the model
    int uses = 0;                             ///< steps that it has served for
    std::optional<CurvatureFactors> factors;  ///< of it
    Secants secants;                          ///< where it is an estimate
};

/// Takes one step along the solution of a quadratic model of the convex problem at `place`. Returns whether `place.v`
/// and `place.values` moved: whether the merit function fell.
bool solve_by_quadratic(Problem& problem, const IdcaOptions& options, Iterate& place, Trail& trail, std::int64_t& inner,
                        const WorkHandle& work);

}  // namespace fairstream::dc
