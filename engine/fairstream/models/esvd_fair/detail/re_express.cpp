#include <fairstream/models/esvd_fair/esvd_fair.hpp>

namespace fairstream::esvd_fair {

// The first layer's W x + b of x' = a x + c is W / a (x' - c) + b: the same outputs of the rows as they are now.
void Model::re_express(const Options&, State& state, const MeasureChange& change) {
    if (!state.started) return;
    if (change.weight_factor != 1) state.moments.scale_weights(change.weight_factor);
    if (!change.of_features()) return;
    const auto fold = [&](Layer& layer) {
        for (std::size_t i = 0; i < layer.weights.rows; ++i)
            for (std::size_t j = 0; j < layer.weights.cols; ++j) {
                layer.weights.at(i, j) /= change.factors[j];
                layer.bias[i] -= layer.weights.at(i, j) * change.shifts[j];
            }
    };
    fold(state.network.layers.front());
    fold(state.base.layers.front());
    ++state.version;
    state.is_stale = true;
}

}  // namespace fairstream::esvd_fair
