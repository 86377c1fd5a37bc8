#include <fairstream/fair_kmeans/detail/sample.hpp>

#include <algorithm>

namespace fairstream::safairkm {

Slot sample_size(Slot points, std::int64_t rarest, std::size_t clusters, double per_cluster, Slot least) {
    const double wanted =
        per_cluster * static_cast<double>(clusters) * points / static_cast<double>(std::max<std::int64_t>(1, rarest));
    return wanted < points ? std::min(points, std::max(least, static_cast<Slot>(wanted))) : points;
}

// Floyd's algorithm (J. Bentley, "Programming pearls", CACM 1987): one draw for each slot of the sample.
std::vector<Slot> draw_slots(Slot size, Slot count, Random& random) {
    count = std::min(count, size);
    std::vector<bool> drawn(size);
    for (Slot last = size - count; last < size; ++last) {
        const Slot slot = random.below(last + 1);
        drawn[drawn[slot] ? last : slot] = true;
    }
    std::vector<Slot> slots;
    slots.reserve(count);
    for (Slot slot = 0; slot < size; ++slot)
        if (drawn[slot]) slots.push_back(slot);
    return slots;
}

Window sample_of(const Window& window, std::span<const Slot> slots) {
    const PointBatch all = window.points();
    const std::size_t d = window.dimensions(), attributes = window.attributes();
    PointColumns points;
    points.ids.reserve(slots.size());
    points.features.reserve(slots.size() * d);
    points.groups.reserve(slots.size() * attributes);
    constexpr std::size_t ahead = 8;  // rows of a sample are far apart in memory
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (i + ahead < slots.size()) __builtin_prefetch(window.features(slots[i + ahead]));
        const Slot slot = slots[i];
        points.ids.push_back(all.ids[slot]);
        points.features.insert(points.features.end(), window.features(slot), window.features(slot) + d);
        points.groups.insert(points.groups.end(), window.groups(slot), window.groups(slot) + attributes);
        if (!all.targets.empty()) points.targets.push_back(all.targets[slot]);
        // Weights of the sample are in the unit of a point that comes now.
        if (!all.weights.empty()) points.weights.push_back(all.weights[slot] / window.weight_unit());
    }
    Window sample(window.format(), {std::max<Slot>(1, static_cast<Slot>(slots.size())), WindowPolicy::sliding, 1});
    sample.put(points.view());
    return sample;
}

}  // namespace fairstream::safairkm
