#include <array>

#include <fairstream/models/lord/cluster_graph.hpp>
#include <fairstream/models/lord/detail/model.hpp>
#include <fairstream/models/lord/detail/options.hpp>
#include <fairstream/models/model_adapter.hpp>
#include <fairstream/targets/figures_without_rare.hpp>

namespace fairstream::lord {
namespace {

constexpr std::array figure_texts{
    FigureText{"normalised_cut", "",
               "normalised cut of the labels: share of a cluster's edge weight that leaves it, summed over clusters"},
    FigureText{"block_diagonality", "",
               "sharpness of the probabilities: 1 if each point belongs to one cluster, 1/k if all clusters are "
               "equally likely"},
    FigureText{"confidence", "", "mean probability of each point's label"},
    FigureText{"share_gap", "",
               "largest gap between a group's share of a cluster's probability and its share of all points"},
    FigureText{"tau", "", "target sharpness of the probabilities, from 0 (all clusters equal) to 1 (one cluster)"},
    FigureText{"projection_rounds", "passes", "passes over the points per iteration", false, true},
    FigureText{
        "parts", "count",
        "unconnected parts of the graph; if there are more parts than clusters, some clusters hold several parts"},
    balance_without_rare,
    parity_without_rare,
};

}  // namespace

const ModelAbout Model::about{
    .purpose = "Give each point, or node of a graph, a probability for every cluster, with the same mean in all groups",
    .cost = "for lord, the affinity that the probabilities miss; for b_lord, minus the affinity that they keep",
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
