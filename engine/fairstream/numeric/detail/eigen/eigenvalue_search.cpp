#include <fairstream/numeric/detail/eigen/eigenvalue_search.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fairstream/numeric/detail/convergence.hpp>

namespace fairstream {

Spectrum dense_spectrum(SymmetricOperator& a) {
    Matrix unit(a.rows(), a.rows()), entries;
    for (std::size_t i = 0; i < unit.rows; ++i) unit.at(i, i) = 1;
    a.apply(unit, entries);
    return symmetric_spectrum(entries);
}

double error_of_sum(std::span<const double> theta, std::span<const double> norms, std::size_t k) {
    double least = std::accumulate(norms.begin(), norms.begin() + static_cast<std::ptrdiff_t>(k), 0.0), squares = 0;
    for (std::size_t p = 0; p < theta.size(); ++p) {
        if (p >= k) {
            const double delta = std::abs(theta[p] - theta[k - 1]) - norms[p];
            if (delta > 0) least = std::min(least, squares / delta);
        }
        squares += norms[p] * norms[p];
    }
    return least;
}

bool ErrorHistory::has_ended(double value, double error, double allowed) {
    // Graphs of neighbours need 3 to 30 restarts; a graph of 10,000 points on a line needs some hundred.
    constexpr std::size_t most_restarts = 1'000;
    constexpr double least_fall = 1e-9;  // relative fall of the value that exceeds rounding
    values_.push_back(value);
    errors_.push_back(error);
    if (error <= allowed || errors_.size() >= most_restarts) return true;
    if (!has_stagnated(errors_)) return false;
    // The error of a slow search may also stand still, while the search turns to vectors that it had not seen. Then the
    // value still falls.
    const double fall = values_[values_.size() - 1 - stagnation_span] - value;
    return fall < std::max(allowed / 100, least_fall * std::abs(value));
}

}  // namespace fairstream
