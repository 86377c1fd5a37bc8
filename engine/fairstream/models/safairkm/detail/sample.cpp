#include <fairstream/models/safairkm/detail/sample.hpp>

#include <algorithm>

namespace fairstream::safairkm {

Window sample_of(const Window& window, Slot count, Random& random) {
    PointColumns points;
    const std::size_t d = window.dimensions(), a = window.attributes();
    count = std::min(count, window.size());
    for (Slot slot = 0, wanted = count; slot < window.size() && wanted > 0; ++slot) {
        if (random.below(window.size() - slot) >= wanted) continue;
        --wanted;
        points.ids.push_back(window.id(slot));
        points.features.insert(points.features.end(), window.features(slot), window.features(slot) + d);
        points.groups.insert(points.groups.end(), window.groups(slot), window.groups(slot) + a);
        if (window.format().has_targets) points.targets.push_back(window.target(slot));
    }
    Window sample(window.format(), {std::max<Slot>(1, count), WindowPolicy::sliding, 1});
    sample.apply(points.view());
    return sample;
}

}  // namespace fairstream::safairkm
