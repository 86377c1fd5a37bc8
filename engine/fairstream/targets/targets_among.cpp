#include <fairstream/targets/targets_among.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fairstream/targets/demands.hpp>

namespace fairstream {
namespace {

// Returns for each known group of the a-th balanced attribute whether it counts. `first` is the index of its first
// group among the groups of all balanced attributes.
std::vector<bool> counted_among(const ClusterTargets& targets, const GroupMasses& of_window, const GroupMasses& masses,
                                GroupsAmong groups, std::size_t a, std::size_t first) {
    std::vector<bool> all = counted_groups(targets, of_window, a);
    if (groups == GroupsAmong::all) return all;
    const std::span<const double> here = masses.of(a);
    const double usual = std::max(targets.rare_below.of(1), 1.0) * targets.clusters;
    std::vector<bool> common;
    for (std::size_t j = 0; j < all.size(); ++j) {
        const bool is_named = std::ranges::count(targets.named_groups, static_cast<int>(first + j)) > 0;
        common.push_back(all[j] && (is_named || here[j] >= usual));
    }
    return std::ranges::count(common, true) < 2 ? all : common;
}

}  // namespace

ClusterTargets targets_among(const ClusterTargets& targets, const GroupMasses& of_window, const GroupMasses& masses,
                             GroupsAmong groups) {
    const std::size_t attributes = targets.attribute.size();
    std::vector<double> balance, parity, delta, at_least, at_most;
    std::vector<int> named;
    for (std::size_t a = 0; a < attributes; ++a) {
        const std::vector<bool> counted = counted_among(targets, of_window, masses, groups, a, at_least.size());
        balance.push_back(targets.balance_at_least.of(a));
        parity.push_back(parity_target(targets, a));
        delta.push_back(targets.share_delta.of(a));
        for (std::size_t j = 0; j < masses.by_group[a].size(); ++j) {  // unknown groups are also numbered
            const std::size_t group = at_least.size();
            if (j < counted.size() && counted[j]) named.push_back(static_cast<int>(group));
            at_least.push_back(targets.share_at_least.of(group));
            at_most.push_back(targets.share_at_most.of(group));
        }
    }
    if (named.empty()) named.push_back(-1);  // none
    ClusterTargets among = targets;
    std::vector<int> all(attributes);
    std::iota(all.begin(), all.end(), 0);
    among.attribute = OneOrMore<int>(std::move(all));
    among.balance_at_least = OneOrMore<double>(std::move(balance));
    among.parity_at_least = OneOrMore<double>(std::move(parity));
    among.share_delta = OneOrMore<double>(std::move(delta));
    among.share_at_least = OneOrMore<double>(std::move(at_least));
    among.share_at_most = OneOrMore<double>(std::move(at_most));
    among.named_groups = OneOrMore<int>(std::move(named));
    among.size_at_least = among.size_at_most = 0;
    among.rare_below = 1e9;  // leaves out every group that is not named
    return among;
}

bool can_meet_among(const ClusterTargets& targets, const GroupMasses& of_window, const GroupMasses& masses) {
    for (const std::size_t a : demanded_attributes(targets, of_window)) {
        const std::vector<bool> counted = counted_groups(targets, of_window, a);
        const std::span<const double> here = masses.of(a);
        for (std::size_t j = 0; j < counted.size(); ++j)
            if (counted[j] && here[j] < targets.clusters) return false;
    }
    return true;
}

ClusterTargets with_group(ClusterTargets targets, int group) {
    std::vector<int> named(targets.named_groups.begin(), targets.named_groups.end());
    named.push_back(group);
    targets.named_groups = OneOrMore<int>(std::move(named));
    return targets;
}

}  // namespace fairstream
