#include <algorithm>
#include <limits>

#include <fairstream/numeric/detail/linear_algebra.hpp>
#include <fairstream/optimisation/detail/dc/inner.hpp>

namespace fairstream::dc {
namespace {

double square(std::span<const double> x) {
    return xt::sum(xt::square(array(x)))();
}

/// Sets `slope` -= `minus`. If both are equal up to rounding, the slope is set to 0: a step along the remainder, which
/// divides by its squared length, would be unbounded.
void subtract(std::span<double> slope, std::span<const double> minus) {
    constexpr double rounding = 1e-13;
    const double before = std::max(square(slope), square(minus));
    array(slope) -= array(minus);
    if (square(slope) <= rounding * rounding * before) std::ranges::fill(slope, 0.0);
}

/// The functions g_i(v) = f_i+(v) - [f_i-(w) + s_i (v - w)] of problem (31), with s_i a subgradient of f_i- at w.
class Convexified {
public:
    Convexified(Problem& problem, const Iterate& at) : problem_(problem), slopes_(at.values.plus.size(), at.v.size()) {
        Matrix plus, minus;
        problem.constraint_gradients(plus, minus);
        std::ranges::copy(minus.values, slopes_.values.begin() + static_cast<std::ptrdiff_t>(at.v.size()));
        problem.add_minus_gradient(0, 1, {slopes_.row(0), at.v.size()});
        offsets_ = dot(slopes_, array(at.v)) - array(at.values.minus);
    }

    /// The largest g_i and its index, i from 1.
    struct LargestConstraint {
        double worst;
        std::size_t at;
    };
    LargestConstraint largest_constraint(std::span<const double> v) {
        problem_.evaluate_constraints(v, values_);
        LargestConstraint found{-std::numeric_limits<double>::infinity(), 0};
        for (std::size_t i = 1; i < slopes_.rows; ++i)
            if (const double value = g(i, v); value > found.worst) found = {value, i};
        return found;
    }
    /// Returns g_0 at `v`, where `largest_constraint` was called last.
    double objective(std::span<const double> v) {
        problem_.evaluate_objective(values_);
        return g(0, v);
    }
    /// Computes a subgradient of g_i where `largest_constraint` was called last.
    void subgradient(std::size_t i, std::vector<double>& out) {
        std::ranges::fill(out, 0.0);
        problem_.add_plus_gradient(i, 1, out);
        subtract(out, {slopes_.row(i), slopes_.cols});
    }

private:
    double g(std::size_t i, std::span<const double> v) const {
        return values_.plus[i] + offsets_(i) - xt::sum(array(std::span(slopes_.row(i), slopes_.cols)) * array(v))();
    }

    Problem& problem_;
    Matrix slopes_;  // s_i in row i
    Vector offsets_;
    Values values_;
};

void step(std::vector<double>& v, const std::vector<double>& along, double length) {
    array(v) -= length * array(along);
}

}  // namespace

bool solve_by_ssg(Problem& problem, const IdcaOptions& options, Iterate& place, std::int64_t& inner,
                  const WorkHandle& work) {
    Convexified convex(problem, place);
    std::vector<double> v = place.v, best, slope(v.size());
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t t = 0; t < options.inner_iterations && (t == 0 || !work.stopped()); ++t) {
        const auto largest = convex.largest_constraint(v);
        ++inner;
        work.settle(problem.work_of_values() + problem.work_of_gradients());
        const bool feasible = largest.worst <= options.epsilon;
        if (feasible) {
            const double objective = convex.objective(v);
            if (objective < least) least = objective, best = v;
        }
        convex.subgradient(feasible ? 0 : largest.at, slope);
        const double length = square(slope);
        if (length == 0) break;
        step(v, slope, (feasible ? options.epsilon : largest.worst) / length);
    }
    if (best.empty() || best == place.v) return false;
    place.v = std::move(best);
    return true;
}

bool restore(Problem& problem, std::vector<double>& v, double target, std::int64_t iterations, std::int64_t& inner,
             const WorkHandle& work) {
    std::vector<double> at = v, slope(v.size()), minus(v.size());
    Values values;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t t = 0; t <= iterations; ++t) {
        problem.evaluate(at, values);
        ++inner;
        work.settle(problem.work_of_values() + problem.work_of_gradients());
        const double worst = values.worst();
        if (worst < least) least = worst, v = at;
        if (worst <= target || values.constraints() == 0) return true;
        if (work.stopped()) return false;
        std::size_t i = 1;
        while (values.constraint(i) < worst) ++i;
        std::ranges::fill(slope, 0.0);
        std::ranges::fill(minus, 0.0);
        problem.add_plus_gradient(i, 1, slope);
        problem.add_minus_gradient(i, 1, minus);
        subtract(slope, minus);
        const double length = square(slope);
        if (length == 0) return false;
        step(at, slope, (worst - target) / length);
    }
    return false;
}

}  // namespace fairstream::dc
