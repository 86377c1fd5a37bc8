#include <fairstream/fair_kmeans/detail/sample.hpp>

#include <algorithm>

namespace fairstream::safairkm {

Slot sample_size(Slot points, std::int64_t rarest, std::size_t clusters, double per_cluster, Slot least) {
    const double wanted =
        per_cluster * static_cast<double>(clusters) * points / static_cast<double>(std::max<std::int64_t>(1, rarest));
    return wanted < points ? std::min(points, std::max(least, static_cast<Slot>(wanted))) : points;
}

Window sample_of(const Window& window, Slot count, Random& random) {
    PointColumns points;
    count = std::min(count, window.size());
    for (Slot slot = 0, wanted = count; slot < window.size() && wanted > 0; ++slot) {
        if (random.below(window.size() - slot) >= wanted) continue;
        --wanted;
        points.append(window.points().slice(slot, 1));
    }
    Window sample(window.format(), {std::max<Slot>(1, count), WindowPolicy::sliding, 1});
    if (!window.format().has_weights) {
        sample.apply(points.view());
        return sample;
    }
    // Weights of the sample are in the unit of a point that comes now.
    for (double& weight : points.weights) weight /= window.weight_unit();
    sample.put(points.view());
    return sample;
}

}  // namespace fairstream::safairkm
