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
    visit(Number{"attribute", 0, 255, fixed, "protected attribute whose groups are compared: name, or index"},
          o.attribute);
    visit(Choice{"metric", metric_names, fixed, "what is constrained"}, o.metric);
    visit(Number{"interval", 0, 1, live, "ranks that count, 0 the top: alpha,beta, of several intervals one by one"},
          o.interval);
    visit(Choice{"interval_for", interval_for_names, live, "whether all groups have all intervals, or each its own"},
          o.interval_for);
    visit(only_with(constrained, Number{"kappa", 0, 1, live, "largest gap allowed"}), o.kappa);
    visit(only_with("enforce=empirical",
                    Number{"confidence", 0, 0.999, live,
                           "with which the gap of the population keeps to kappa; 0: that of the points", 0}),
          o.confidence);
    visit(only_with(constrained, Choice{"enforce", enforce_names, live,
                                        "what keeps to kappa: the surrogate, or the points of the window"}),
          o.enforce);
    visit(only_with("metric=psp", Number{"rank_levels",
                                         2,
                                         most_levels,
                                         fixed,
                                         "psp: ranks at which the groups are compared, at first",
                                         std::nullopt,
                                         {},
                                         {},
                                         "levels"}),
          o.rank_levels);
    visit(Number{"threshold", -1e6, 1e6, live, "a score above it is a positive decision"}, o.threshold);
    visit(Choice{"loss", loss_names, live, "what is minimised; automatic: logistic or sigmoid, by points held back"},
          o.loss);
    visit(Choice{"over", over_names, live, "what the loss is a mean over"}, o.over);
    visit(only_with("over=partial_auc",
                    Number{"false_positives", 0, 1, live, "partial_auc: ranks of negatives that count"}),
          o.false_positives);
    visit(Number{"ridge", 0, 1e6, live, "ridge/2 |w|^2 is added to the loss"}, o.ridge);
    visit(Choice{"surrogate", surrogate_names, live, "of the indicator in the constraints"}, o.surrogate);
    visit(Number{"width", 1e-6, 1e6, live, "of the surrogate, in units of the score"}, o.width);
    visit(Choice{"group_terms", group_terms_names, fixed,
                 "what of a score depends on the group; none: deployable without"},
          o.group_terms);
    visit(Choice{"form", form_names, fixed, "linear, or a small network"}, o.form);
    visit(only_with("form=mlp", Number{"hidden", 1, 1024, fixed, "units of mlp"}), o.hidden);
    visit(Choice{"inner", inner_names, live, "how a convex problem is solved: ssg is the paper's"}, o.inner);
    visit(Number{"solve_iterations",
                 1,
                 1e6,
                 live,
                 "of the first solve and of a refinement, at most",
                 std::nullopt,
                 {},
                 {},
                 "outer"},
          o.solve_iterations);
    visit(Number{"iterations", 0, 1e6, live, "of a step, at most", std::nullopt, {}, {}, "refresh"}, o.iterations);
    visit(Number{"fresh_every", 0, 1e6, live, "steps after which a solve from nothing is tried too; 0: never", 0},
          o.fresh_every);
    visit(only_with("inner=ssg", Number{"inner_iterations", 1, 1e6, live, "of ssg"}), o.inner_iterations);
    visit(Number{"epsilon", 1e-9, 1, live, "of ssg: step and feasibility"}, o.epsilon);
    visit(Number{"tolerance", 1e-12, 1, live, "KKT residual at which a solve ends"}, o.tolerance);
    visit(only_with("form=mlp or loss=automatic",
                    Number{"seed", 0, 0x1p64, fixed, "of the first weights of mlp, and of the points held back"}),
          o.seed);
}

}  // namespace fairstream::partial_fair_scorer
