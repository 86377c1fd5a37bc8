#pragma once
/// The affinity of a window's points, kept from step to step.

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream {

/// The affinity of the points seen last, under one setup of its own. It detects changed points itself, so that it may
/// be used with any window: that only costs more.
template <class Setup> class KeptAffinity {
public:
    /// Returns the affinity of the window's points, brought up to date; `make(wanted)` makes one without points where
    /// the last setup was another.
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
    std::optional<Setup> setup_;  // empty: nothing is kept, or it was left half done
};

/// Returns the weights of the window's points where a point of weight 1 that comes now weighs 1; empty: all weigh that.
[[nodiscard]] inline std::vector<double> weights_in_units(const Window& window) {
    std::vector<double> weights(window.weights().begin(), window.weights().end());
    for (double& weight : weights) weight /= window.weight_unit();
    return weights;
}

}  // namespace fairstream
