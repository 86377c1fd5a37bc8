#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/figures/json.hpp>
#include <fairstream/fit/stages/adjusted_network.hpp>
#include <fairstream/fit/stages/model_report.hpp>
#include <fairstream/plots/plot.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

using nlohmann::ordered_json;

files::Part chosen_on(const NetworkCurve& curve) {
    return files::choosing_part(curve.unadjusted.fairness);
}

void add_network(const CurveNetwork& network, ordered_json& json) {
    for (const files::Part part : files::all_parts) {
        const auto& figures = at(network.fairness, part);
        if (!figures) continue;
        ordered_json of_part = {{"points", figures->points}};
        figures::add_figures(*figures, of_part);
        json[std::string(files::part_name(part))] = std::move(of_part);
    }
    json["on_front"] = network.on_front;
}

std::string means_of(const NetworkCurve& curve, const CurveNetwork& network) {
    return &network == &curve.unadjusted ? "unadjusted" : brief(network.means);
}

/// Returns all networks by rising `means`, the network without adjustment last.
std::vector<const CurveNetwork*> all_networks(const NetworkCurve& curve) {
    std::vector<const CurveNetwork*> all;
    for (const CurveNetwork& network : curve.networks) all.push_back(&network);
    all.push_back(&curve.unadjusted);
    return all;
}

plots::PlotPoint drawn(const NetworkCurve& curve, const CurveNetwork& network, files::Part part) {
    const PredictionFairness& figures = *at(network.fairness, part);
    const double mse = figures.mse.value_or(0);
    return {figures.ks, mse,
            (&network == &curve.unadjusted ? "" : "means ") + means_of(curve, network) + ", " +
                std::string(files::part_name(part)) + ": MSE " + brief(mse) + ", KS " + fixed(figures.ks),
            &network == &curve.unadjusted ? "" : means_of(curve, network)};
}

std::vector<plots::PlotSeries> series_of(const NetworkCurve& curve) {
    const files::Part part = chosen_on(curve), last = files::last_part(curve.unadjusted.fairness);
    plots::PlotSeries front{"front, " + std::string(files::part_name(part)), {}, true}, others{"dominated", {}, false},
        held_out{"the same networks, " + std::string(files::part_name(last)), {}, false};
    for (const CurveNetwork* network : all_networks(curve)) {
        (network->on_front ? front : others).points.push_back(drawn(curve, *network, part));
        if (last != part) held_out.points.push_back(drawn(curve, *network, last));
    }
    std::vector<plots::PlotSeries> all;
    for (plots::PlotSeries* const series : {&front, &others, &held_out}) {
        std::ranges::stable_sort(series->points, {}, &plots::PlotPoint::x);
        if (!series->points.empty()) all.push_back(std::move(*series));
    }
    return all;
}

std::vector<std::string> heading_of(const NetworkCurve& curve) {
    std::vector<std::string> cells{"means"};
    for (const files::Part part : files::all_parts)
        if (at(curve.unadjusted.fairness, part)) {
            cells.push_back(std::string(files::part_name(part)) + " mse");
            cells.emplace_back("ks");
        }
    return cells;
}

/// Returns the cells of a row of the table, the parts one after another.
std::vector<std::string> row_of(const NetworkCurve& curve, const CurveNetwork& network) {
    std::vector<std::string> cells{means_of(curve, network)};
    for (const files::Part part : files::all_parts)
        if (const auto& figures = at(network.fairness, part)) {
            cells.push_back(brief(figures->mse.value_or(0)));
            cells.push_back(fixed(figures->ks));
        }
    cells.emplace_back(network.on_front ? "on the front" : "dominated");
    return cells;
}

plots::PlotList list_of(const NetworkCurve& curve) {
    plots::PlotList list{heading_of(curve), {}, {}, "networks"};
    list.heading.emplace_back("front");
    for (const CurveNetwork* network : all_networks(curve)) list.rows.push_back(row_of(curve, *network));
    return list;
}

}  // namespace

void add_curve(const NetworkCurve& curve, ordered_json& json) {
    json["curve_chosen_on"] = std::string(files::part_name(chosen_on(curve)));
    json["curve"] = ordered_json::array();
    for (const CurveNetwork& network : curve.networks) {
        ordered_json entry = {{"means", network.means}};
        entry["c_e"] = network.c_e ? ordered_json(*network.c_e) : ordered_json();
        add_network(network, entry);
        json["curve"].push_back(std::move(entry));
    }
    json["unadjusted"] = ordered_json::object();
    add_network(curve.unadjusted, json["unadjusted"]);
}

std::string curve_table(const NetworkCurve& curve) {
    TextRows rows{heading_of(curve)};
    rows[0].emplace_back();
    for (const CurveNetwork* network : all_networks(curve)) rows.push_back(row_of(curve, *network));
    return table(rows, std::string(rows[0].size() - 1, 'r') + "l");
}

std::string curve_plot(const std::filesystem::path& file, const std::string& title, const NetworkCurve& curve) {
    plots::Plot plot;
    plot.title = title;
    plot.reading =
        "Numbers: the option 'means', which limits the squared gap between the groups' means. Left and down is better; "
        "a distance below " +
        fixed(at(curve.unadjusted.fairness, chosen_on(curve))->ks_by_chance, 3) + " may be due to chance.";
    plot.x_name = "Kolmogorov-Smirnov distance between groups (less is better)";
    plot.y_name = "mean squared error (less is better)";
    plot.front = plots::PlotFront::least;
    plot.series = series_of(curve);
    plot.marks.push_back({drawn(curve, curve.unadjusted, chosen_on(curve))});
    plot.list = list_of(curve);
    return plots::plot_text(file, plot);
}

}  // namespace fairstream::fit
