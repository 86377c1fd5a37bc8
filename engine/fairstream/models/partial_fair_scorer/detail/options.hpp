#pragma once
/// The options of partial_fair_scorer by name.

#include <array>
#include <string_view>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>

namespace fairstream::partial_fair_scorer {

inline constexpr int most_levels = 200;

inline constexpr std::array<std::string_view, 8> metric_names{"psp",  "pdp",  "eop",          "eod",
                                                              "gauc", "none", "eop_in_class", "eod_in_class"};
inline constexpr std::array<std::string_view, 5> loss_names{"logistic", "hinge", "squared", "sigmoid", "automatic"};
inline constexpr std::array<std::string_view, 3> over_names{"points", "auc", "partial_auc"};
inline constexpr std::array<std::string_view, 2> surrogate_names{"clipped", "logistic"};
inline constexpr std::array<std::string_view, 2> interval_for_names{"all", "group"};
inline constexpr std::array<std::string_view, 3> group_terms_names{"none", "intercept", "all"};
inline constexpr std::array<std::string_view, 2> form_names{"linear", "mlp"};
inline constexpr std::array<std::string_view, 2> enforce_names{"surrogate", "empirical"};
inline constexpr std::array<std::string_view, 2> inner_names{"quadratic", "ssg"};

template <class Self, class Visit> void visit_options(Self& o, Visit&& visit) {
    constexpr bool live = true, fixed = false;
    constexpr std::string_view constrained = "metric=psp|pdp|eop|eod|gauc|eop_in_class|eod_in_class";
    visit(Number{"attribute", 0, 255, fixed, "protected attribute whose groups are compared, by name or index"},
          o.attribute);
    visit(Choice{"metric", metric_names, fixed, "gap between groups that is constrained"}, o.metric);
    visit(
        Number{"interval", 0, 1, live,
               "interval of ranks that counts, as alpha,beta; 0 is the top rank. Several intervals: one after another"},
        o.interval);
    visit(Choice{"interval_for", interval_for_names, live,
                 "all: every group has all intervals; group: each group has one interval, in order"},
          o.interval_for);
    visit(only_with(constrained, Number{"kappa", 0, 1, live, "largest gap that is allowed"}), o.kappa);
    visit(only_with("enforce=empirical", Number{"confidence", 0, 0.999, live,
                                                "confidence with which the gap of the population stays within kappa; "
                                                "0: kappa limits only the gap of the points",
                                                0}),
          o.confidence);
    visit(only_with(
              constrained,
              Choice{"enforce", enforce_names, live,
                     "gap that stays within kappa: surrogate (of the smooth surrogate) or empirical (of the points)"}),
          o.enforce);
    visit(only_with("metric=psp", Number{"rank_levels",
                                         2,
                                         most_levels,
                                         fixed,
                                         "number of ranks at which psp compares the groups; with enforce=empirical up "
                                         "to four times as many if the points do not meet kappa otherwise",
                                         std::nullopt,
                                         {},
                                         {},
                                         "levels"}),
          o.rank_levels);
    visit(Number{"threshold", -1e6, 1e6, live, "a score above the threshold is a positive decision"}, o.threshold);
    visit(Choice{"loss", loss_names, live,
                 "loss that is minimised; automatic: logistic or sigmoid, chosen on held-back points"},
          o.loss);
    visit(Choice{"over", over_names, live,
                 "what the loss is averaged over: points, auc (pairs of a positive and a negative) or partial_auc "
                 "(pairs with the negatives of false_positives)"},
          o.over);
    visit(only_with(
              "over=partial_auc",
              Number{"false_positives", 0, 1, live,
                     "interval of ranks of the negatives that partial_auc counts, as first,last; 0 is the top rank"}),
          o.false_positives);
    visit(Number{"ridge", 0, 1e6, live, "weight of ridge/2 |w|^2, which is added to the loss"}, o.ridge);
    visit(Choice{"surrogate", surrogate_names, live, "smooth function that replaces the indicator in the constraints"},
          o.surrogate);
    visit(Number{"width", 1e-6, 1e6, live, "width of the surrogate, in units of the score"}, o.width);
    visit(Choice{"group_terms", group_terms_names, fixed,
                 "part of a score that depends on the group: none (scoring needs no group), intercept or all"},
          o.group_terms);
    visit(Choice{"form", form_names, fixed, "form of the score: linear in the features, or mlp, a small network"},
          o.form);
    visit(only_with("form=mlp", Number{"hidden", 1, 1024, fixed, "hidden units of mlp"}), o.hidden);
    visit(of_paper(Choice{"inner", inner_names, live,
                          "solver of the convex problem of each outer iteration: quadratic (one step by a quadratic "
                          "model) or ssg (switching subgradient method, as in the paper)"}),
          o.inner);
    visit(Number{"solve_iterations",
                 1,
                 1e6,
                 live,
                 "largest number of iterations in the first solve and in a refinement",
                 std::nullopt,
                 {},
                 {},
                 "outer"},
          o.solve_iterations);
    visit(Number{"iterations", 0, 1e6, live, "largest number of iterations in a step", std::nullopt, {}, {}, "refresh"},
          o.iterations);
    visit(Number{"fresh_every", 0, 1e6, live,
                 "steps between two solves from scratch; the better scores are kept; 0: never", 0},
          o.fresh_every);
    visit(of_paper(only_with("inner=ssg",
                             Number{"inner_iterations", 1, 1e6, live, "iterations of ssg for each convex problem"})),
          o.inner_iterations);
    visit(Number{"epsilon", 1e-9, 1, live,
                 "largest amount by which a solution may miss a constraint; also the step of ssg"},
          o.epsilon);
    visit(Number{"tolerance", 1e-12, 1, live, "KKT residual at which a solve ends"}, o.tolerance);
    visit(only_with("form=mlp or loss=automatic",
                    Number{"seed", 0, 0x1p64, fixed,
                           "seed of the first weights of mlp and of the choice of held-back points"}),
          o.seed);
}

}  // namespace fairstream::partial_fair_scorer
