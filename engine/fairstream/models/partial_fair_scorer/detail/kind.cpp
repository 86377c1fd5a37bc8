#include <array>

#include <fairstream/models/model_adapter.hpp>
#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/options.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

constexpr std::array figure_texts{
    FigureText{"kkt_residual", "",
               "largest violation of the optimality (KKT) conditions; 0: no small step improves the model"},
    FigureText{"stationarity", "", "part of kkt_residual: gradient of the Lagrangian", false, true},
    FigureText{"infeasibility", "", "part of kkt_residual: largest violation of a constraint", false, true},
    FigureText{"complementarity", "", "part of kkt_residual: multipliers of constraints that have slack", false, true},
    FigureText{"outer_iterations", "iterations", "convex problems solved", true},
    FigureText{"inner_iterations", "points", "evaluations of the convex problems", true},
    FigureText{"measured", "", "constrained metric on the retained points", false, true},
    FigureText{"excess", "",
               "amount by which the constrained metric, or the figure 'limit' if confidence is above 0, exceeds kappa; "
               "0: not at all"},
    FigureText{"restarts", "", "solves that started from scratch, because this was better than a warm start", true,
               true},
    FigureText{"sigmoid_loss", "", "1: the sigmoid loss was chosen; 0: the logistic loss"},
    FigureText{"held_back_sigmoid", "share", "accuracy of the sigmoid loss on the points held back to choose the loss",
               false, true},
    FigureText{"held_back_logistic", "share",
               "accuracy of the logistic loss on the points held back to choose the loss", false, true},
    FigureText{"limit", "", "upper limit of the constrained metric in the population, at the given confidence"},
    FigureText{"rank_levels", "ranks", "ranks at which the groups are compared", false, true},
    FigureText{"bound", "", "proven upper bound of psp on the retained points"},
    FigureText{"bound_spacing", "", "part of bound: due to ranks that lie between the compared ranks", false, true},
    FigureText{"bound_infeasibility", "", "part of bound: due to violated constraints", false, true},
    FigureText{"bound_surrogate", "", "part of bound: due to the surrogate function", false, true},
};

}  // namespace

const ModelAbout Model::about{
    .purpose = "Learn a score for a class that is fair between groups within the ranks that you choose",
    .cost = "mean loss on the retained points plus the ridge term",
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
