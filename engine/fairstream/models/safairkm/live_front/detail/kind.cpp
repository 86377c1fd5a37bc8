#include <array>

#include <fairstream/models/model_adapter.hpp>
#include <fairstream/models/safairkm/live_front/detail/options.hpp>
#include <fairstream/models/safairkm/live_front/live_front.hpp>

namespace fairstream::live_front {

const ModelAbout Model::about{.cost = "mean squared distance to the cluster means of the published point",
                              .figures = safairkm::Model::about.figures};

std::vector<Figure> Model::figures(const Options& options, const State& state) {
    Options shown = options;
    shown.published = static_cast<int>(state.published);
    return safairkm::Model::figures(published_options(shown), state.points[state.published]);
}

const ModelKind& Model::kind() {
    return kind_of<Model>();
}

}  // namespace fairstream::live_front
