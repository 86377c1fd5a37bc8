#include <fairstream/numeric/detail/match_labels.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace fairstream {

std::vector<ClusterId> match_labels(std::span<const ClusterId> old, std::span<const ClusterId> fresh, std::size_t k) {
    std::map<std::pair<ClusterId, ClusterId>, std::size_t> common;
    for (std::size_t i = 0; i < old.size(); ++i)
        if (old[i] != no_cluster && fresh[i] != no_cluster) ++common[{fresh[i], old[i]}];
    std::vector<std::pair<std::pair<ClusterId, ClusterId>, std::size_t>> pairs(common.begin(), common.end());
    std::ranges::stable_sort(pairs, std::greater{}, [](const auto& entry) { return entry.second; });

    std::vector<ClusterId> name(k, no_cluster);
    std::vector<bool> taken(k, false);
    for (const auto& [pair, count] : pairs) {
        const auto f = static_cast<std::size_t>(pair.first), o = static_cast<std::size_t>(pair.second);
        if (name[f] != no_cluster || taken[o]) continue;
        name[f] = pair.second;
        taken[o] = true;
    }
    auto next_free = taken.begin();
    for (ClusterId& id : name) {
        if (id != no_cluster) continue;
        next_free = std::find(next_free, taken.end(), false);
        *next_free = true;
        id = static_cast<ClusterId>(next_free - taken.begin());
    }
    return name;
}

}  // namespace fairstream
