#include <algorithm>

#include <fairstream/optimisation/detail/dc/problem.hpp>

namespace fairstream::dc {

double Values::worst() const noexcept {
    double worst = constraints() == 0 ? 0 : constraint(1);
    for (std::size_t i = 2; i <= constraints(); ++i) worst = std::max(worst, constraint(i));
    return worst;
}

double Values::violation() const noexcept {
    double sum = 0;
    for (std::size_t i = 1; i <= constraints(); ++i) sum += std::max(0.0, constraint(i));
    return sum;
}

}  // namespace fairstream::dc
