#include <fairstream/models/esvd_fair/detail/find_solution.hpp>

namespace fairstream::esvd_fair {

void Model::re_express(const Options&, State& state, const MeasureChange& change) {
    if (!state.started) return;
    if (change.weight_factor != 1) state.moments.scale_weights(change.weight_factor);
    if (!change.changes_features()) return;
    for (Network* network : {&state.network, &state.base})
        re_express_inputs(network->layers.front(), change.factors, change.shifts);
    ++state.version;
    state.is_stale = true;
}

}  // namespace fairstream::esvd_fair
