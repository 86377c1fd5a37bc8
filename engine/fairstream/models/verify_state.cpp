#include <fairstream/models/verify_state.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {

void StateCheck::operator()(bool holds, std::string_view what) const {
    if (!holds)
        throw InvalidInput(Reason::bad_state,
                           "the saved state of " + std::string(model_) + " is invalid: " + std::string(what));
}

void StateCheck::labels(std::span<const ClusterId> labels, bool started, const FairnessTally& tally, int clusters,
                        const StreamFormat& format) const {
    const StateCheck& expect = *this;
    expect(tally.same_shape(empty_tally(clusters, format)), "the counts are not k x groups");
    expect(std::ranges::all_of(labels, [&](ClusterId l) { return started ? l >= 0 && l < clusters : l == no_cluster; }),
           "a label is out of range");
}

void StateCheck::labels(std::span<const ClusterId> labels, const FairnessTally& tally, int clusters,
                        const Window& window) const {
    const StateCheck& expect = *this;
    expect(labels.size() == window.size(), "the labels do not match the window");
    FairnessTally counted = empty_tally(clusters, window.format());
    counted.add(labels, window.points().groups.data(), window.weights());
    expect(counted.counts_same_points(tally), "the counts do not match the labels");
}

void StateCheck::anchors(const Anchors& anchors, std::size_t points, std::size_t d, std::size_t k,
                         bool has_scales) const {
    const StateCheck& expect = *this;
    const std::size_t count = anchors.count;
    const Matrix& values = anchors.values;
    expect(count >= 1 && count <= points && anchors.packed.size() == packed_size(count, d) && values.rows == count &&
               values.cols == k + 1 && values.values.size() == count * (k + 1),
           "the anchors do not match each other");
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < d; ++j)
            expect(std::abs(anchors.packed[packed_offset(i, d) + j * centre_lanes]) <= feature_limit,
                   "an anchor is out of range");
    expect(std::ranges::all_of(values.values, [](double x) { return std::abs(x) <= 1e300; }),
           "a value of an anchor is not finite");
    expect(anchors.scales.size() == (has_scales ? count : 0) &&
               std::ranges::all_of(anchors.scales, [](float s) { return s > 0 && std::isfinite(s); }),
           "a scale is out of range");
}

}  // namespace fairstream
