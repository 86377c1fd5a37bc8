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

/// `count(j)`: points of group j, or their weight, of `groups` groups.
template <class Count> double shortfall_of(const Demand& demand, std::size_t groups, Count&& count) {
    double total = 0;
    if (demand.of_shares()) {
        double size = 0;
        for (std::size_t j = 0; j < groups; ++j) size += count(j);
        for (std::size_t j = 0; j < groups; ++j)
            total += missing(demand.lower[j] * size, count(j)) + missing(count(j), demand.upper[j] * size);
        return total;
    }
    if (demand.ratio == 0) return 0;
    double most = 0;
    for (std::size_t j = 0; j < groups; ++j) most = std::max(most, demand.weight(j) * count(j));
    for (std::size_t j = 0; j < groups; ++j)
        if (const double weight = demand.weight(j); weight > 0)
            total += most == 0 ? 1 : missing(demand.ratio * most / weight, count(j));
    return total;
}

template <class T> double least_over_most(const Demand& demand, std::span<const T> counts) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
        if (demand.weight(j) == 0) continue;
        const double weighted = demand.weight(j) * static_cast<double>(counts[j]);
        least = std::min(least, weighted);
        most = std::max(most, weighted);
    }
    return most == 0 ? 0 : least / most;
}

}  // namespace

double shortfall(const Demand& demand, std::span<const std::int64_t> counts, int minus, int plus) {
    return shortfall_of(demand, counts.size(), [&](std::size_t j) {
        return static_cast<double>(counts[j] - (static_cast<int>(j) == minus) + (static_cast<int>(j) == plus));
    });
}

double shortfall(const Demand& demand, std::span<const double> weights, int minus, int plus, double minus_weight,
                 double plus_weight) {
    return shortfall_of(demand, weights.size(), [&](std::size_t j) {
        return std::max(0.0, weights[j] - (static_cast<int>(j) == minus ? minus_weight : 0) +
                                 (static_cast<int>(j) == plus ? plus_weight : 0));
    });
}

double shortfall(const SizeDemand& demand, std::int64_t size) noexcept {
    if (size < demand.at_least) return static_cast<double>(demand.at_least - size);
    return size > demand.at_most ? static_cast<double>(size - demand.at_most) : 0;
}

double shortfall(const SizeDemand& demand, double weight) noexcept {
    const auto least = static_cast<double>(demand.at_least), most = static_cast<double>(demand.at_most);
    return missing(least, weight) + missing(weight, most);
}

double weighted_balance(const Demand& demand, std::span<const std::int64_t> counts) {
    return least_over_most(demand, counts);
}

double weighted_balance(const Demand& demand, std::span<const double> weights) {
    return least_over_most(demand, weights);
}

}  // namespace fairstream
