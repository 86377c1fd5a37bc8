#include <array>

#include <fairstream/models/fair_spectral/cluster_graph.hpp>
#include <fairstream/models/fair_spectral/detail/model.hpp>
#include <fairstream/models/fair_spectral/detail/options.hpp>
#include <fairstream/models/model_adapter.hpp>
#include <fairstream/targets/figures_without_rare.hpp>

namespace fairstream::fair_spectral {
namespace {

constexpr std::array figure_texts{
    FigureText{"normalised_cut", "", "of the labels: what leaves a cluster over all it has, summed"},
    FigureText{"fairness_residual", "", "squared norm of the constraint that groups have their shares, F^T H"},
    FigureText{"fairness_residual_before_polish", "", "the same before the embedding was moved to meet it"},
    FigureText{"orthogonality", "", "squared norm of H^T H - I"},
    FigureText{"residual", "", "of the solver, compared with its tolerance"},
    FigureText{"operator_applications", "products", "of the affinities with a column, in all steps"},
    FigureText{"step_applications", "products", "the same in the last step"},
    FigureText{"places", "count", "of the graph: points that differ; equal ones are one place, with the weight of all"},
    FigureText{"parts", "count", "of the graph that nothing joins; more than clusters: some hold several"},
    balance_without_rare,
    parity_without_rare,
};

}  // namespace

const ModelAbout Model::about{
    .purpose =
        "Cluster points or the nodes of a graph by where it is loosely joined, each group with its share of every "
        "cluster",
    .cost = "relaxed normalised cut; 0 where clusters are not joined",
    .solves_window = true,
    .start = "one more for every group but one of each attribute that is balanced",
    .figures = figure_texts,
    .examples =
        "  fairstream fit fair_spectral --generate elliptical --clusters 2\n"
        "  fairstream fit fair_spectral --generate msbm --points 500 --clusters 10 --labels labels.csv\n"
        "  fairstream fit fair_spectral --edges edges.csv --nodes nodes.csv --group sex --clusters 10\n"};

const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}

}  // namespace fairstream::fair_spectral
