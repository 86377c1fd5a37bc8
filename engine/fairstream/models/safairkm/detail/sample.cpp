#include <fairstream/models/safairkm/detail/sample.hpp>

#include <algorithm>

namespace fairstream::safairkm {

Window sample_of(const Window& window, Slot count, Random& random) {
    PointColumns points;
    count = std::min(count, window.size());
    for (Slot slot = 0, wanted = count; slot < window.size() && wanted > 0; ++slot) {
        if (random.below(window.size() - slot) >= wanted) continue;
        --wanted;
        points.append(window.points().slice(slot, 1));
    }
    Window sample(window.format(), {std::max<Slot>(1, count), WindowPolicy::sliding, 1});
    sample.apply(points.view());
    return sample;
}

}  // namespace fairstream::safairkm
