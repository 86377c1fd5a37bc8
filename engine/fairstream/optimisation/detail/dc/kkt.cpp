#include <fairstream/optimisation/detail/dc/kkt.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fairstream/numeric/detail/blocks.hpp>
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
    for (std::size_t i = 0; i < minus.values.size(); ++i) gradients.constraints.values[i] -= minus.values[i];
}

Kkt kkt(const Values& values, const Gradients& gradients, double near) {
    const std::size_t m = values.constraints(), n = gradients.objective.size();
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < m; ++i)
        if (values.constraint(i + 1) >= -near) active.push_back(i);
    Matrix products(active.size(), active.size());
    std::vector<double> falls(active.size());
    for (std::size_t a = 0; a < active.size(); ++a) {
        const double* const row = gradients.constraints.row(active[a]);
        falls[a] = -std::inner_product(row, row + n, gradients.objective.begin(), 0.0);
        for (std::size_t b = 0; b <= a; ++b)
            products.at(a, b) = products.at(b, a) =
                std::inner_product(row, row + n, gradients.constraints.row(active[b]), 0.0);
    }
    const std::vector<double> found = solve_box(products, falls, std::numeric_limits<double>::infinity(), {});
    Kkt result{0, std::max(0.0, values.worst()), 0, std::vector<double>(m, 0.0)};
    std::vector<double> rest = gradients.objective;
    for (std::size_t a = 0; a < active.size(); ++a) {
        const std::size_t i = active[a];
        result.multipliers[i] = found[a];
        result.complementarity = std::max(result.complementarity, std::abs(found[a] * values.constraint(i + 1)));
        for (std::size_t j = 0; j < n; ++j) rest[j] += found[a] * gradients.constraints.at(i, j);
    }
    result.stationarity = std::sqrt(std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0));
    return result;
}

}  // namespace fairstream::dc
