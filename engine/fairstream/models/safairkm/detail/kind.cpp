#include <array>

#include <fairstream/models/model_adapter.hpp>
#include <fairstream/models/safairkm/detail/improvement.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/models/safairkm/detail/options.hpp>
#include <fairstream/targets/figures_without_rare.hpp>

namespace fairstream::safairkm {
namespace {

constexpr std::array figure_texts{
    FigureText{"plain_cost", "", "cost of k-means without a target, when last computed"},
    FigureText{"price_of_fairness", "share", "extra cost compared with k-means without a target, when last computed"},
    balance_without_rare,
    parity_without_rare,
};

}  // namespace

const ModelAbout Model::about{
    .purpose = "Cluster points by k-means under targets for balance, parity, group shares and cluster sizes",
    .cost = "mean squared distance to the cluster means",
    .figures = figure_texts,
    .examples =
        "  fairstream fit safairkm --generate loans --points 5000 --clusters 8 --set balance_at_least=0.4\n"
        "  fairstream fit safairkm --generate syn_unequal_ds2 --clusters 2 --set balance_at_least=0.17 --json\n"
        "  fairstream fit safairkm --input adult.csv.gz --features age,education_num,hours_per_week \\\n"
        "      --group sex --clusters 10 --set balance_at_least=0.4 --standardise --labels labels.csv\n"
        "  fairstream fit safairkm --input wine.csv.gz --target cultivar --clusters 3 --standardise\n"
        "  fairstream fit safairkm --input people.csv --group sex --id key --categorical onehot \\\n"
        "      --dates days --missing mean --standardise --save-config people.toml\n"
        "  fairstream fit safairkm --input raw.csv --config engine.toml --weight w --clusters 8\n"};

std::vector<Figure> Model::figures(const Options& options, const State& state) {
    std::vector<Figure> all;
    if (state.plain_cost > 0 && state.fair_cost > 0 && describes_present(state.fair_cost, safairkm::objective(state)))
        all = {{"plain_cost", state.plain_cost}, {"price_of_fairness", state.fair_cost / state.plain_cost - 1}};
    add_figures_without_rare(targets_of(options), state.tally, state.weight_unit(), all);
    return all;
}

const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}

}  // namespace fairstream::safairkm
