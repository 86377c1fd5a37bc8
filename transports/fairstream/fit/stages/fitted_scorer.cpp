#include <fairstream/fit/stages/fitted_scorer.hpp>

#include <string>

#include <nlohmann/json.hpp>

#include <fairstream/figures/json.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {

std::optional<double> FittedScorer::figure(std::string_view name) const {
    return value_of(own, name);
}

void add_solve(const FittedScorer& scorer, nlohmann::ordered_json& json) {
    for (const char* name : {"kkt_residual", "infeasibility"})
        if (const auto value = scorer.figure(name)) json[name] = *value;
    for (const Figure& total : scorer.figures.totals)
        json[std::string(total.name)] = static_cast<std::int64_t>(total.value);
}

void add_parts(const files::PartFairness& fairness, nlohmann::ordered_json& json) {
    for (const files::Part part : files::all_parts) {
        const auto& figures = at(fairness, part);
        if (!figures) continue;
        nlohmann::ordered_json of_part = {{"points", figures->points}};
        figures::add_figures(*figures, of_part);
        json[std::string(files::part_name(part))] = std::move(of_part);
    }
}

Engine trained(const FitOptions& options, const ModelOptions& model, const files::Table& training, const FitStop& stop,
               const FitProgress& progress, FitFigures& figures) {
    constexpr double first = 0.5;  // share of the progress for the first solve, if an improvement follows
    Engine engine(engine_options(options, model, training), options.threads);
    progress(0, counted(training.size(), "point"));
    stream(options, training, engine, part_of(progress, 0, is_refined(options, model) ? first : 1), figures);
    const bool warms = engine.report(options.model).solve.outcome == Outcome::warming;
    if (warms) stop.end_without_result();
    if (warms)
        throw InvalidInput(Reason::not_ready, "the last " + counted(engine.window().size()) +
                                                  " training points are all positive or all negative, as in every "
                                                  "earlier window: use a larger --window");
    refine(options, engine, figures, part_of(progress, first, 1));
    return engine;
}

FittedScorer fitted(const FitOptions& options, const Engine& engine, const files::PartPoints& points,
                    const FitFigures& figures) {
    ModelReport report = engine.report(options.model);
    for (Figure& figure : report.figures) figure.value = value_of(figures.totals, figure.name).value_or(figure.value);
    FittedScorer result{
        figures, report.solve, report.cost, std::move(report.figures), files::scores_of(engine, options.model, points),
        {}};
    result.fairness = files::fairness_of(engine.current_options(options.model), engine.options().format.attributes,
                                         points, result.scores);
    return result;
}

}  // namespace fairstream::fit
