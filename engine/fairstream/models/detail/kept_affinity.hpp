#pragma once
/// The affinity of a window's points, kept from step to step.

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream {

/// The affinity of the points of the last call, for one setup. It detects changed points itself: any window may be
/// given, but many changes cost more.
template <class Setup> class KeptAffinity {
public:
    /// Returns the up-to-date affinity of the window's points. If the setup differs from the last one, `make(wanted)`
    /// makes an affinity without points.
    template <class Make> const PointAffinity& of(const Window& window, const Setup& wanted, const Make& make) {
        if (setup_ != wanted) {
            setup_.reset();
            points = {};
            affinity = make(wanted);
        }
        setup_.reset();
        const std::vector<Slot> changed = points.update(window.features(0), window.size(), window.dimensions());
        affinity->update(points, changed);
        setup_ = wanted;
        return *affinity;
    }

    PackedPoints points;
    std::unique_ptr<PointAffinity> affinity;

private:
    std::optional<Setup> setup_;  // empty: nothing is kept, or the last update was interrupted
};

/// Returns the weights of the window's points in the unit of a point of weight 1 that comes now; empty: all are 1.
[[nodiscard]] inline std::vector<double> weights_in_units(const Window& window) {
    std::vector<double> weights(window.weights().begin(), window.weights().end());
    for (double& weight : weights) weight /= window.weight_unit();
    return weights;
}

}  // namespace fairstream
