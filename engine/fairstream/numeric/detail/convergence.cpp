#include <fairstream/numeric/detail/convergence.hpp>

#include <cmath>

namespace fairstream {

bool has_stagnated(std::span<const double> residuals) {
    constexpr double progress = 0.98;
    if (residuals.size() < 2 * stagnation_span) return false;
    double change = 0;
    for (const double residual : residuals.last(stagnation_span)) change += std::log(residual);
    for (const double residual : residuals.last(2 * stagnation_span).first(stagnation_span))
        change -= std::log(residual);
    return change > std::log(progress) * stagnation_span;
}

}  // namespace fairstream
