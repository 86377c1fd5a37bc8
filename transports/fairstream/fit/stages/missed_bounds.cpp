#include <fairstream/fit/stages/missed_bounds.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/fit/stages/curve_values.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {
namespace {

constexpr double rounding = 1e-9;  // tolerance for a share of points

std::string training_part(const FitOptions& options) {
    return options.input.split.empty() ? "on the points" : "on the training part";
}

}  // namespace

std::optional<double> excess_over_kappa(const FittedScorer& scorer) {
    const double excess = scorer.figure("excess").value_or(0);
    return excess > rounding ? std::optional(excess) : std::nullopt;
}

std::string missed_kappa(const FitOptions& options, const ModelOptions& model, const FittedScorer& scorer) {
    using namespace partial_fair_scorer;
    const auto* const scores = model.get_if<partial_fair_scorer::Options>();
    if (scores == nullptr || scores->metric == Metric::none) return {};
    const std::string asked = "kappa = " + number_text(scores->kappa) + " is missed " + training_part(options);
    const std::string metric = value_text(model, "metric");
    if (scores->enforce == Enforce::empirical) {
        const std::optional<double> excess = excess_over_kappa(scorer);
        if (!excess) return {};
        return asked + ": " + (scores->confidence > 0 ? "the limit of " : "") + metric + " is " +
               fixed(scores->kappa + *excess, 4) + ", " + fixed(*excess, 4) +
               " above it; another loss or ridge may meet it, and a larger kappa, more points or longer intervals "
               "of ranks make it easier to meet";
    }
    const double left = scorer.figure("infeasibility").value_or(0);
    const double allowed =
        scores->inner == Inner::ssg ? std::max(scores->tolerance, scores->epsilon) : scores->tolerance;
    if (left <= allowed) return {};
    return asked + ": a constraint on the smooth surrogate of " + metric + " is violated by " + fixed(left, 4) +
           "; a larger kappa or more solve_iterations" + (scores->inner == Inner::ssg ? " or inner_iterations" : "") +
           " can meet it";
}

std::string missed_distance(const FitOptions& options, const ModelOptions& model, std::span<const Figure> figures) {
    const double wish = model.kind().network_use(model)->ks_at_most;
    if (wish >= 1) return {};
    const auto missed = [&](const std::string& where, double ks) {
        return "ks_at_most = " + number_text(wish) + " is missed " + where + ": the distance is " + brief(ks) + ", " +
               brief(ks - wish) +
               " above it. Groups with few rows can be this far apart by chance. Use a larger ks_at_most or more rows, "
               "or give the option means=X instead of ks_at_most: it limits the gap between the groups' means directly";
    };
    const auto is_above = [&](double ks) { return ks - wish > rounding; };
    if (const double ks = value_of(figures, "held_back_ks").value_or(0); is_above(ks))
        return missed(std::string("on the quarter ") +
                          (options.input.split.empty() ? "of the points" : "of the training part") +
                          " that is held back",
                      ks);
    if (const double ks = value_of(figures, "ks_after").value_or(0); is_above(ks))
        return missed(training_part(options), ks);
    return {};
}

Judgement judge_missed_bound(std::string missed) {
    if (missed.empty()) return {};
    return {target_missed, {std::move(missed)}};
}

}  // namespace fairstream::fit
