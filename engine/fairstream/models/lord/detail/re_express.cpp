#include <fairstream/models/lord/detail/model.hpp>
#include <fairstream/models/re_express_points.hpp>

namespace fairstream::lord {

void Model::re_express(const Options&, State& state, const MeasureChange& change) {
    state.tally.scale_weights(change.weight_factor);
    if (!state.started || !change.changes_features()) return;
    re_express_means(change, state.tally, state.means);
    re_express_anchors(change, state.anchors);
}

}  // namespace fairstream::lord
