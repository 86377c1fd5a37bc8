// Computes a clustering's demands, its shortfalls, and the prices of its cells.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fairstream/fair_kmeans/detail/clustering.hpp>
#include <fairstream/fairness/attainable.hpp>

namespace fairstream::safairkm {

namespace {

// Returns the best ratio that all clusters can have at once, for indivisible points if weights are equal.
double best_ratio(const Demand& demand, std::span<const std::int64_t> totals, std::int64_t clusters,
                  std::int64_t exact_up_to) {
    const auto counted = totals_of_equal_weights(demand, totals);
    return counted ? attainable_balance(*counted, clusters, exact_up_to) : weighted_balance(demand, totals);
}

// Leaves out groups that cannot be in every cluster. They do not matter, because in any clustering some cluster lacks
// them.
void leave_out_scarce(Demand& demand, std::span<const std::int64_t> totals, std::int64_t clusters) {
    std::size_t left = 0;
    for (std::size_t j = 0; j < totals.size(); ++j) left += demand.weight(j) > 0 && totals[j] >= clusters;
    if (left < 2) demand.ratio = 0;
    if (demand.weights.empty()) demand.weights.assign(totals.size(), 1);
    for (std::size_t j = 0; j < totals.size(); ++j)
        if (totals[j] < clusters) demand.weights[j] = 0;
}

void lower_ratio(Demand& demand, std::span<const std::int64_t> totals, std::int64_t clusters, double of_best) {
    if (std::ranges::any_of(totals, [&](std::int64_t n) { return n < clusters; }))
        leave_out_scarce(demand, totals, clusters);
    if (demand.ratio <= weighted_balance(demand, totals) && of_best < 1) return;
    const double best = best_ratio(demand, totals, clusters, of_best < 1 ? 0 : exact_split_limit);
    if (demand.ratio > best) demand.ratio = of_best * best;
}

void widen_shares(Demand& demand, std::span<const std::int64_t> totals, std::int64_t clusters, double of_best) {
    const auto all = static_cast<double>(std::accumulate(totals.begin(), totals.end(), std::int64_t{0}));
    for (std::size_t j = 0; j < totals.size(); ++j) {
        const double share = static_cast<double>(totals[j]) / all;
        if (demand.lower[j] > share) demand.lower[j] = of_best * share;
        if (totals[j] < clusters) demand.lower[j] = 0;
        if (demand.upper[j] < share) demand.upper[j] = std::min(1.0, share / of_best);
    }
}

void widen_sizes(SizeDemand& demand, std::int64_t points, std::int64_t clusters, double of_best) {
    const double even = static_cast<double>(points) / static_cast<double>(clusters);
    if (demand.at_least > points / clusters) demand.at_least = static_cast<std::int64_t>(of_best * even);
    if (static_cast<double>(demand.at_most) < even)
        demand.at_most = static_cast<std::int64_t>(std::ceil(even / of_best));
}

}  // namespace

void Clustering::set_demands(double of_best) {
    if (!targeted) return;
    const GroupMasses masses = group_masses(state.tally, state.weight_unit());
    demands = target_demands = demands_for(targets_of(options), masses);
    if (weighted) return relax_weighted_demands(masses, of_best);
    GroupTotals totals = group_totals(state.tally);
    for (std::size_t a = 0; a < totals.size(); ++a)
        totals[a].resize(static_cast<std::size_t>(state.tally.known_groups(static_cast<int>(a))));
    std::int64_t points = 0;
    for (ClusterId l = 0; l < static_cast<ClusterId>(k); ++l) points += size(l);
    if (points < static_cast<std::int64_t>(k)) return;
    for (Demand& demand : demands.of_groups) {
        const std::span<const std::int64_t> of_groups = totals[demand.attribute];
        if (demand.of_shares())
            widen_shares(demand, of_groups, static_cast<std::int64_t>(k), of_best);
        else
            lower_ratio(demand, of_groups, static_cast<std::int64_t>(k), of_best);
    }
    widen_sizes(demands.of_sizes, points, static_cast<std::int64_t>(k), of_best);
}

// Points of different weights are treated as divisible. They are not, so the demand is below the resulting best value.
void Clustering::relax_weighted_demands(const GroupMasses& masses, double of_best) {
    constexpr double most_asked = 0.98;
    of_best = std::min(of_best, most_asked);
    const double unit = state.weight_unit(), even = state.tally.total_weight() / unit / static_cast<double>(k);
    if (state.tally.total() < static_cast<std::int64_t>(k)) return;
    for (Demand& demand : demands.of_groups) {
        const std::span<const double> of_groups = masses.of(demand.attribute);
        const double all = std::accumulate(of_groups.begin(), of_groups.end(), 0.0);
        if (!demand.of_shares()) {
            const double best = weighted_balance(demand, of_groups);
            if (demand.ratio > of_best * best) demand.ratio = std::min(demand.ratio, of_best * best);
        }
        for (std::size_t j = 0; j < demand.lower.size() && all > 0; ++j) {
            demand.lower[j] = std::min(demand.lower[j], of_best * of_groups[j] / all);
            demand.upper[j] = std::max(demand.upper[j], std::min(1.0, of_groups[j] / all / of_best));
        }
    }
    if (static_cast<double>(demands.of_sizes.at_least) > of_best * even)
        demands.of_sizes.at_least = static_cast<std::int64_t>(of_best * even);
    if (static_cast<double>(demands.of_sizes.at_most) < even / of_best)
        demands.of_sizes.at_most = static_cast<std::int64_t>(std::ceil(even / of_best));
}

double Clustering::shortfall(const Demands& wanted, ClusterId l, int minus, int plus, double minus_weight,
                             double plus_weight) const {
    double total = 0;
    if (weighted) {
        double of_groups = 0;
        for (const Demand& demand : wanted.of_groups) {
            const std::size_t a = cells.place(demand.attribute);
            const int out = cells.group_or_none(minus, a);
            const int in = cells.group_or_none(plus, a);
            of_groups += fairstream::shortfall(demand, masses(l, a), out, in, minus_weight, plus_weight);
        }
        const double now = mass(l) - (minus == none ? 0 : minus_weight) + (plus == none ? 0 : plus_weight);
        return of_groups / state.weight_unit() + fairstream::shortfall(wanted.of_sizes, now / state.weight_unit());
    }
    for (const Demand& demand : wanted.of_groups) {
        const std::size_t a = cells.place(demand.attribute);
        const int out = cells.group_or_none(minus, a);
        const int in = cells.group_or_none(plus, a);
        total += fairstream::shortfall(demand, counts(l, a), out == in ? none : out, out == in ? none : in);
    }
    return total + fairstream::shortfall(wanted.of_sizes, size(l) - (minus != none) + (plus != none));
}

double Clustering::shortfall(ClusterId l, int minus, int plus, double minus_weight, double plus_weight) const {
    return shortfall(demands, l, minus, plus, minus_weight, plus_weight);
}

double Clustering::total_shortfall(const Demands& wanted) const {
    double points = 0;
    for (ClusterId l = 0; l < static_cast<ClusterId>(k); ++l) points += shortfall(wanted, l, none, none, 1, 1);
    return points;
}

bool Clustering::meets_target() const {
    return target_shortfall() == 0;
}

Outcome Clustering::verdict() const {
    if (meets_target()) return Outcome::converged;
    const GroupMasses masses = group_masses(state.tally, state.weight_unit());
    const bool attainable =
        weighted
            ? !find_obstacle_of_weights(target_demands, masses.by_group,
                                        state.tally.total_weight() / state.weight_unit(), static_cast<std::int64_t>(k))
            : is_attainable(target_demands, group_totals(state.tally), window.size(), static_cast<std::int64_t>(k));
    return attainable ? Outcome::stalled : Outcome::unattainable;
}

bool Clustering::keeps_demands(ClusterId l, int minus, int plus, double minus_weight, double plus_weight) const {
    const double after = shortfall(l, minus, plus, minus_weight, plus_weight);
    return after <= 0 || after <= shortfall(l);
}

bool Clustering::falls_short() const {
    for (ClusterId l = 0; l < static_cast<ClusterId>(k); ++l)
        if (shortfall(l) > 0) return true;
    return false;
}

bool Clustering::has_prices() const {
    if (!targeted || state.prices.size() != demands.of_groups.size() + 1) return false;
    for (std::size_t i = 0; i < demands.of_groups.size(); ++i) {
        const auto attribute = static_cast<int>(demands.of_groups[i].attribute);
        if (state.prices[i].size() != k * static_cast<std::size_t>(state.tally.groups(attribute))) return false;
    }
    return state.prices.back().size() == k;
}

void Clustering::steer(std::size_t arrivals) {
    // A price changes by these shares of itself for each margin that is missing: at once, and lastingly.
    constexpr double at_once = 0.03, lastingly = 0.002;
    constexpr double most_lacking = 32;  // margins
    // The margin aimed at is at most this part of the range between the bounds of a group: tight demands leave no room.
    constexpr double part = 0.25;
    if (!has_prices() || state.tally.total() == 0) return;
    const double typical_weight = state.tally.total_weight() / static_cast<double>(state.tally.total());
    std::vector<std::vector<double>> steered = state.prices;
    for (std::size_t i = 0; i < demands.of_groups.size(); ++i) {
        const Demand& demand = demands.of_groups[i];
        const std::size_t a = cells.place(demand.attribute);
        const auto groups = static_cast<std::size_t>(state.tally.groups(static_cast<int>(demand.attribute)));
        for (std::size_t l = 0; l < k; ++l) {
            const std::span<const double> weights = masses(static_cast<ClusterId>(l), a);
            for (std::size_t j = 0; j < weights.size(); ++j) {
                double& price = state.prices[i][l * groups + j];
                if (price == 0) continue;
                const double share = weights[j] / state.tally.total_weight();
                const double margin = typical_weight * (1 + std::sqrt(2 * static_cast<double>(arrivals) * share));
                const double above = above_lower_bound(demand, weights, j),
                             below = below_upper_bound(demand, weights, j);
                const double room = price < 0 ? above : below,
                             aim = std::min(margin, part * std::max(0.0, above + below));
                const double lacking = std::clamp((aim - room) / margin, -most_lacking, most_lacking);
                steered[i][l * groups + j] = price * (1 + at_once * lacking);
                price *= 1 + lastingly * std::clamp(lacking, -1.0, 1.0);
            }
        }
    }
    find_prices(steered);
}

// Computes the prices of cells from prices of the demands.
void Clustering::find_prices(const std::vector<std::vector<double>>& prices) {
    cell_prices_.clear();
    if (!has_prices()) return;
    for (std::size_t cell = 0; cell < cells.count(); ++cell)
        for (std::size_t l = 0; l < k; ++l) {
            double price = prices.back()[l];
            for (std::size_t i = 0; i < demands.of_groups.size(); ++i) {
                const std::uint32_t attribute = demands.of_groups[i].attribute;
                const auto groups = static_cast<std::size_t>(state.tally.groups(static_cast<int>(attribute)));
                price += prices[i][l * groups + cells.group(cell, cells.place(attribute))];
            }
            cell_prices_.push_back(static_cast<float>(price));
        }
}

}  // namespace fairstream::safairkm
