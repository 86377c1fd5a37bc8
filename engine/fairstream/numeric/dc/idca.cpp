#include <fairstream/numeric/dc/idca.hpp>

#include <algorithm>

#include <fairstream/numeric/dc/inner.hpp>

namespace fairstream::dc {

IdcaResult minimise(Problem& problem, std::vector<double>& v, const IdcaOptions& options,
                    std::span<const double> multipliers, const IdcaTrace& trace) {
    IdcaResult result;
    Place place{v, {}, {}};
    std::vector<double> guess(multipliers.begin(), multipliers.end());
    double damping = 0;
    problem.evaluate(place.v, place.values);
    ++result.inner;
    const auto look = [&] {
        take_gradients(problem, place.gradients);
        result.objective = place.values.objective();
        result.kkt = kkt(place.values, place.gradients, options.near);
        result.infeasibility = result.kkt.infeasibility;
        if (trace) trace(result);
    };
    look();
    while (result.outer < options.outer) {
        if (result.kkt.residual() <= options.tolerance) {
            result.end = End::converged;
            break;
        }
        if (guess.size() != problem.constraints()) guess = result.kkt.multipliers;
        ++result.outer;
        const bool moved = options.inner == Inner::ssg
                               ? solve_by_ssg(problem, options, place, result.inner)
                               : solve_by_quadratic(problem, options, place, guess, damping, result.inner);
        if (!moved) {
            result.end = End::stalled;
            break;
        }
        // The quadratic step leaves the problem where it ended, the subgradient method elsewhere.
        if (options.inner == Inner::ssg) problem.evaluate(place.v, place.values);
        look();
    }
    if (result.end == End::iteration_limit && result.kkt.residual() <= options.tolerance) result.end = End::converged;
    v = std::move(place.v);
    return result;
}

}  // namespace fairstream::dc
