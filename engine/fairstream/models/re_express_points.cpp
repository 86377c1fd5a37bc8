#include <fairstream/models/re_express_points.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

float re_expressed(const MeasureChange& change, std::size_t j, float x, float limit) {
    return std::clamp(static_cast<float>(change.factors[j] * double{x} + change.shifts[j]), -limit, limit);
}

}  // namespace

double usual_factor(const MeasureChange& change) {
    if (!change.changes_features()) return 1;
    double squares = 0;
    for (const double factor : change.factors) squares += factor * factor;
    return std::sqrt(squares / static_cast<double>(change.factors.size()));
}

void re_express_means(const MeasureChange& change, const FairnessTally& tally, std::span<float> means) {
    const std::size_t d = change.factors.size();
    for (std::size_t first = 0, l = 0; d > 0 && first < means.size(); first += d, ++l)
        for (std::size_t j = 0; j < d && tally.size(static_cast<ClusterId>(l)) > 0; ++j)
            means[first + j] = re_expressed(change, j, means[first + j], 2 * feature_limit);
}

void re_express_anchors(const MeasureChange& change, Anchors& anchors) {
    const std::size_t d = change.factors.size();
    for (std::size_t i = 0; i < anchors.count; ++i)
        for (std::size_t j = 0; j < d; ++j) {
            float& x = anchors.packed[packed_offset(i, d) + j * centre_lanes];
            x = re_expressed(change, j, x, feature_limit);
        }
    const double factor = usual_factor(change);
    for (float& scale : anchors.scales) scale = static_cast<float>(std::clamp(double{scale} * factor, 1e-37, 1e37));
}

}  // namespace fairstream
