#include <fairstream/fit/outputs/fit_predictions.hpp>

#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/figures/json.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/fit/stages/feature_notes.hpp>
#include <fairstream/fit/stages/model_report.hpp>
#include <fairstream/fit/stages/preparation_report.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

using nlohmann::ordered_json;

const Attribute& compared(const ModelOptions& model, const PredictionFit& fit) {
    return fit.attributes.at(static_cast<std::size_t>(model.kind().protected_attributes(model)[0]));
}

void add_before_and_after(const PredictionFit& fit, ordered_json& json) {
    for (const files::Part part : files::all_parts) {
        if (!at(fit.after, part)) continue;
        ordered_json of_part = {{"points", at(fit.after, part)->points},
                                {"before", ordered_json::object()},
                                {"after", ordered_json::object()}};
        figures::add_figures(*at(fit.before, part), of_part["before"]);
        figures::add_figures(*at(fit.after, part), of_part["after"]);
        json[std::string(files::part_name(part))] = std::move(of_part);
    }
}

/// Adds figures of the part that judges the fit, under the names of the model's own figures. The model's own figures
/// cover the training points.
void add_judged_figures(const PredictionFairness& before, const PredictionFairness& after, ordered_json& json) {
    if (before.mse) json["mse_before"] = *before.mse;
    if (after.mse) json["mse_after"] = *after.mse;
    json["ks_before"] = before.ks;
    json["ks_after"] = after.ks;
}

/// Returns a table of figures with two columns for each existing part: the network before and after.
std::string before_and_after_table(const PredictionFit& fit) {
    TextRows rows{{""}, {"mse"}};
    std::string alignment = "l";
    for (const MemberFigure<PredictionFairness>& figure : prediction_figures)
        if (figure.value != &PredictionFairness::ks_by_chance) rows.push_back({words_of(figure.name)});
    for (const files::Part part : files::all_parts)
        for (const files::PartPredictionFairness* when : {&fit.before, &fit.after}) {
            const auto& figures = at(*when, part);
            if (!figures) continue;
            rows[0].push_back(when == &fit.before ? std::string(files::part_name(part)) + " before" : "after");
            rows[1].push_back(brief(figures->mse.value_or(0)));
            std::size_t row = 2;
            for (const MemberFigure<PredictionFairness>& figure : prediction_figures)
                if (figure.value != &PredictionFairness::ks_by_chance)
                    rows[row++].push_back(brief((*figures).*figure.value));
            alignment += "r";
        }
    rows[0].emplace_back();
    rows[1].emplace_back("mean squared error");
    std::size_t row = 2;
    for (const MemberFigure<PredictionFairness>& figure : prediction_figures)
        if (figure.value != &PredictionFairness::ks_by_chance) rows[row++].emplace_back(figure.meaning);
    return table(rows, alignment + "l");
}

std::string chance_line(const PredictionFit& fit) {
    std::string text;
    for (const files::Part part : files::all_parts)
        if (const auto& figures = at(fit.after, part))
            text += (text.empty() ? "" : ", ") + fixed(figures->ks_by_chance, 3) + " on " +
                    std::string(files::part_name(part));
    return "By chance, groups of these sizes with equal distributions would have a mean ks of " + text + ".\n";
}

std::string sizes_text(const files::PartPredictionFairness& fairness) {
    files::ByPart<std::int64_t> sizes{};
    for (const files::Part part : files::all_parts)
        if (const auto& figures = at(fairness, part)) at(sizes, part) = figures->points;
    return part_sizes_text(sizes);
}

TextRows solve_rows(const ModelOptions& model, const PredictionFit& fit) {
    TextRows rows;
    for (std::vector<std::string>& row : figure_rows(model, fit.own)) {
        // Without a split, the table of the parts covers the same points and already has these figures.
        const bool is_above = row[0].starts_with("mse ") || (row[0].starts_with("ks ") && row[0] != "ks by chance");
        if (!is_above) rows.push_back(std::move(row));
    }
    rows.push_back(
        {"time", fixed(fit.seconds(), 2) + " s",
         std::string(to_string(fit.solve.outcome)) +
             (fit.solve_seconds > 0 ? "; one adjustment " + fixed(1000 * fit.solve_seconds, 1) + " ms" : "")});
    return rows;
}

std::string network_source(const FitOptions& options, const ModelOptions& model) {
    if (!options.network.empty()) return options.network.string();
    return model.kind().network_use(model)->given != nullptr ? "given" : "trained";
}

std::string network_note(const FitOptions& options, const ModelOptions& model) {
    if (!options.network.empty()) return "the network of " + options.network.string();
    const NetworkUse use = *model.kind().network_use(model);
    return use.given != nullptr ? "the given network" : "a trained network, " + use.training;
}

}  // namespace

std::string predictions_json(const FitOptions& options, const ModelOptions& model, const PredictionFit& fit) {
    const files::Part judged = files::last_part(fit.after);
    ordered_json json = {{"model", options.model},
                         {"points", fit.retained},
                         {"features", fit.dimensions},
                         {"attribute", compared(model, fit).name},
                         {"groups", compared(model, fit).groups},
                         {"solve_seconds", fit.solve_seconds},
                         {"seconds", fit.seconds()},
                         {"outcome", std::string(to_string(fit.solve.outcome))},
                         {"judged_on", std::string(files::part_name(judged))},
                         {"network", network_source(options, model)}};
    add_before_and_after(fit, json);
    add_judged_figures(*at(fit.before, judged), *at(fit.after, judged), json);
    if (fit.curve) add_curve(*fit.curve, json);
    add_ingest(options, fit.figures, fit.preparation, fit.window, json);
    add_figures(model, fit.own, json);
    json["stopped"] = fit.figures.stopped;
    json["split"] = split_json(options.input);
    add_setup(options, model, fit.attributes, json);
    return figures::report_text(json);
}

std::string predictions_summary(const FitOptions& options, const ModelOptions& model, const PredictionFit& fit) {
    return options.model + " on " + options.input.name() + ": " + sizes_text(fit.after) + " points, " +
           features_text(options, fit.dimensions) + ", groups of " + compared(model, fit).name + "; " +
           network_note(options, model) + stopped_text(fit.figures.stopped) + "\n" +
           preparation_line(options.stream, fit.preparation) + "\n" + before_and_after_table(fit) + chance_line(fit) +
           "\n" + table(solve_rows(model, fit), "lrl") + (fit.curve ? "\n" + curve_table(*fit.curve) : "");
}

}  // namespace fairstream::fit
