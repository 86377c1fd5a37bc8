#include <fairstream/fair_kmeans/detail/exchange.hpp>

#include <limits>

#include <fairstream/fair_kmeans/detail/masses.hpp>

namespace fairstream::safairkm {

namespace {

// The sum of squares of each cluster around its old centre changes by the points that leave and come, and then falls by
// m' times the squared shift of the centre. That shift is |w' (x' - c) - w (x - c)| / m'.
double weighted_exchange(const Clustering& c, Slot x, Slot other, ClusterId l, ClusterId h) {
    const double wx = c.weight(x), wy = c.weight(other);
    const double left_l = c.mass(l) - wx + wy, left_h = c.mass(h) - wy + wx;
    if (!(left_l > 0) || !(left_h > 0)) return std::numeric_limits<double>::infinity();
    const double x_l = c.distance(x, l), x_h = c.distance(x, h), y_l = c.distance(other, l), y_h = c.distance(other, h);
    const double cross = wx * wy * c.distance_of_points(x, other);
    const double way_l = (wx - wy) * (wx * x_l - wy * y_l) + cross, way_h = (wy - wx) * (wy * y_h - wx * x_h) + cross;
    return wy * (y_l - y_h) + wx * (x_h - x_l) - way_l / left_l - way_h / left_h;
}

}  // namespace

double exchange_change(const Clustering& c, Slot x, Slot other, ClusterId l, ClusterId h) {
    if (c.weighted) return weighted_exchange(c, x, other, l, h);
    const double apart = c.distance_of_points(x, other);
    return c.distance(other, l) - c.distance(x, l) + c.distance(x, h) - c.distance(other, h) -
           apart * (1 / static_cast<double>(c.size(l)) + 1 / static_cast<double>(c.size(h)));
}

double move_change(const Clustering& c, Slot x, ClusterId l, ClusterId h) {
    const double w = c.weight(x), joining = c.mass(h);
    return w * (joining / (joining + w) * c.distance(x, h) - leaving_factor(c.mass(l), w) * c.distance(x, l));
}

void find_outgoing(Clustering& c, ClusterId l, std::span<const Slot> candidates) {
    Workspace& w = c.workspace;
    c.kernels.least_changes(c.window.features(0), candidates.data(), candidates.size(), c.d, w.packed.data(), c.k,
                            static_cast<std::size_t>(l), w.best_score.data(), w.best_slot.data());
}

Slot best_incoming(Clustering& c, ClusterId l, ClusterId h, std::span<const Slot> candidates) {
    float* direction = c.workspace.direction.data();
    const float* to = c.centre(l);
    const float* from = c.centre(h);
    for (std::size_t j = 0; j < c.d; ++j) direction[j] = from[j] - to[j];
    return candidates[c.kernels.least_dot(c.window.features(0), candidates.data(), candidates.size(), c.d, direction)];
}

}  // namespace fairstream::safairkm
