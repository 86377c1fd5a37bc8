#include <array>

#include <fairstream/models/model_adapter.hpp>
#include <fairstream/models/safairkm/live_front/detail/model.hpp>
#include <fairstream/models/safairkm/live_front/detail/options.hpp>

namespace fairstream::live_front {

const ModelAbout Model::about{
    .purpose = "Keep one clustering of safairkm for each of several balances, and publish one of them",
    .cost = "mean squared distance to the cluster means, of the published clustering",
    .figures = safairkm::Model::about.figures,
    .examples =
        "  fairstream fit live_front --generate loans --points 3000 --clusters 4 --set published=2\n"
        "  fairstream fit live_front --input adult.csv.gz --features age,hours_per_week --group sex \\\n"
        "      --standardise --set balance_at_least=0,0.2,0.4 --set published=1 --labels labels.csv\n"};

std::vector<Figure> Model::figures(const Options& options, const State& state) {
    Options shown = options;
    shown.published = static_cast<int>(state.published);
    return safairkm::Model::figures(published_options(shown), state.points[state.published]);
}

const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}

}  // namespace fairstream::live_front
