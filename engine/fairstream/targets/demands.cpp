#include <fairstream/targets/demands.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

namespace fairstream {
namespace {

// Returns the index of the first group of the a-th balanced attribute among the groups of all balanced attributes,
// unknown groups included.
std::size_t first_group(const ClusterTargets& targets, const GroupMasses& masses, std::size_t a) {
    std::size_t first = 0;
    for (std::size_t b = 0; b < a; ++b) first += masses.by_group[static_cast<std::size_t>(targets.attribute[b])].size();
    return first;
}

// Returns the index of the first group of an attribute in `GroupMasses::counted`.
std::size_t first_group_index(const GroupMasses& masses, std::size_t attribute) {
    std::size_t place = 0;
    for (std::size_t b = 0; b < attribute; ++b) place += masses.by_group[b].size();
    return place;
}

Demand ratio_demand(std::uint32_t attribute, double ratio, const std::vector<bool>& counted,
                    std::span<const double> totals, bool by_rate, bool has_unknown) {
    Demand demand{.attribute = attribute, .ratio = ratio};
    if (!by_rate && !has_unknown && std::ranges::all_of(counted, std::identity())) return demand;
    for (std::size_t j = 0; j < counted.size(); ++j) {
        // A group without points yet counts as one point.
        const double rate = 1 / (totals[j] > 0 ? totals[j] : 1);
        demand.weights.push_back(!counted[j] ? 0 : by_rate ? rate : 1);
    }
    return demand;
}

// Returns bounds on shares: the bounds of Bera et al., intersected with the bounds given as options. The former are (1
// - delta) r_j to r_j / (1 - delta), with r_j the share of group j among all points.
Demand share_demand(const ClusterTargets& targets, const GroupMasses& masses, std::size_t a,
                    const std::vector<bool>& counted) {
    Demand demand{.attribute = static_cast<std::uint32_t>(targets.attribute[a])};
    const std::span<const double> totals = masses.of(demand.attribute);
    const double delta = targets.share_delta.of(a);
    const double all = std::accumulate(totals.begin(), totals.end(), 0.0);
    const std::size_t first = first_group(targets, masses, a);
    bool asked = false;
    for (std::size_t j = 0; j < totals.size(); ++j) {
        double low = targets.share_at_least.of(first + j), high = targets.share_at_most.of(first + j);
        if (delta < 1 && all > 0) {
            const double share = totals[j] / all;
            low = std::max(low, (1 - delta) * share);
            high = std::min(high, share / (1 - delta));
        }
        if (!counted[j]) low = 0, high = 1;
        asked = asked || low > 0 || high < 1;
        demand.lower.push_back(low);
        demand.upper.push_back(std::max(low, high));
    }
    if (!asked) demand.lower.clear(), demand.upper.clear();
    return demand;
}

// Returns for each known group of the a-th balanced attribute whether it is named or frequent enough, without regard to
// the other groups.
std::vector<bool> frequent_groups(const ClusterTargets& targets, const GroupMasses& masses, std::size_t a) {
    const std::size_t first = first_group(targets, masses, a);
    const auto attribute = static_cast<std::size_t>(targets.attribute[a]);
    const std::span<const double> totals = masses.of(attribute);
    const std::size_t place = first_group_index(masses, attribute);
    std::vector<bool> counted;
    for (std::size_t j = 0; j < totals.size(); ++j) {
        const bool named = std::ranges::count(targets.named_groups, static_cast<int>(first + j)) > 0;
        const bool counted_before = !masses.counted.empty() && masses.counted[place + j] != 0;
        counted.push_back(named || totals[j] >= targets.rare_below.of(counted_before ? 0 : 1) * targets.clusters);
    }
    return counted;
}

}  // namespace

std::vector<bool> counted_groups(const ClusterTargets& targets, const GroupMasses& masses, std::size_t a) {
    std::vector<bool> counted = frequent_groups(targets, masses, a);
    if (std::ranges::count(counted, true) < 2) counted.assign(counted.size(), true);
    return counted;
}

GroupMasses masses_with_memory(const Window& window, const FairnessTally& before) {
    GroupMasses masses = group_masses(window);
    masses.counted.assign(before.counted().begin(), before.counted().end());
    return masses;
}

std::vector<std::uint8_t> groups_to_remember(const ClusterTargets& targets, const GroupMasses& masses) {
    if (targets.rare_below.size() == 1 || masses.empty()) return {};
    std::vector<std::uint8_t> remembered(first_group_index(masses, masses.by_group.size()));
    for (std::size_t a = 0; a < targets.attribute.size(); ++a) {
        const std::vector<bool> frequent = frequent_groups(targets, masses, a);
        const std::size_t place = first_group_index(masses, static_cast<std::size_t>(targets.attribute[a]));
        for (std::size_t j = 0; j < frequent.size(); ++j) remembered[place + j] = frequent[j] ? 1 : 0;
    }
    return remembered;
}

Targets without_memory(const ClusterTargets& targets, const GroupMasses& masses) {
    const Targets& given = targets;
    Targets same = given;
    if (targets.rare_below.size() == 1) return same;
    same.rare_below = targets.rare_below[1];
    std::vector<int> named(targets.named_groups.begin(), targets.named_groups.end());
    for (std::size_t a = 0; a < targets.attribute.size() && !masses.empty(); ++a) {
        const std::vector<bool> frequent = frequent_groups(targets, masses, a);
        for (std::size_t j = 0; j < frequent.size(); ++j)
            if (frequent[j]) named.push_back(static_cast<int>(first_group(targets, masses, a) + j));
    }
    same.named_groups = OneOrMore<int>(std::move(named));
    return same;
}

std::vector<NamedDemand> named_demands(const ClusterTargets& targets, const GroupMasses& masses) {
    std::vector<NamedDemand> named;
    if (masses.empty()) return named;
    for (std::size_t a = 0; a < targets.attribute.size(); ++a) {
        const auto attribute = static_cast<std::uint32_t>(targets.attribute[a]);
        const std::span<const double> sizes = masses.of(attribute);
        const std::vector<bool> counted = counted_groups(targets, masses, a);
        const bool has_unknown = sizes.size() < masses.by_group[attribute].size();
        if (const double balance = targets.balance_at_least.of(a); balance > 0)
            named.push_back({"balance_at_least", false, false, balance,
                             ratio_demand(attribute, balance, counted, sizes, false, has_unknown)});
        if (const double parity = parity_target(targets, a); parity > 0)
            named.push_back({"parity_at_least", true, false, parity,
                             ratio_demand(attribute, parity, counted, sizes, true, has_unknown)});
        const bool given = std::ranges::any_of(targets.share_at_least, [](double share) { return share > 0; }) ||
                           std::ranges::any_of(targets.share_at_most, [](double share) { return share < 1; });
        if (Demand shares = share_demand(targets, masses, a, counted); shares.of_shares())
            named.push_back({given ? "share_at_least" : "share_delta", false, !given, targets.share_delta.of(a),
                             std::move(shares)});
    }
    return named;
}

std::vector<std::size_t> demanded_attributes(const ClusterTargets& targets, const GroupMasses& masses) {
    const std::vector<NamedDemand> demands = named_demands(targets, masses);
    std::vector<std::size_t> positions;
    for (std::size_t a = 0; a < targets.attribute.size(); ++a) {
        const auto attribute = static_cast<std::uint32_t>(targets.attribute[a]);
        if (std::ranges::count(demands, attribute, [](const NamedDemand& named) { return named.demand.attribute; }) > 0)
            positions.push_back(a);
    }
    return positions;
}

Demands demands_for(const ClusterTargets& targets, const GroupMasses& masses) {
    Demands demands;
    demands.of_sizes.at_least = targets.size_at_least;
    if (targets.size_at_most > 0) demands.of_sizes.at_most = targets.size_at_most;
    for (NamedDemand& named : named_demands(targets, masses)) demands.of_groups.push_back(std::move(named.demand));
    return demands;
}

}  // namespace fairstream
