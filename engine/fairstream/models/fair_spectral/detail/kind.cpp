#include <array>

#include <fairstream/models/fair_spectral/cluster_graph.hpp>
#include <fairstream/models/fair_spectral/detail/model.hpp>
#include <fairstream/models/fair_spectral/detail/options.hpp>
#include <fairstream/models/model_adapter.hpp>
#include <fairstream/targets/figures_without_rare.hpp>

namespace fairstream::fair_spectral {
namespace {

constexpr std::array figure_texts{
    FigureText{"normalised_cut", "",
               "normalised cut of the labels: share of a cluster's edge weight that leaves it, summed over clusters"},
    FigureText{"fairness_residual", "",
               "squared norm of F^T H: 0 if every group has its share of each cluster in the embedding"},
    FigureText{"fairness_residual_before_polish", "",
               "fairness_residual before the embedding was moved to meet the constraint"},
    FigureText{"orthogonality", "", "squared norm of H^T H - I: 0 for an orthonormal embedding"},
    FigureText{"residual", "", "residual of the eigensolver, which is compared with its tolerance"},
    FigureText{"operator_applications", "products", "products of the affinity matrix with a column, in all steps"},
    FigureText{"step_applications", "products", "products of the affinity matrix with a column, in the last step"},
    FigureText{"places", "count", "distinct points; equal points form one place, which has the weight of all of them"},
    FigureText{
        "parts", "count",
        "unconnected parts of the graph; if there are more parts than clusters, some clusters hold several parts"},
    balance_without_rare,
    parity_without_rare,
};

}  // namespace

const ModelAbout Model::about{
    .purpose =
        "Cluster points or the nodes of a graph: cut little edge weight, and give each group its share of every "
        "cluster",
    .cost = "relaxed normalised cut; 0 if no edge joins two clusters",
    .solves_window = true,
    .start = "one more for every group except one of each balanced attribute",
    .figures = figure_texts,
    .examples =
        "  fairstream fit fair_spectral --generate elliptical --clusters 2\n"
        "  fairstream fit fair_spectral --generate msbm --points 500 --clusters 10 --labels labels.csv\n"
        "  fairstream fit fair_spectral --edges edges.csv --nodes nodes.csv --group sex --clusters 10\n"};

const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}

}  // namespace fairstream::fair_spectral
