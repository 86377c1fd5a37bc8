#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/fit/outputs/fit_curve.hpp>
#include <fairstream/fit/stages/missed_bounds.hpp>
#include <fairstream/fit/stages/model_report.hpp>
#include <fairstream/plots/plot.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

using nlohmann::ordered_json;

files::Part chosen_on(const Curve& curve) {
    return files::choosing_part(curve.unconstrained.scorer.fairness);
}

void add_point(const CurvePoint& point, ordered_json& json) {
    const FittedScorer& scorer = point.scorer;
    add_parts(scorer.fairness, json);
    json["cost"] = scorer.cost;
    json["loss"] = point.loss;
    add_solve(scorer, json);
    if (const auto bound = scorer.figure("bound")) json["bound"] = *bound;
    json["outcome"] = std::string(to_string(scorer.solve.outcome));
    json["seconds"] = scorer.seconds();
    json["on_front"] = point.on_front;
}

std::string kappa_of(const Curve& curve, const CurvePoint& point) {
    return &point == &curve.unconstrained ? "none" : brief(point.kappa);
}

/// Returns all points by rising kappa, the model without a bound last.
std::vector<const CurvePoint*> all_points(const Curve& curve) {
    std::vector<const CurvePoint*> all;
    for (const CurvePoint& point : curve.points) all.push_back(&point);
    all.push_back(&curve.unconstrained);
    return all;
}

plots::PlotPoint drawn(const Curve& curve, const CurvePoint& point, files::Part part) {
    const ScoreFairness& figures = *at(point.scorer.fairness, part);
    const double fairness = curve.unfairness.fairness(figures);
    return {fairness, figures.accuracy,
            (&point == &curve.unconstrained ? "unconstrained" : "kappa " + kappa_of(curve, point)) + ", " +
                std::string(files::part_name(part)) + ": accuracy " + fixed(figures.accuracy) + ", fairness " +
                fixed(fairness),
            &point == &curve.unconstrained ? "" : kappa_of(curve, point)};
}

std::vector<plots::PlotSeries> series_of(const Curve& curve) {
    const files::Part part = chosen_on(curve), last = files::last_part(curve.unconstrained.scorer.fairness);
    plots::PlotSeries front{"front, " + std::string(files::part_name(part)), {}, true}, others{"dominated", {}, false},
        held_out{"the same models, " + std::string(files::part_name(last)), {}, false};
    for (const CurvePoint* point : all_points(curve)) {
        (point->on_front ? front : others).points.push_back(drawn(curve, *point, part));
        if (last != part) held_out.points.push_back(drawn(curve, *point, last));
    }
    std::vector<plots::PlotSeries> drawn;
    for (plots::PlotSeries* const series : {&front, &others, &held_out}) {
        std::ranges::stable_sort(series->points, {}, &plots::PlotPoint::x);
        if (!series->points.empty()) drawn.push_back(std::move(*series));
    }
    return drawn;
}

/// Returns the cells of a row of the table, part by part.
std::vector<std::string> row_of(const Curve& curve, const CurvePoint& point, int digits) {
    std::vector<std::string> cells{kappa_of(curve, point)};
    for (const files::Part part : files::all_parts)
        if (const auto& figures = at(point.scorer.fairness, part)) {
            cells.push_back(fixed(figures->accuracy, digits));
            cells.push_back(fixed((*figures).*curve.unfairness.value, digits));
        }
    return cells;
}

std::vector<std::string> heading_of(const Curve& curve) {
    std::vector<std::string> cells{"kappa"};
    for (const files::Part part : files::all_parts)
        if (at(curve.unconstrained.scorer.fairness, part)) {
            cells.push_back(std::string(files::part_name(part)) + " accuracy");
            cells.emplace_back(curve.unfairness.name);
        }
    return cells;
}

/// Returns a text on how far a point exceeds its kappa on its training points; empty if it does not.
std::string missed_text(const CurvePoint& point) {
    const std::optional<double> excess = excess_over_kappa(point.scorer);
    return excess ? ", misses its kappa by " + fixed(*excess, 4) : std::string();
}

plots::PlotList list_of(const Curve& curve) {
    plots::PlotList list{heading_of(curve), {}, {}};
    for (const char* name : {"loss", "front"}) list.heading.emplace_back(name);
    for (const CurvePoint* point : all_points(curve)) {
        list.rows.push_back(row_of(curve, *point, 6));
        list.rows.back().push_back(point->loss);
        const std::string missed = missed_text(*point);
        list.rows.back().push_back((point->on_front ? "yes" : missed.empty() ? "" : "no") + missed);
    }
    return list;
}

}  // namespace

void add_curve(const Curve& curve, ordered_json& json) {
    json["curve_chosen_on"] = std::string(files::part_name(chosen_on(curve)));
    json["curve"] = ordered_json::array();
    for (const CurvePoint& point : curve.points) {
        ordered_json entry = {{"kappa", point.kappa}};
        add_point(point, entry);
        for (const char* name : {"measured", "excess"}) entry[name] = point.scorer.figure(name).value_or(0);
        json["curve"].push_back(std::move(entry));
    }
    json["unconstrained"] = ordered_json::object();
    add_point(curve.unconstrained, json["unconstrained"]);
}

std::string curve_table(const Curve& curve) {
    TextRows rows{heading_of(curve)};
    for (const char* name : {"loss", "kkt residual", "time", ""}) rows[0].emplace_back(name);
    for (const CurvePoint* point : all_points(curve)) {
        rows.push_back(row_of(curve, *point, 4));
        rows.back().push_back(point->loss);
        rows.back().push_back(brief(point->scorer.figure("kkt_residual").value_or(0)));
        rows.back().push_back(fixed(point->scorer.seconds(), 2) + " s");
        rows.back().push_back((point->on_front ? "on the front" : "dominated") + missed_text(*point));
    }
    return table(rows, std::string(rows[0].size() - 1, 'r') + "l");
}

std::string curve_plot(const std::filesystem::path& file, const std::string& title, const Curve& curve) {
    const std::string share = curve.unfairness.scale == 1 ? "" : fixed(curve.unfairness.scale, 0) + " ";
    plots::Plot plot;
    plot.title = title;
    plot.reading =
        "Numbers: kappa, the largest gap allowed. Right and up is better: choose the fairest model before accuracy "
        "drops.";
    plot.x_name = "fairness: 1 - " + share + std::string(curve.unfairness.name) + " (more is better)";
    plot.y_name = "accuracy (more is better)";
    plot.front = plots::PlotFront::falls;
    plot.series = series_of(curve);
    plot.marks.push_back({drawn(curve, curve.unconstrained, chosen_on(curve))});
    plot.list = list_of(curve);
    return plots::plot_text(file, plot);
}

}  // namespace fairstream::fit
