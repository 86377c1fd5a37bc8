#pragma once
/// The price of fairness: one model of scores under bounds from tight to loose, and without a bound.

#include <string>
#include <vector>

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
/// Returns the figure that `metric`, which has a bound, limits.
[[nodiscard]] Unfairness unfairness_of(partial_fair_scorer::Metric metric);

struct CurvePoint {
    double kappa = 1;
    std::string loss;       ///< loss of this fit
    FittedScorer scorer;    ///< without its scores
    bool on_front = false;  ///< not dominated in accuracy and fairness, on the part that chooses
};

struct Curve {
    Unfairness unfairness;
    std::vector<CurvePoint> points;  ///< by rising kappa
    CurvePoint unconstrained;        ///< its kappa has no meaning
};

/// Parses "0.1,0.2" into rising values. Throws `InvalidInput` (bad_option) unless `text` is a list of values of kappa,
/// for a repeated value, and for a model without a bound.
[[nodiscard]] std::vector<double> read_curve(const std::string& text, const ModelOptions& model);

/// Fits the model without a bound, then with each value of `kappas`, which rise. The first value has a cold start; each
/// later value starts from the previous fit, with as many rounds as `options` set for a refinement. With rising kappa
/// every start is feasible. On a9a and bank_full, this order takes half to two thirds of the evaluations of cold
/// starts; the loss ends within 1e-3 of the loss of cold starts, most often below. With falling kappa, scorers for
/// small kappa keep much of the gap of their start.
///
/// With `enforce` = empirical all fits have a cold start, because a solve raises the surrogate's kappa only half the
/// way to a new value. With `loss` = automatic each value is fitted with the sigmoid and the logistic loss. The more
/// accurate fit on the part where models are chosen is kept; of equally accurate ones, the fairer.
///
/// If `progress` ends the work, the curve has the completed fits, and always the first.
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
