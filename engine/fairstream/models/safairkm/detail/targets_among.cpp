#include <fairstream/models/safairkm/targets_among.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fairstream/models/safairkm/detail/targets.hpp>

namespace fairstream::safairkm {

Options targets_among(const Options& options, const GroupMasses& of_window, const GroupMasses& masses) {
    const std::size_t attributes = options.attribute.size();
    std::vector<double> balance, parity, delta, at_least, at_most;
    std::vector<int> named;
    for (std::size_t a = 0; a < attributes; ++a) {
        const std::span<const double> of_groups = masses.of(a);
        std::vector<bool> counted = counted_groups(options, of_window, a);
        for (std::size_t j = 0; j < counted.size(); ++j) counted[j] = counted[j] && of_groups[j] > 0;
        const bool counts = std::ranges::count(counted, true) > 1;
        balance.push_back(counts ? options.balance_at_least.of(a) : 0);
        parity.push_back(counts ? parity_target(options, a) : 0);
        delta.push_back(counts ? options.share_delta.of(a) : 1);
        for (const bool is_counted : counted) {
            const std::size_t group = at_least.size();  // through the balanced attributes
            if (is_counted) named.push_back(static_cast<int>(group));
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

}  // namespace fairstream::safairkm
