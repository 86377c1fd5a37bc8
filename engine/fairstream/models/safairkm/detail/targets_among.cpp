#include <fairstream/models/safairkm/targets_among.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fairstream/models/safairkm/detail/targets.hpp>

namespace fairstream::safairkm {
namespace {

// Says of each group of the a-th balanced attribute whether it counts. `first` is the number of its first group among
// those of all balanced attributes.
std::vector<bool> counted_among(const Options& options, const GroupMasses& of_window, const GroupMasses& masses,
                                GroupsAmong groups, std::size_t a, std::size_t first) {
    const std::vector<bool> all = counted_groups(options, of_window, a);
    if (groups == GroupsAmong::all) return all;
    const std::span<const double> here = masses.of(a);
    const double usual = std::max(options.rare_below.of(1), 1.0) * options.clusters;
    std::vector<bool> common;
    for (std::size_t j = 0; j < all.size(); ++j) {
        const bool is_named = std::ranges::count(options.named_groups, static_cast<int>(first + j)) > 0;
        common.push_back(all[j] && (is_named || here[j] >= usual));
    }
    return std::ranges::count(common, true) < 2 ? all : common;
}

}  // namespace

Options targets_among(const Options& options, const GroupMasses& of_window, const GroupMasses& masses,
                      GroupsAmong groups) {
    const std::size_t attributes = options.attribute.size();
    std::vector<double> balance, parity, delta, at_least, at_most;
    std::vector<int> named;
    for (std::size_t a = 0; a < attributes; ++a) {
        const std::vector<bool> counted = counted_among(options, of_window, masses, groups, a, at_least.size());
        balance.push_back(options.balance_at_least.of(a));
        parity.push_back(parity_target(options, a));
        delta.push_back(options.share_delta.of(a));
        for (std::size_t j = 0; j < masses.by_group[a].size(); ++j) {  // that of unknown group is numbered, too
            const std::size_t group = at_least.size();
            if (j < counted.size() && counted[j]) named.push_back(static_cast<int>(group));
            at_least.push_back(options.share_at_least.of(group));
            at_most.push_back(options.share_at_most.of(group));
        }
    }
    if (named.empty()) named.push_back(-1);  // none
    Options targets = options;
    std::vector<int> all(attributes);
    std::iota(all.begin(), all.end(), 0);
    targets.attribute = OneOrMore<int>(std::move(all));
    targets.balance_at_least = OneOrMore<double>(std::move(balance));
    targets.parity_at_least = OneOrMore<double>(std::move(parity));
    targets.share_delta = OneOrMore<double>(std::move(delta));
    targets.share_at_least = OneOrMore<double>(std::move(at_least));
    targets.share_at_most = OneOrMore<double>(std::move(at_most));
    targets.named_groups = OneOrMore<int>(std::move(named));
    targets.size_at_least = targets.size_at_most = 0;
    targets.rare_below = 1e9;  // all that is not named
    return targets;
}

bool can_keep_among(const Options& options, const GroupMasses& of_window, const GroupMasses& masses) {
    for (const std::size_t a : demanded_attributes(options, of_window)) {
        const std::vector<bool> counted = counted_groups(options, of_window, a);
        const std::span<const double> here = masses.of(a);
        for (std::size_t j = 0; j < counted.size(); ++j)
            if (counted[j] && here[j] < options.clusters) return false;
    }
    return true;
}

Options with_group(Options targets, int group) {
    std::vector<int> named(targets.named_groups.begin(), targets.named_groups.end());
    named.push_back(group);
    targets.named_groups = OneOrMore<int>(std::move(named));
    return targets;
}

}  // namespace fairstream::safairkm
