#include <array>

#include <fairstream/models/model_adapter.hpp>
#include <fairstream/models/safairkm/detail/options.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/targets/figures_without_rare.hpp>

namespace fairstream::safairkm {
namespace {

constexpr std::array figure_texts{
    FigureText{"plain_cost", "", "what the cost was without a target, when the model last looked for it"},
    FigureText{"price_of_fairness", "share", "by which the cost with the target was above the plain cost then"},
    balance_without_rare,
    parity_without_rare,
};

}  // namespace

const ModelAbout Model::about{.cost = "mean squared distance to the cluster means", .figures = figure_texts};

std::vector<Figure> Model::figures(const Options& options, const State& state) {
    std::vector<Figure> all;
    if (state.plain_cost > 0 && state.fair_cost > 0)
        all = {{"plain_cost", state.plain_cost}, {"price_of_fairness", state.fair_cost / state.plain_cost - 1}};
    add_figures_without_rare(targets_of(options), state.tally, state.weight_unit(), all);
    return all;
}

const ModelKind& Model::kind() {
    return kind_of<Model>();
}

}  // namespace fairstream::safairkm
