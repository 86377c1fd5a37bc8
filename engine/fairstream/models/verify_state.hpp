#pragma once
/// Checks of loaded states.

#include <cstddef>
#include <span>
#include <string_view>

#include <fairstream/base/types.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/numeric/anchors.hpp>

namespace fairstream {

/// Throws `InvalidInput` (bad_state), with the model and the reason, if a condition does not hold.
class StateCheck {
public:
    constexpr explicit StateCheck(std::string_view model) : model_(model) {}

    void operator()(bool holds, std::string_view what) const;
    /// Checks that labels are in [0, clusters), or `no_cluster` before the start, and that counts have the right shape.
    void labels(std::span<const ClusterId> labels, bool started, const FairnessTally& tally, int clusters,
                const StreamFormat& format) const;
    /// Checks that labels and counts are those of the window's points.
    void labels(std::span<const ClusterId> labels, const FairnessTally& tally, int clusters,
                const Window& window) const;
    /// Checks anchors of `points` points with d features and rows of k values. `has_scales`: whether each has its own
    /// scale.
    void anchors(const Anchors& anchors, std::size_t points, std::size_t d, std::size_t k, bool has_scales) const;

private:
    std::string_view model_;
};

}  // namespace fairstream
