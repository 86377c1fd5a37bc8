#include <fairstream/models/safairkm/detail/exchange.hpp>

namespace fairstream::safairkm {

double exchange_change(const Clustering& c, Slot x, Slot other, ClusterId l, ClusterId h) {
    const double apart = c.kernels.distance(c.window.features(x), c.window.features(other), c.d);
    return c.distance(other, l) - c.distance(x, l) + c.distance(x, h) - c.distance(other, h) -
           apart * (1 / static_cast<double>(c.size(l)) + 1 / static_cast<double>(c.size(h)));
}

double move_change(const Clustering& c, Slot x, ClusterId l, ClusterId h) {
    const auto leaving = static_cast<double>(c.size(l)), joining = static_cast<double>(c.size(h));
    return joining / (joining + 1) * c.distance(x, h) - leaving / (leaving - 1) * c.distance(x, l);
}

void find_leavers(Clustering& c, ClusterId l, std::span<const Slot> candidates) {
    Workspace& w = c.workspace;
    c.kernels.least_changes(c.window.features(0), candidates.data(), candidates.size(), c.d, w.packed.data(), c.k,
                            static_cast<std::size_t>(l), w.best_score.data(), w.best_slot.data());
}

Slot best_comer(Clustering& c, ClusterId l, ClusterId h, std::span<const Slot> candidates) {
    float* direction = c.workspace.direction.data();
    const float* to = c.centre(l);
    const float* from = c.centre(h);
    for (std::size_t j = 0; j < c.d; ++j) direction[j] = from[j] - to[j];
    return candidates[c.kernels.least_dot(c.window.features(0), candidates.data(), candidates.size(), c.d, direction)];
}

}  // namespace fairstream::safairkm
