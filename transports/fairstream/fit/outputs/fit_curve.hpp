#pragma once
/// The cost of fairness: one model of scores under bounds from tight to loose, and without one.

#include <string>
#include <vector>

#include <fairstream/figures/score_figures.hpp>
#include <fairstream/fit/stages/fitted_scorer.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>

namespace fairstream::fit {

/// The figure that a metric bounds, and its conversion to fairness.
struct Unfairness {
    std::string_view name;  ///< heading in reports: "psp"
    double ScoreFairness::*value;
    double scale = 1;  ///< fairness is 1 - scale * value, in [0, 1]

    [[nodiscard]] double fairness(const ScoreFairness& figures) const { return 1 - scale * (figures.*value); }
};
/// Returns the figure that `metric`, one with a bound, bounds.
[[nodiscard]] Unfairness unfairness_of(partial_fair_scorer::Metric metric);

struct CurvePoint {
    double kappa = 1;
    std::string loss;       ///< the option that it was fitted with
    FittedScorer scorer;    ///< without its scores
    bool on_front = false;  ///< no other point is as accurate and as fair on the part where models are chosen
};

struct Curve {
    Unfairness unfairness;
    std::vector<CurvePoint> points;  ///< by rising kappa
    CurvePoint unconstrained;        ///< its kappa has no meaning
};

/// Parses "0.1,0.2" into rising values. Throws `InvalidInput` (bad_option) unless `text` is a list of values of kappa,
/// for a repeated value, and for a model without a bound.
[[nodiscard]] std::vector<double> read_curve(const std::string& text, const ModelOptions& model);

/// Fits the model with each value of `kappas`, which rise: the first from nothing, each later one from the one before
/// it, by as many rounds as `options` want of a refinement. From tight to loose every start is feasible. On a9a and
/// bank_full that took half to two thirds of the evaluations of starts from nothing, and ended within 1e-3 of their
/// loss, most often below it; from loose to tight, scorers for small kappa kept much of the gap they came with. With
/// `enforce` = empirical all start from nothing: a solve raises the surrogate's kappa only half the way to a new one.
/// With `loss` = automatic each value is fitted with the sigmoid and with the logistic loss, and the more accurate one
/// kept, by the part on which models are chosen; of equal ones the fairer. The model without a bound comes first. Where
/// `progress` says not to go on, the curve has the models that were fitted to the end, and the first.
[[nodiscard]] Curve fit_curve(const FitOptions& options, const ModelOptions& model, const std::vector<double>& kappas,
                              const files::Table& training, const files::PartPoints& points, const FitStop& stop,
                              const FitProgress& progress);

/// Adds the curve, and the part on which its models would be chosen.
void add_curve(const Curve& curve, nlohmann::ordered_json& json);
/// Returns a table with a row for each model.
[[nodiscard]] std::string curve_table(const Curve& curve);
/// Returns the contents of the plot `file`: accuracy over fairness.
[[nodiscard]] std::string curve_plot(const std::filesystem::path& file, const std::string& title, const Curve& curve);

}  // namespace fairstream::fit
