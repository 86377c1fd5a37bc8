#include <array>

#include <fairstream/models/model_adapter.hpp>
#include <fairstream/models/safairkm/detail/options.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::safairkm {
namespace {

constexpr std::array figure_texts{
    FigureText{"plain_cost", "", "what the cost without a target is of the same points"},
    FigureText{"price_of_fairness", "share", "by which the cost is above the plain cost"},
};

}  // namespace

const ModelAbout Model::about{.cost = "mean squared distance to the cluster means", .figures = figure_texts};

std::vector<Figure> Model::figures(const Options&, const State& state) {
    if (state.plain_cost <= 0) return {};
    return {{"plain_cost", state.plain_cost}, {"price_of_fairness", objective(state) / state.plain_cost - 1}};
}

const ModelKind& Model::kind() {
    return kind_of<Model>();
}

}  // namespace fairstream::safairkm
