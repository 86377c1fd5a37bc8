#include <fairstream/fit/outputs/fit_curve.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/fairness/pareto.hpp>
#include <fairstream/fit/stages/curve_values.hpp>
#include <fairstream/options.hpp>

namespace fairstream::fit {
namespace {

using partial_fair_scorer::Metric;

CurvePoint point_of(const FitOptions& options, double kappa, const Engine& engine, const files::PartPoints& points,
                    const FitFigures& figures) {
    const ModelOptions& model = engine.current_options(options.model);
    CurvePoint point{kappa, value_text(model, "loss"), fitted(options, engine, points, figures)};
    point.scorer.scores = {};
    return point;
}

TradeOff trade_off(const Unfairness& unfairness, const CurvePoint& point) {
    const ScoreFairness& figures = *at(point.scorer.fairness, files::choosing_part(point.scorer.fairness));
    return {1 - figures.accuracy, unfairness.fairness(figures)};
}

/// Returns the most accurate point; of equally accurate points, the fairest.
CurvePoint most_accurate(const Unfairness& unfairness, std::vector<CurvePoint> points) {
    return std::move(*std::ranges::min_element(points, {}, [&](const CurvePoint& point) {
        const TradeOff found = trade_off(unfairness, point);
        return std::pair(found.cost, -found.balance);
    }));
}

/// Returns the model with each loss to be tried.
std::vector<ModelOptions> models_by_loss(const ModelOptions& model) {
    if (model.get<partial_fair_scorer::Options>().loss != partial_fair_scorer::Loss::automatic) return {model};
    return {changed(model, "loss", "sigmoid"), changed(model, "loss", "logistic")};
}

void find_front(Curve& curve) {
    std::vector<CurvePoint*> all{&curve.unconstrained};
    for (CurvePoint& point : curve.points) all.push_back(&point);
    std::vector<TradeOff> trade_offs;
    for (const CurvePoint* point : all) trade_offs.push_back(trade_off(curve.unfairness, *point));
    for (const std::size_t i : nondominated(trade_offs)) all[i]->on_front = true;
}

}  // namespace

Unfairness unfairness_of(Metric metric) {
    switch (metric) {
        case Metric::pdp:
            return {"pdp", &ScoreFairness::dp};
        case Metric::eop:
        case Metric::eop_in_class:
            return {"eop", &ScoreFairness::eop};
        case Metric::eod:
        case Metric::eod_in_class:
            return {"eod", &ScoreFairness::eod};
        case Metric::gauc:
            return {"gauc", &ScoreFairness::gauc, 2};
        case Metric::psp:
        case Metric::none:
            break;
    }
    return {"psp", &ScoreFairness::sp};
}

std::vector<double> read_curve(const std::string& text, const ModelOptions& model) {
    if (model.get_if<partial_fair_scorer::Options>() == nullptr)
        refuse_curve(text, std::string(model_name(model)) + " has no bound kappa to vary");
    if (model.get<partial_fair_scorer::Options>().metric == Metric::none)
        refuse_curve(text, "metric = none has no bound kappa to vary; choose another metric");
    return read_curve_values(text, model, "kappa");
}

Curve fit_curve(const FitOptions& options, const ModelOptions& model, const std::vector<double>& kappas,
                const files::Table& training, const files::PartPoints& points, const FitStop& stop,
                const FitProgress& progress) {
    const auto& scorer = model.get<partial_fair_scorer::Options>();
    Curve curve{unfairness_of(scorer.metric), {}, {}};
    const std::vector<ModelOptions> models = models_by_loss(model);
    const double fits = static_cast<double>((kappas.size() + 1) * models.size());
    double begun = 0;
    // Returns the callback of the next fit.
    const auto next = [&](const std::string& what) {
        const double before = begun++;
        return FitProgress([&progress, fits, before, what](double share, std::string_view done) {
            return progress((before + share) / fits, what + (done.empty() ? "" : ", ") + std::string(done));
        });
    };
    std::vector<CurvePoint> found;
    for (const ModelOptions& free : models) {
        if (stop.stopped() && !found.empty()) break;
        FitFigures figures;
        const Engine engine =
            trained(options, changed(free, "metric", "none"), training, stop, next("unconstrained"), figures);
        found.push_back(point_of(options, 1, engine, points, figures));
    }
    curve.unconstrained = most_accurate(curve.unfairness, std::move(found));
    FitOptions again = options;
    if (again.iterations == 0) again.iterations.reset();  // without rounds, every model would equal the first
    const bool is_lowered = scorer.enforce == partial_fair_scorer::Enforce::empirical;
    std::vector<std::optional<Engine>> engines(models.size());
    for (const double kappa : kappas) {
        const std::string text = number_text(kappa);
        found.clear();
        for (std::size_t i = 0; i < models.size() && !stop.stopped(); ++i) {
            FitFigures figures;
            const FitProgress now = next("kappa " + text);
            if (!engines[i] || is_lowered) {
                engines[i].emplace(trained(options, changed(models[i], "kappa", text), training, stop, now, figures));
            } else {
                engines[i]->ingest(KnobChange{options.model, "kappa", text});
                refine(again, *engines[i], figures, now);
            }
            found.push_back(point_of(options, kappa, *engines[i], points, figures));
        }
        if (stop.stopped()) break;
        curve.points.push_back(most_accurate(curve.unfairness, std::move(found)));
    }
    find_front(curve);
    return curve;
}

}  // namespace fairstream::fit
