#include <fairstream/numeric/detail/convergence.hpp>

#include <cmath>

namespace fairstream {

bool stands_still(std::span<const double> residuals) {
    constexpr double progress = 0.98;
    if (residuals.size() < 2 * residuals_looked_at) return false;
    double change = 0;
    for (const double residual : residuals.last(residuals_looked_at)) change += std::log(residual);
    for (const double residual : residuals.last(2 * residuals_looked_at).first(residuals_looked_at))
        change -= std::log(residual);
    return change > std::log(progress) * residuals_looked_at;
}

}  // namespace fairstream
