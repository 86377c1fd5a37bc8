#include <array>

#include <fairstream/models/lord/detail/options.hpp>
#include <fairstream/models/lord/lord.hpp>
#include <fairstream/models/model_adapter.hpp>
#include <fairstream/targets/figures_without_rare.hpp>

namespace fairstream::lord {
namespace {

constexpr std::array figure_texts{
    FigureText{"normalised_cut", "", "of the labels: what leaves a cluster over all it has, summed"},
    FigureText{"block_diagonality", "", "1 where each point belongs to one cluster wholly, 1/k where all are alike"},
    FigureText{"confidence", "", "mean probability of the labels"},
    FigureText{"share_gap", "", "largest gap between a group's share of a cluster's probabilities and all points'"},
    FigureText{"tau", "", "how sharp probabilities are asked for"},
    FigureText{"projection_rounds", "passes", "over the points, for each iteration", false, true},
    FigureText{"parts", "count", "of the graph that nothing joins; more than clusters: some hold several"},
    balance_without_rare,
    parity_without_rare,
};

}  // namespace

const ModelAbout Model::about{
    .cost = "of LoRD the affinities that probabilities miss, of B-LoRD minus those that they keep",
    .solves_window = true,
    .start = {},
    .figures = figure_texts};

const ModelKind& Model::kind() {
    return kind_of<Model>();
}

}  // namespace fairstream::lord
