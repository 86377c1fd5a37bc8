#include <fairstream/models/safairkm/live_front/detail/model.hpp>

namespace fairstream::live_front {

void Model::re_express(const Options& options, State& state, const MeasureChange& change) {
    for (safairkm::State& point : state.points) safairkm::Model::re_express(options.common, point, change);
}

}  // namespace fairstream::live_front
