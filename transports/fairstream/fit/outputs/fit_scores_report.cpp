#include <fairstream/fit/outputs/fit_scores.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/fairness/score_figures.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/fit/stages/feature_notes.hpp>
#include <fairstream/fit/stages/labelled_points.hpp>
#include <fairstream/fit/stages/model_report.hpp>
#include <fairstream/fit/stages/preparation_report.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {

const Attribute& compared(const ModelOptions& model, const ScoreFit& fit) {
    return fit.attributes.at(static_cast<std::size_t>(model.kind().protected_attributes(model)[0]));
}

namespace {

using nlohmann::ordered_json;

/// Returns whether a figure leaves out groups that lack a class. The figure of all groups is then at least as large.
bool lacks_class(const ScoreFairness& figures, const ScoreFigure& figure) {
    const bool lacks_positives = !figures.without_positives.empty();
    if (figure.value == &ScoreFairness::eop) return lacks_positives;
    return figure.value == &ScoreFairness::eod && (lacks_positives || !figures.without_negatives.empty());
}

std::string interval_text(const Interval& interval) {
    return fixed(interval.low, 3) + "-" + fixed(interval.high, 3);
}

std::string sizes_text(const files::PartFairness& fairness) {
    files::ByPart<std::int64_t> sizes{};
    for (const files::Part part : files::all_parts)
        if (const auto& figures = at(fairness, part)) at(sizes, part) = figures->points;
    return part_sizes_text(sizes);
}

/// Returns a table of figures with a column for each existing part, and columns of intervals if there are any.
std::string parts_table(const files::PartFairness& fairness) {
    TextRows rows{{""}};
    for (const ScoreFigure& figure : score_figures) rows.push_back({std::string(figure.name)});
    std::string alignment = "l";
    for (const files::Part part : files::all_parts) {
        const auto& figures = at(fairness, part);
        if (!figures) continue;
        rows[0].emplace_back(files::part_name(part));
        for (std::size_t i = 0; i < score_figures.size(); ++i)
            rows[i + 1].push_back((lacks_class(*figures, score_figures[i]) ? ">= " : "") +
                                  fixed((*figures).*score_figures[i].value));
        alignment += "r";
        if (!figures->intervals) continue;
        rows[0].emplace_back("95 %");
        for (std::size_t i = 0; i < score_figures.size(); ++i)
            rows[i + 1].push_back(interval_text((*figures->intervals).*score_figures[i].interval));
        alignment += "r";
    }
    rows[0].emplace_back();
    for (std::size_t i = 0; i < score_figures.size(); ++i) rows[i + 1].emplace_back(score_figures[i].meaning);
    return table(rows, alignment + "l");
}

TextRows solve_rows(const ModelOptions& model, const FittedScorer& scorer) {
    TextRows rows{{"cost", cost_text(scorer.cost), std::string(model.kind().about().cost)}};
    for (std::vector<std::string>& row : figure_rows(model, scorer.own)) rows.push_back(std::move(row));
    rows.push_back({"time", fixed(scorer.seconds(), 2) + " s", std::string(to_string(scorer.solve.outcome))});
    return rows;
}

}  // namespace

std::string scores_json(const FitOptions& options, const ModelOptions& model, const ScoreFit& fit) {
    const FittedScorer& scorer = fit.scorer;
    ordered_json json = {{"model", options.model},
                         {"points", fit.retained},
                         {"features", fit.dimensions},
                         {"attribute", compared(model, fit).name},
                         {"groups", compared(model, fit).groups},
                         {"judged_on", std::string(files::part_name(files::last_part(scorer.fairness)))}};
    add_solve(scorer, json);
    json["seconds"] = scorer.seconds();
    json["cost"] = scorer.cost;
    json["outcome"] = std::string(to_string(scorer.solve.outcome));
    add_parts(scorer.fairness, json);
    for (const files::Part part : files::all_parts)
        if (const auto& figures = at(scorer.fairness, part))
            figures::add_missing_rates(*figures, json[std::string(files::part_name(part))]);
    if (fit.curve) add_curve(*fit.curve, json);
    add_ingest(options, scorer.figures, fit.preparation, fit.window, json);
    add_figures(model, scorer.own, json);
    json["stopped"] = scorer.figures.stopped;
    json["split"] = split_json(options.input);
    add_setup(options, model, fit.attributes, json);
    return figures::report_text(json);
}

std::string scores_summary(const FitOptions& options, const ModelOptions& model, const ScoreFit& fit) {
    return options.model + " on " + options.input.name() + ": " + sizes_text(fit.scorer.fairness) + " points, " +
           features_text(options, fit.dimensions) + ", groups of " + compared(model, fit).name +
           stopped_text(fit.scorer.figures.stopped) + "\n" + preparation_line(options.stream, fit.preparation) + "\n" +
           parts_table(fit.scorer.fairness) + "\n" + table(solve_rows(model, fit.scorer), "lrl") +
           (fit.curve ? "\n" + curve_table(*fit.curve) : "");
}

}  // namespace fairstream::fit
