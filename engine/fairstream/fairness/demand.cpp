#include <algorithm>
#include <limits>

#include <fairstream/fairness/demand.hpp>

namespace fairstream {
namespace {

// Products of a ratio and a count carry rounding, which is no shortfall.
constexpr double ratio_rounding = 1e-12;

double missing(double wanted, double there) {
    return wanted - there > ratio_rounding * wanted ? wanted - there : 0;
}

}  // namespace

double shortfall(const Demand& demand, std::span<const std::int64_t> counts, int minus, int plus) {
    const auto count = [&](std::size_t j) {
        return static_cast<double>(counts[j] - (static_cast<int>(j) == minus) + (static_cast<int>(j) == plus));
    };
    double total = 0;
    if (demand.of_shares()) {
        double size = 0;
        for (std::size_t j = 0; j < counts.size(); ++j) size += count(j);
        for (std::size_t j = 0; j < counts.size(); ++j)
            total += missing(demand.lower[j] * size, count(j)) + missing(count(j), demand.upper[j] * size);
        return total;
    }
    if (demand.ratio == 0) return 0;
    double most = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) most = std::max(most, demand.weight(j) * count(j));
    for (std::size_t j = 0; j < counts.size(); ++j)
        if (const double weight = demand.weight(j); weight > 0)
            total += most == 0 ? 1 : missing(demand.ratio * most / weight, count(j));
    return total;
}

double shortfall(const SizeDemand& demand, std::int64_t size) noexcept {
    if (size < demand.at_least) return static_cast<double>(demand.at_least - size);
    return size > demand.at_most ? static_cast<double>(size - demand.at_most) : 0;
}

double weighted_balance(const Demand& demand, std::span<const std::int64_t> counts) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
        if (demand.weight(j) == 0) continue;
        const double weighted = demand.weight(j) * static_cast<double>(counts[j]);
        least = std::min(least, weighted);
        most = std::max(most, weighted);
    }
    return most == 0 ? 0 : least / most;
}

}  // namespace fairstream
