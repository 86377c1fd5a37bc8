#include <algorithm>
#include <cmath>

#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::fair_spectral {
namespace {

// Returns the root of the mean square of the factors: what distances change by, about.
double usual_factor(const MeasureChange& change) {
    double squares = 0;
    for (const double factor : change.factors) squares += factor * factor;
    return std::sqrt(squares / static_cast<double>(change.factors.size()));
}

float re_expressed(const MeasureChange& change, std::size_t j, float x, float limit) {
    return std::clamp(static_cast<float>(change.factors[j] * double{x} + change.shifts[j]), -limit, limit);
}

}  // namespace

// Means and anchors go where their points go. Affinities are not those of the new distances: the scales of anchors are
// taken to change as distances do on the whole, until the next step works all of it out anew.
void Model::re_express(const Options&, State& state, const MeasureChange& change) {
    state.tally.scale_weights(change.weight_factor);
    if (!state.started || !change.of_features()) return;
    const std::size_t d = change.factors.size(), k = state.means.size() / d;
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = 0; j < d && state.tally.size(static_cast<ClusterId>(l)) > 0; ++j)
            state.means[l * d + j] = re_expressed(change, j, state.means[l * d + j], 2 * feature_limit);
    for (std::size_t i = 0; i < state.anchors.count; ++i)
        for (std::size_t j = 0; j < d; ++j) {
            float& x = state.anchors.packed[packed_offset(i, d) + j * centre_lanes];
            x = re_expressed(change, j, x, feature_limit);
        }
    const double factor = usual_factor(change);
    const auto scaled = [&](double x, double least, double most) { return std::clamp(x * factor, least, most); };
    for (float& scale : state.anchors.scales) scale = static_cast<float>(scaled(double{scale}, 1e-37, 1e37));
    if (state.bandwidth > 0) state.bandwidth = scaled(state.bandwidth, 1e-300, 1e300);
    state.stale = true;
}

}  // namespace fairstream::fair_spectral
