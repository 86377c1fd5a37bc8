#include <fairstream/numeric/dc/idca.hpp>

#include <fairstream/numeric/dc/inner.hpp>

namespace fairstream::dc {
namespace {

/// One outer iteration. Whether or not it moved, the problem is at `place.v` afterwards.
bool iterate(Problem& problem, const IdcaOptions& options, Place& place, std::vector<double>& multipliers,
             double& damping, std::int64_t& inner) {
    const bool by_ssg = options.inner == Inner::ssg;
    const bool moved = by_ssg ? solve_by_ssg(problem, options, place, inner)
                              : solve_by_quadratic(problem, options, place, multipliers, damping, inner);
    // Only a quadratic step that is taken ends where the problem was looked at last.
    if (by_ssg || !moved) {
        problem.evaluate(place.v, place.values);
        ++inner;
    }
    return moved;
}

}  // namespace

IdcaResult minimise(Problem& problem, std::vector<double>& v, const IdcaOptions& options,
                    std::span<const double> multipliers, const IdcaTrace& trace) {
    IdcaResult result;
    Place place{v, {}, {}};
    std::vector<double> guess(multipliers.begin(), multipliers.end());
    double damping = 0;
    const auto look = [&] {
        take_gradients(problem, place.gradients);
        result.objective = place.values.objective();
        result.kkt = kkt(place.values, place.gradients, options.near);
        result.infeasibility = result.kkt.infeasibility;
        if (trace) trace(result);
    };
    problem.evaluate(place.v, place.values);
    ++result.inner;
    look();
    while (result.kkt.residual() > options.tolerance && result.outer < options.outer) {
        if (guess.size() != problem.constraints()) guess = result.kkt.multipliers;
        ++result.outer;
        if (!iterate(problem, options, place, guess, damping, result.inner)) {
            result.end = End::stalled;
            break;
        }
        look();
    }
    if (result.kkt.residual() <= options.tolerance) result.end = End::converged;
    v = std::move(place.v);
    return result;
}

}  // namespace fairstream::dc
