#include <fairstream/models/safairkm/detail/model.hpp>

namespace fairstream::safairkm {

void Model::re_express(const Options&, State& state, const MeasureChange& change) {
    if (change.empty()) return;
    // The next step computes sums over points afresh, because squared norms cannot be converted.
    state.stale = state.started;
    if (change.changes_features()) {
        change.apply(state.centres);
        change.apply(state.plain_centres);
        change.apply(state.centres_before_placing);
        // Prices and costs are squared distances, which have no common factor.
        state.prices.clear();
        state.plain_cost = state.fair_cost = 0;
        state.unspent = 0;
    }
    if (change.weight_factor == 1) return;
    const double factor = change.weight_factor, unit = factor * state.weight_unit();
    state.tally.scale_weights(factor);
    state.unit = unit == 1 ? 0 : unit;
    for (std::vector<double>* sums : {&state.sums, &state.squares, &state.peaks, &state.heaviest})
        for (double& sum : *sums) sum *= factor;
}

}  // namespace fairstream::safairkm
