#include <fairstream/optimisation/detail/dc/kkt.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>
#include <fairstream/optimisation/detail/dc/nnls.hpp>

namespace fairstream::dc {

double Kkt::residual() const noexcept {
    return std::max({stationarity, infeasibility, complementarity});
}

void take_gradients(Problem& problem, Gradients& gradients) {
    const std::size_t n = problem.variables();
    gradients.objective.assign(n, 0.0);
    problem.add_plus_gradient(0, 1, gradients.objective);
    problem.add_minus_gradient(0, -1, gradients.objective);
    Matrix minus;
    problem.constraint_gradients(gradients.constraints, minus);
    array(gradients.constraints) -= array(minus);
}

Kkt kkt(const Values& values, const Gradients& gradients, double near, const WorkHandle& work) {
    const std::size_t m = values.constraints();
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < m; ++i)
        if (values.constraint(i + 1) >= -near) active.push_back(i);
    Matrix a(active.size(), gradients.objective.size()), products;
    for (std::size_t i = 0; i < active.size(); ++i) std::copy_n(gradients.constraints.row(active[i]), a.cols, a.row(i));
    const Matrix along = transposed(a);
    const Vector g = array(gradients.objective), falls = -dot(a, g);
    multiply(a, along, products);
    work.spend(static_cast<double>(a.rows) * static_cast<double>(a.rows) * static_cast<double>(a.cols));
    // If constraints' gradients are nearly dependent, a smaller tolerance would cost long searches within rounding
    // errors.
    constexpr double negligible = 1e-8;
    const std::vector<double> found =
        solve_box(products, falls, std::numeric_limits<double>::infinity(), {}, negligible, work);
    const Vector rest = g + dot(along, array(found));
    Kkt result{std::sqrt(dot(rest, rest)), std::max(0.0, values.worst()), 0, std::vector<double>(m, 0.0)};
    for (std::size_t i = 0; i < active.size(); ++i) {
        result.multipliers[active[i]] = found[i];
        const double product = std::abs(found[i] * values.constraint(active[i] + 1));
        result.complementarity = std::max(result.complementarity, product);
    }
    return result;
}

}  // namespace fairstream::dc
