#include <array>

#include <fairstream/models/model_adapter.hpp>
#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/options.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

constexpr std::array figure_texts{
    FigureText{"kkt_residual", "", "0 at a point that no step improves"},
    FigureText{"stationarity", "", "part of the residual: the gradient that the multipliers leave", false, true},
    FigureText{"infeasibility", "", "part of the residual: by which a constraint is missed", false, true},
    FigureText{"complementarity", "", "part of the residual: multipliers of constraints with slack", false, true},
    FigureText{"outer_iterations", "iterations", "convex problems that were solved", true},
    FigureText{"inner_iterations", "points", "at which those problems were evaluated", true},
    FigureText{"measured", "", "the metric that is constrained, of the retained points", false, true},
    FigureText{"excess", "", "by which that metric, or its limit, is above kappa"},
    FigureText{"restarts", "", "solves that began anew, where that was better than going on", true, true},
    FigureText{"sigmoid_loss", "", "1: the sigmoid loss was chosen, 0: the logistic one"},
    FigureText{"held_back_sigmoid", "share", "right with the sigmoid loss, of points held back for that choice", false,
               true},
    FigureText{"held_back_logistic", "share", "right with the logistic loss, of the same points", false, true},
    FigureText{"limit", "", "of the metric in the population, with the confidence asked for"},
    FigureText{"rank_levels", "ranks", "at which the groups were compared", false, true},
    FigureText{"bound", "", "psp of the retained points is at most this"},
    FigureText{"bound_spacing", "", "part of the bound: ranks between those that are compared", false, true},
    FigureText{"bound_infeasibility", "", "part of the bound: constraints that are missed", false, true},
    FigureText{"bound_surrogate", "", "part of the bound: the surrogate's distance from the points", false, true},
};

}  // namespace

const ModelAbout Model::about{
    .purpose = "Learn a score of a class that is fair between groups among the ranks that you name",
    .cost = "what is minimised: the mean loss of the retained points, and the ridge",
    .solves_window = true,
    .figures = figure_texts,
    .examples =
        "  fairstream fit partial_fair_scorer --generate loan_decisions --points 1000 --split 0.7,0.3 \\\n"
        "      --set interval=0.05,0.3 --set kappa=0.1\n"
        "  fairstream fit partial_fair_scorer --input a9a.csv.gz --group group --target target \\\n"
        "      --split split --set kappa=0.05 --scores scores.csv --curve --plot curve.html\n"};

const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}

}  // namespace fairstream::partial_fair_scorer
