#include <fairstream/models/safairkm/targets_among.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fairstream/models/safairkm/detail/targets.hpp>

namespace fairstream::safairkm {
namespace {

// Says of each group of the a-th balanced attribute whether it counts; none where fewer than two would. `first` is the
// number of its first group among those of all balanced attributes.
std::vector<bool> counted_among(const Options& options, const GroupMasses& of_window, const GroupMasses& masses,
                                GroupsAmong groups, std::size_t a, std::size_t first) {
    const std::vector<bool> in_window = counted_groups(options, of_window, a);
    const std::span<const double> here = masses.of(a);
    const double least = options.clusters, usual = std::max(options.rare_below.of(1), 1.0) * options.clusters;
    const auto with = [&](double enough) {
        std::vector<bool> counted;
        for (std::size_t j = 0; j < in_window.size(); ++j) {
            const bool is_named = std::ranges::count(options.named_groups, static_cast<int>(first + j)) > 0;
            counted.push_back(in_window[j] && here[j] >= (is_named ? least : enough));
        }
        return counted;
    };
    std::vector<bool> counted = with(groups == GroupsAmong::all ? least : usual);
    if (std::ranges::count(counted, true) < 2) counted = with(least);
    if (std::ranges::count(counted, true) < 2) counted.assign(counted.size(), false);
    return counted;
}

}  // namespace

Options targets_among(const Options& options, const GroupMasses& of_window, const GroupMasses& masses,
                      GroupsAmong groups) {
    const std::size_t attributes = options.attribute.size();
    std::vector<double> balance, parity, delta, at_least, at_most;
    std::vector<int> named;
    for (std::size_t a = 0; a < attributes; ++a) {
        const std::vector<bool> counted = counted_among(options, of_window, masses, groups, a, at_least.size());
        const bool counts = std::ranges::count(counted, true) > 0;
        balance.push_back(counts ? options.balance_at_least.of(a) : 0);
        parity.push_back(counts ? parity_target(options, a) : 0);
        delta.push_back(counts ? options.share_delta.of(a) : 1);
        for (std::size_t j = 0; j < masses.by_group[a].size(); ++j) {  // that of unknown group is numbered, too
            const std::size_t group = at_least.size();
            if (j < counted.size() && counted[j]) named.push_back(static_cast<int>(group));
            at_least.push_back(counts ? options.share_at_least.of(group) : 0);
            at_most.push_back(counts ? options.share_at_most.of(group) : 1);
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

Options with_group(Options targets, int group) {
    std::vector<int> named(targets.named_groups.begin(), targets.named_groups.end());
    named.push_back(group);
    targets.named_groups = OneOrMore<int>(std::move(named));
    return targets;
}

}  // namespace fairstream::safairkm
