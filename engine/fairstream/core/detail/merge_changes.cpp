#include <fairstream/core/detail/merge_changes.hpp>

#include <unordered_map>
#include <utility>
#include <vector>

namespace fairstream::core {

template <class T> void merge_changes(Changes<T>& total, const Changes<T>& later) {
    // The outputs that a subscriber knows for one id, before and after the event; `total` and `later` both list net
    // changes.
    struct Net {
        T before, after;
        std::uint8_t provisional;
    };
    std::unordered_map<PointId, std::size_t> place;
    std::vector<std::pair<PointId, Net>> net;
    const auto note = [&](PointId id, T before, T after, std::uint8_t provisional) {
        const auto [at, fresh] = place.try_emplace(id, net.size());
        if (fresh)
            net.push_back({id, {before, after, provisional}});
        else
            net[at->second].second.after = after, net[at->second].second.provisional = provisional;
    };
    for (const Changes<T>* changes : {static_cast<const Changes<T>*>(&total), &later}) {
        for (std::size_t i = 0; i < changes->departed.size(); ++i)
            note(changes->departed[i], changes->departed_outputs[i], absent<T>(), 0);
        for (std::size_t i = 0; i < changes->ids.size(); ++i)
            note(changes->ids[i], changes->before[i], changes->after[i],
                 changes->provisional.empty() ? std::uint8_t{0} : changes->provisional[i]);
    }
    const bool marks = !total.provisional.empty() || !later.provisional.empty();
    total.clear();
    for (const auto& [id, change] : net) {
        if (change.before == change.after) continue;
        if (change.after == absent<T>()) {
            total.departed.push_back(id);
            total.departed_outputs.push_back(change.before);
        } else {
            total.ids.push_back(id);
            total.before.push_back(change.before);
            total.after.push_back(change.after);
            if (marks) total.provisional.push_back(change.provisional);
        }
    }
}

template void merge_changes(Changes<ClusterId>&, const Changes<ClusterId>&);
template void merge_changes(Changes<Score>&, const Changes<Score>&);
template void merge_changes(Changes<NoOutput>&, const Changes<NoOutput>&);

void merge_changes(OutputChanges& total, const OutputChanges& later) {
    std::visit(
        [&]<class T>(const Changes<T>& changes) {
            if (!std::holds_alternative<Changes<T>>(total)) total = Changes<T>{};
            merge_changes(std::get<Changes<T>>(total), changes);
        },
        later);
}

}  // namespace fairstream::core
