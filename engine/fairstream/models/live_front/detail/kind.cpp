#include <array>

#include <fairstream/models/live_front/detail/options.hpp>
#include <fairstream/models/live_front/live_front.hpp>
#include <fairstream/models/model_adapter.hpp>

namespace fairstream::live_front {

const ModelAbout Model::about{.cost = "mean squared distance to the cluster means of the published point",
                              .figures = safairkm::Model::about.figures};

std::vector<Figure> Model::figures(const Options& options, const State& state) {
    return safairkm::Model::figures(options.common, state.points[state.published]);
}

const ModelKind& Model::kind() {
    return kind_of<Model>();
}

}  // namespace fairstream::live_front
