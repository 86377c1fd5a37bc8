#include <algorithm>

#include <fairstream/models/fair_spectral/detail/model.hpp>
#include <fairstream/models/re_express_points.hpp>

namespace fairstream::fair_spectral {

void Model::re_express(const Options&, State& state, const MeasureChange& change) {
    state.tally.scale_weights(change.weight_factor);
    if (!state.started || !change.changes_features()) return;
    re_express_means(change, state.tally, state.means);
    re_express_anchors(change, state.anchors);
    if (state.bandwidth > 0) state.bandwidth = std::clamp(state.bandwidth * usual_factor(change), 1e-300, 1e300);
    state.stale = true;
}

}  // namespace fairstream::fair_spectral
