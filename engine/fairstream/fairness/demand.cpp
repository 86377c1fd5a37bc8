#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fairstream/fairness/demand.hpp>

namespace fairstream {
namespace {

// Products of a ratio and a count have rounding errors, which are no shortfall.
constexpr double ratio_rounding = 1e-12;

double missing(double wanted, double there) {
    return wanted - there > ratio_rounding * wanted ? wanted - there : 0;
}

/// `count(j)` returns the number, or the weight, of the points of group j, of `groups` groups.
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
    const double least = demand.ratio * most;
    for (std::size_t j = 0; j < groups; ++j) {
        const double weight = demand.weight(j), there = count(j);
        if (most == 0) total += weight > 0 ? 1 : 0;
        // A group that has enough is skipped without a division: its quotient would be at most `there`, up to rounding.
        if (most > 0 && weight * there < least && weight > 0) total += missing(least / weight, there);
    }
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

namespace {

// Calls f(i) for each group i, except j, that counts.
template <class F> void for_each_other(const Demand& demand, std::size_t groups, std::size_t j, F&& f) {
    for (std::size_t i = 0; i < groups; ++i)
        if (i != j && (demand.of_shares() || demand.weight(i) > 0)) f(i);
}

double total_of_others(std::span<const double> weights, std::size_t j) {
    return std::accumulate(weights.begin(), weights.end(), 0.0) - weights[j];
}

}  // namespace

double above_lower_bound(const Demand& demand, std::span<const double> weights, std::size_t j) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (demand.of_shares()) {
        // m_j >= lower m, where m contains m_j.
        const double share = demand.lower[j];
        return share < 1 ? weights[j] - share / (1 - share) * total_of_others(weights, j) : -infinity;
    }
    if (demand.ratio == 0 || demand.weight(j) == 0) return infinity;
    double most = 0;
    for_each_other(demand, weights.size(), j,
                   [&](std::size_t i) { most = std::max(most, demand.weight(i) * weights[i]); });
    return weights[j] - demand.ratio * most / demand.weight(j);
}

double below_upper_bound(const Demand& demand, std::span<const double> weights, std::size_t j) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (demand.of_shares()) {
        const double share = demand.upper[j];
        return share < 1 ? share / (1 - share) * total_of_others(weights, j) - weights[j] : infinity;
    }
    if (demand.ratio == 0 || demand.weight(j) == 0) return infinity;
    double least = infinity;
    for_each_other(demand, weights.size(), j,
                   [&](std::size_t i) { least = std::min(least, demand.weight(i) * weights[i]); });
    return least / (demand.ratio * demand.weight(j)) - weights[j];
}

ShortfallChanges::ShortfallChanges(const Demand& demand, std::span<const std::int64_t> counts)
    : demand_(demand), counts_(counts) {
    if (demand.of_shares() || demand.ratio == 0) return;
    double most = 0;  // with one point more
    for (std::size_t j = 0; j < counts.size(); ++j) {
        Group next{static_cast<int>(j), weighted(j, 0)};
        most = std::max(most, weighted(j, 1));
        for (Group small = next; Group & least : least_)
            if (demand.weight(j) > 0 && (least.group == no_group || small.value < least.value)) std::swap(least, small);
        for (Group& large : largest_)
            if (large.group == no_group || next.value > large.value) std::swap(large, next);
    }
    for (std::size_t j = 0; j < counts.size(); ++j)
        if (const double value = weighted(j, 0); demand.weight(j) > 0 && value < demand.ratio * most)
            small_.push_back({static_cast<int>(j), value});
}

double ShortfallChanges::weighted(std::size_t group, std::int64_t change) const {
    return demand_.weight(group) * static_cast<double>(counts_[group] + change);
}

/// Returns the largest w_j m_j after changes of two different groups.
double ShortfallChanges::most_after(int minus, int plus) const {
    double most = 0;
    for (const Group& large : largest_)
        if (large.group != no_group && large.group != minus && large.group != plus) most = std::max(most, large.value);
    if (minus != no_group) most = std::max(most, weighted(static_cast<std::size_t>(minus), -1));
    if (plus != no_group) most = std::max(most, weighted(static_cast<std::size_t>(plus), +1));
    return most;
}

/// Returns the counted group with the least w_j m_j, apart from `minus` and `plus`; null if there is none. If it has
/// enough points, all other groups do.
const ShortfallChanges::Group* ShortfallChanges::smallest_of_others(int minus, int plus) const {
    for (const Group& small : least_)
        if (small.group != no_group && small.group != minus && small.group != plus) return &small;
    return nullptr;
}

/// Returns how many points a group lacks for w_j m_j >= least.
double ShortfallChanges::lacking(int group, double value, std::int64_t change, double least) const {
    const auto j = static_cast<std::size_t>(group);
    const double weight = demand_.weight(j);
    return value < least && weight > 0 ? missing(least / weight, static_cast<double>(counts_[j] + change)) : 0;
}

bool ShortfallChanges::keeps(int minus, int plus) const {
    if (minus == plus) minus = plus = no_group;
    const double most = most_after(minus, plus);
    if (demand_.of_shares() || demand_.ratio == 0 || most == 0) return after(minus, plus) <= 0;
    const double least = demand_.ratio * most;
    for (const int changed : {minus, plus}) {
        if (changed == no_group) continue;
        const std::int64_t change = changed == plus ? 1 : -1;
        if (lacking(changed, weighted(static_cast<std::size_t>(changed), change), change, least) > 0) return false;
    }
    const Group* const smallest = smallest_of_others(minus, plus);
    if (smallest == nullptr || smallest->value >= least) return true;
    return lacking(smallest->group, smallest->value, 0, least) <= 0 && after(minus, plus) <= 0;
}

double ShortfallChanges::after(int minus, int plus) const {
    if (demand_.of_shares()) return shortfall(demand_, counts_, minus, plus);
    if (demand_.ratio == 0) return 0;
    if (minus == plus) minus = plus = no_group;
    const double most = most_after(minus, plus);
    if (most == 0) return shortfall(demand_, counts_, minus, plus);
    // Sums as `shortfall`, in the same order, so that the result is the same bit for bit.
    const double least = demand_.ratio * most;
    double total = 0;
    const Group* const smallest = smallest_of_others(minus, plus);
    auto next = smallest == nullptr || smallest->value >= least ? small_.end() : small_.begin();
    for (const int changed : {std::min(minus, plus), std::max(minus, plus)}) {
        if (changed == no_group) continue;
        for (; next != small_.end() && next->group <= changed; ++next)
            if (next->group < changed) total += lacking(next->group, next->value, 0, least);
        const std::int64_t change = changed == plus ? 1 : -1;
        total += lacking(changed, weighted(static_cast<std::size_t>(changed), change), change, least);
    }
    for (; next != small_.end(); ++next) total += lacking(next->group, next->value, 0, least);
    return total;
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
