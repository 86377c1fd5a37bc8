#include <fairstream/fit/stages/adjusted_network.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/progress_text.hpp>
#include <fairstream/fairness/pareto.hpp>
#include <fairstream/fit/stages/curve_values.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {
namespace {

bool is_set(const FitOptions& options, const std::string& name) {
    return std::ranges::any_of(options.settings,
                               [&](const std::string& setting) { return setting.starts_with(name + "="); });
}

// Returns the model, set to start after all points have arrived. A repeated id replaces its point, and counts once.
ModelOptions starting_after_all_points(const FitOptions& options, const ModelOptions& model,
                                       const files::Table& training) {
    if (is_set(options, "start_after") || find_option(list_options(model), "start_after") == nullptr) return model;
    const std::unordered_set<PointId> ids(training.ids.begin(), training.ids.end());
    return changed(model, "start_after", std::to_string(ids.size()));
}

files::PartPredictionFairness fairness_now(const Engine& engine, const std::string& model,
                                           const files::PartPoints& points) {
    return files::prediction_fairness_of(engine.current_options(model), engine.options().format.attributes, points,
                                         files::scores_of(engine, model, points));
}

TradeOff trade_off(const CurveNetwork& network) {
    const PredictionFairness& figures = *at(network.fairness, files::choosing_part(network.fairness));
    return {figures.mse.value_or(0), 1 - figures.ks};
}

}  // namespace

Engine adjusted_engine(const FitOptions& options, const ModelOptions& model, const files::Table& training,
                       const FitStop& stop, const FitProgress& progress, FitFigures& figures) {
    constexpr double first = 0.5;  // share of the progress for the first training, if another follows
    FitOptions at_once = options;
    if (!options.batch) at_once.batch = training.size();
    Engine engine(engine_options(at_once, starting_after_all_points(options, model, training), training),
                  options.threads);
    progress(0, counted(training.size(), "point"));
    stream(at_once, training, engine, part_of(progress, 0, options.iterations ? first : 1), figures);
    const bool warms = engine.report(options.model).solve.outcome == Outcome::warming;
    if (warms) stop.end_without_result();
    const std::string retained = "only " + counted(engine.window().size()) + " training points are retained";
    if (warms)
        throw InvalidInput(Reason::not_ready, is_set(options, "start_after")
                                                  ? "start_after = " + value_text(model, "start_after") + ": " +
                                                        retained +
                                                        "; without --set start_after the model starts with all of them"
                                                  : retained + ", too few for the model to start");
    // Training already ran to its end. A refinement without a number of rounds would change nothing.
    if (options.iterations) refine(at_once, engine, figures, part_of(progress, first, 1));
    return engine;
}

double solve_again(Engine& engine, const std::string& model, const FitProgress& progress) {
    const auto told = [&](const WorkProgress& work) { return progress(work.share, progress_text(work)); };
    const ModelOptions options = engine.current_options(model);
    const NetworkUse use = *options.kind().network_use(options);
    if (use.unadjusted.empty() || !told({})) return 0;
    const std::string option(use.unadjusted.back().option);
    engine.on_progress(told);
    const auto start = Clock::now();
    engine.ingest(KnobChange{model, option, value_text(options, option)});
    const double seconds = seconds_since(start);
    engine.on_progress({});
    return seconds;
}

void undo_adjustment(Engine& engine, const std::string& model) {
    const ModelOptions options = engine.current_options(model);
    const NetworkUse use = *options.kind().network_use(options);
    for (const auto& [option, value] : use.unadjusted)
        engine.ingest(KnobChange{model, std::string(option), std::string(value)});
}

std::vector<double> read_means(const std::string& text, const ModelOptions& model) {
    if (const double wish = model.kind().network_use(model)->ks_at_most; wish < 1)
        refuse_curve(text, "ks_at_most = " + number_text(wish) + " chooses means, so there is nothing to vary");
    return read_curve_values(text, model, "means");
}

std::vector<CurveNetwork> networks_by(const std::vector<double>& means, Engine& engine, const std::string& model,
                                      const files::PartPoints& points, const FitProgress& progress) {
    std::vector<CurveNetwork> networks;
    for (const double value : means) {
        if (!progress(static_cast<double>(networks.size()) / static_cast<double>(means.size()),
                      "means " + number_text(value)))
            break;
        engine.ingest(KnobChange{model, "means", number_text(value)});
        CurveNetwork& network = networks.emplace_back();
        network.means = value;
        if (value < 1) network.c_e = value_of(engine.report(model).figures, "c_e");
        network.fairness = fairness_now(engine, model, points);
    }
    return networks;
}

void find_front(NetworkCurve& curve) {
    std::vector<CurveNetwork*> all{&curve.unadjusted};
    for (CurveNetwork& network : curve.networks) all.push_back(&network);
    std::vector<TradeOff> trade_offs;
    for (const CurveNetwork* network : all) trade_offs.push_back(trade_off(*network));
    for (const std::size_t i : nondominated(trade_offs)) all[i]->on_front = true;
}

}  // namespace fairstream::fit
