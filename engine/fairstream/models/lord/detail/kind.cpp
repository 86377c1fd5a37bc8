#include <array>

#include <fairstream/models/lord/cluster_graph.hpp>
#include <fairstream/models/lord/detail/model.hpp>
#include <fairstream/models/lord/detail/options.hpp>
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
    .purpose = "Say how probable each cluster is for each point or node of a graph, alike for all groups",
    .cost = "of LoRD the affinities that probabilities miss, of B-LoRD minus those that they keep",
    .solves_window = true,
    .figures = figure_texts,
    .examples =
        "  fairstream fit lord --generate elliptical --points 400 --clusters 2 --probabilities p.csv\n"
        "  fairstream fit lord --generate msbm --points 500 --clusters 10 --set tau=0.8\n"
        "  fairstream fit lord --edges edges.csv --nodes nodes.csv --group sex --clusters 10 \\\n"
        "      --probabilities p.csv\n"};

const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}

}  // namespace fairstream::lord
