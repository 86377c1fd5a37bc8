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
    PointColumns points;
    points.features.reserve(slots.size() * window.dimensions());
    for (const Slot slot : slots) points.append(all.slice(slot, 1));
    // Weights of the sample are in the unit of a point that comes now.
    for (double& weight : points.weights) weight /= window.weight_unit();
    Window sample(window.format(), {std::max<Slot>(1, static_cast<Slot>(slots.size())), WindowPolicy::sliding, 1});
    sample.put(points.view());
    return sample;
}

}  // namespace fairstream::safairkm
