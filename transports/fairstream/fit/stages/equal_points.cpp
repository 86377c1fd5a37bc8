#include <fairstream/fit/stages/equal_points.hpp>

#include <algorithm>
#include <compare>
#include <map>
#include <numeric>
#include <vector>

#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {

EqualPoints equal_points(const Window& window, std::span<const ClusterId> labels) {
    const std::size_t d = window.dimensions();
    const auto compare = [&](Slot a, Slot b) {
        const float *left = window.features(a), *right = window.features(b);
        return std::lexicographical_compare_three_way(left, left + d, right, right + d);
    };
    std::vector<Slot> order(window.size());
    std::iota(order.begin(), order.end(), Slot{0});
    std::ranges::sort(order, [&](Slot a, Slot b) { return compare(a, b) < 0; });
    EqualPoints found;
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
        std::map<ClusterId, std::size_t> by_label;
        std::size_t most = 0;
        for (; last < order.size() && compare(order[first], order[last]) == 0; ++last)
            most = std::max(most, ++by_label[labels[order[last]]]);
        ++found.distinct;
        found.labelled_apart += last - first - most;
    }
    return found;
}

void note_equal_points(const EqualPoints& equal, std::size_t clusters, Listener& listener) {
    if (equal.distinct < clusters)
        listener.note((equal.distinct == 1 ? "there is only " : "there are only ") +
                      counted(equal.distinct, "different point") + " for " + counted(clusters, "cluster"));
}

}  // namespace fairstream::fit
