#include <fairstream/models/safairkm/detail/targets.hpp>

#include <numeric>

namespace fairstream::safairkm {
namespace {

constexpr double usual_parity = 0.8;  // the four-fifths rule

template <class T> bool any_above(const OneOrMore<T>& values, T limit) {
    return std::ranges::any_of(values, [&](T value) { return value > limit; });
}
template <class T> bool any_below(const OneOrMore<T>& values, T limit) {
    return std::ranges::any_of(values, [&](T value) { return value < limit; });
}

bool bounds_shares(const Options& o) {
    return any_below(o.share_delta, 1.0) || any_above(o.share_at_least, 0.0) || any_below(o.share_at_most, 1.0);
}

bool bounds_sizes(const Options& o) {
    return o.size_at_least > 0 || o.size_at_most > 0;
}

// Says whether the default parity does not apply: another target is asked for, or the paper's steps, which know none.
bool says_otherwise(const Options& o) {
    return any_above(o.balance_at_least, 0.0) || bounds_shares(o) || bounds_sizes(o) || o.swaps > 0 ||
           o.swap == Swap::nearest || o.centre_update == CentreUpdate::paper;
}

// Returns the index of the first group of the a-th balanced attribute among the groups of all of them, those of unknown
// group included.
std::size_t first_group(const Options& o, const GroupMasses& masses, std::size_t a) {
    std::size_t first = 0;
    for (std::size_t b = 0; b < a; ++b) first += masses.by_group[static_cast<std::size_t>(o.attribute[b])].size();
    return first;
}

// Returns where the groups of an attribute begin in `GroupMasses::counted`.
std::size_t place_of_groups(const GroupMasses& masses, std::size_t attribute) {
    std::size_t place = 0;
    for (std::size_t b = 0; b < attribute; ++b) place += masses.by_group[b].size();
    return place;
}

Demand ratio_demand(std::uint32_t attribute, double ratio, const std::vector<bool>& counted,
                    std::span<const double> totals, bool by_rate, bool has_unknown) {
    Demand demand{.attribute = attribute, .ratio = ratio};
    if (!by_rate && !has_unknown && std::ranges::all_of(counted, std::identity())) return demand;
    for (std::size_t j = 0; j < counted.size(); ++j) {
        // Groups without points yet have the rate of one point.
        const double rate = 1 / (totals[j] > 0 ? totals[j] : 1);
        demand.weights.push_back(!counted[j] ? 0 : by_rate ? rate : 1);
    }
    return demand;
}

// Makes the demand of Bera et al., between (1 - delta) r_j and r_j / (1 - delta), r_j the share of group j among all
// points, or of the bounds that are given, the narrower of both.
Demand share_demand(const Options& o, const GroupMasses& masses, std::size_t a, const std::vector<bool>& counted) {
    Demand demand{.attribute = static_cast<std::uint32_t>(o.attribute[a])};
    const std::span<const double> totals = masses.of(demand.attribute);
    const double delta = o.share_delta.of(a);
    const double all = std::accumulate(totals.begin(), totals.end(), 0.0);
    const std::size_t first = first_group(o, masses, a);
    bool asked = false;
    for (std::size_t j = 0; j < totals.size(); ++j) {
        double low = o.share_at_least.of(first + j), high = o.share_at_most.of(first + j);
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

}  // namespace

double parity_target(const Options& options, std::size_t a) {
    const double said = options.parity_at_least.of(a);
    if (said >= 0) return said;
    return says_otherwise(options) ? 0 : usual_parity;
}

std::optional<double> default_parity(const Options& options, const StreamFormat& format) {
    for (std::size_t a = 0; a < options.attribute.size() && !format.attributes.empty(); ++a)
        if (options.parity_at_least.of(a) < 0 && !says_otherwise(options)) return usual_parity;
    return std::nullopt;
}

std::string_view option_on_groups(const Options& options) {
    if (any_above(options.balance_at_least, 0.0)) return "balance_at_least";
    if (any_above(options.parity_at_least, 0.0)) return "parity_at_least";
    if (any_below(options.share_delta, 1.0)) return "share_delta";
    if (any_above(options.share_at_least, 0.0)) return "share_at_least";
    if (any_below(options.share_at_most, 1.0)) return "share_at_most";
    if (any_above(options.named_groups, -1)) return "named_groups";
    return options.swaps > 0 ? "swaps" : "";
}

bool has_target(const Options& options, std::size_t attributes) {
    if (bounds_sizes(options)) return true;
    if (attributes == 0) return false;
    if (any_above(options.balance_at_least, 0.0) || bounds_shares(options)) return true;
    for (std::size_t a = 0; a < options.attribute.size(); ++a)
        if (parity_target(options, a) > 0) return true;
    return false;
}

Options without_targets(Options options) {
    copy_targets(Options{.parity_at_least = 0}, options);
    return options;
}

GroupTotals group_totals(const FairnessTally& tally) {
    std::vector<std::vector<std::int64_t>> totals;
    for (int a = 0; a < tally.attributes(); ++a) {
        totals.emplace_back(static_cast<std::size_t>(tally.groups(a)));
        for (ClusterId l = 0; l < tally.clusters(); ++l)
            for (std::size_t j = 0; j < totals.back().size(); ++j) totals.back()[j] += tally.counts(l, a)[j];
    }
    return totals;
}

GroupTotals group_totals(std::span<const GroupId> table, std::span<const Attribute> attributes) {
    GroupTotals totals;
    for (std::size_t a = 0; a < attributes.size(); ++a) {
        totals.emplace_back(attributes[a].groups.size());
        for (std::size_t at = a; at < table.size(); at += attributes.size()) ++totals[a][table[at]];
    }
    return totals;
}

GroupTotals group_totals(const Window& window) {
    return group_totals(window.points().groups, window.format().attributes);
}

GroupMasses::GroupMasses(std::span<const std::vector<std::int64_t>> totals, std::vector<int> known_groups)
    : known(std::move(known_groups)) {
    for (const std::vector<std::int64_t>& of_groups : totals) by_group.emplace_back(of_groups.begin(), of_groups.end());
}

GroupMasses group_masses(const FairnessTally& tally, double weight_unit) {
    GroupMasses masses;
    masses.counted.assign(tally.counted().begin(), tally.counted().end());
    for (int a = 0; a < tally.attributes(); ++a) {
        masses.known.push_back(tally.known_groups(a));
        masses.by_group.emplace_back(static_cast<std::size_t>(tally.groups(a)));
        std::vector<double>& of_groups = masses.by_group.back();
        for (ClusterId l = 0; l < tally.clusters(); ++l)
            for (std::size_t j = 0; j < of_groups.size(); ++j) of_groups[j] += tally.weights(l, a)[j];
        for (double& mass : of_groups) mass /= weight_unit;
    }
    return masses;
}

GroupMasses group_masses(const Window& window) {
    FairnessTally tally = empty_tally(1, window.format());
    const std::vector<ClusterId> together(window.size());
    tally.add(together, window.points().groups.data(), window.weights());
    return group_masses(tally, window.weight_unit());
}

GroupMasses group_masses(const GroupTotals& totals, std::span<const Attribute> attributes) {
    std::vector<int> known;
    for (const Attribute& attribute : attributes) known.push_back(static_cast<int>(attribute.known_groups()));
    return {std::span(totals), std::move(known)};
}

namespace {

// Says of each known group of the a-th balanced attribute whether it is named or has points enough, whatever the others
// have.
std::vector<bool> frequent_groups(const Options& options, const GroupMasses& masses, std::size_t a) {
    const std::size_t first = first_group(options, masses, a);
    const auto attribute = static_cast<std::size_t>(options.attribute[a]);
    const std::span<const double> totals = masses.of(attribute);
    const std::size_t place = place_of_groups(masses, attribute);
    std::vector<bool> counted;
    for (std::size_t j = 0; j < totals.size(); ++j) {
        const bool named = std::ranges::count(options.named_groups, static_cast<int>(first + j)) > 0;
        const bool counted_before = !masses.counted.empty() && masses.counted[place + j] != 0;
        counted.push_back(named || totals[j] >= options.rare_below.of(counted_before ? 0 : 1) * options.clusters);
    }
    return counted;
}

}  // namespace

std::vector<bool> counted_groups(const Options& options, const GroupMasses& masses, std::size_t a) {
    std::vector<bool> counted = frequent_groups(options, masses, a);
    if (std::ranges::count(counted, true) < 2) counted.assign(counted.size(), true);
    return counted;
}

GroupMasses masses_remembering(const Window& window, const FairnessTally& before) {
    GroupMasses masses = group_masses(window);
    masses.counted.assign(before.counted().begin(), before.counted().end());
    return masses;
}

std::vector<std::uint8_t> groups_to_remember(const Options& options, const GroupMasses& masses) {
    if (options.rare_below.size() == 1 || masses.empty()) return {};
    std::vector<std::uint8_t> remembered(place_of_groups(masses, masses.by_group.size()));
    for (std::size_t a = 0; a < options.attribute.size(); ++a) {
        const std::vector<bool> frequent = frequent_groups(options, masses, a);
        const std::size_t place = place_of_groups(masses, static_cast<std::size_t>(options.attribute[a]));
        for (std::size_t j = 0; j < frequent.size(); ++j) remembered[place + j] = frequent[j] ? 1 : 0;
    }
    return remembered;
}

OneOrMore<int> named_and_counted(const Options& options, const GroupMasses& masses) {
    std::vector<int> named(options.named_groups.begin(), options.named_groups.end());
    for (std::size_t a = 0; a < options.attribute.size() && !masses.empty(); ++a) {
        const std::vector<bool> frequent = frequent_groups(options, masses, a);
        for (std::size_t j = 0; j < frequent.size(); ++j)
            if (frequent[j]) named.push_back(static_cast<int>(first_group(options, masses, a) + j));
    }
    return OneOrMore<int>(std::move(named));
}

std::vector<NamedDemand> named_demands(const Options& options, const GroupMasses& masses) {
    std::vector<NamedDemand> named;
    if (masses.empty()) return named;
    for (std::size_t a = 0; a < options.attribute.size(); ++a) {
        const auto attribute = static_cast<std::uint32_t>(options.attribute[a]);
        const std::span<const double> sizes = masses.of(attribute);
        const std::vector<bool> counted = counted_groups(options, masses, a);
        const bool has_unknown = sizes.size() < masses.by_group[attribute].size();
        if (const double balance = options.balance_at_least.of(a); balance > 0)
            named.push_back({"balance_at_least", false, false, balance,
                             ratio_demand(attribute, balance, counted, sizes, false, has_unknown)});
        if (const double parity = parity_target(options, a); parity > 0)
            named.push_back({"parity_at_least", true, false, parity,
                             ratio_demand(attribute, parity, counted, sizes, true, has_unknown)});
        if (!bounds_shares(options)) continue;
        const bool said = any_above(options.share_at_least, 0.0) || any_below(options.share_at_most, 1.0);
        if (Demand shares = share_demand(options, masses, a, counted); shares.of_shares())
            named.push_back(
                {said ? "share_at_least" : "share_delta", false, !said, options.share_delta.of(a), std::move(shares)});
    }
    return named;
}

std::vector<std::size_t> demanded_attributes(const Options& options, const GroupMasses& masses) {
    const std::vector<NamedDemand> demands = named_demands(options, masses);
    std::vector<std::size_t> positions;
    for (std::size_t a = 0; a < options.attribute.size(); ++a) {
        const auto attribute = static_cast<std::uint32_t>(options.attribute[a]);
        if (std::ranges::count(demands, attribute, [](const NamedDemand& named) { return named.demand.attribute; }) > 0)
            positions.push_back(a);
    }
    return positions;
}

Demands demands_for(const Options& options, const GroupMasses& masses) {
    Demands demands;
    demands.of_sizes.at_least = options.size_at_least;
    if (options.size_at_most > 0) demands.of_sizes.at_most = options.size_at_most;
    for (NamedDemand& named : named_demands(options, masses)) demands.of_groups.push_back(std::move(named.demand));
    return demands;
}

}  // namespace fairstream::safairkm
