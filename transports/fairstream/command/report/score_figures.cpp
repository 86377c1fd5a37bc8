#include <fairstream/command/report/score_figures.hpp>

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace fairstream::command {

using nlohmann::ordered_json;

void add_figures(const ScoreFairness& fairness, ordered_json& json) {
    for (const ScoreFigure& figure : score_figures) json[std::string(figure.name)] = fairness.*figure.value;
    if (!fairness.intervals) return;
    ordered_json& intervals = json["sampling_intervals"];
    for (const ScoreFigure& figure : score_figures) {
        const Interval& interval = (*fairness.intervals).*figure.interval;
        intervals[std::string(figure.name)] = {interval.low, interval.high};
    }
}

void add_figures(const PredictionFairness& fairness, ordered_json& json) {
    if (fairness.mse) json["mse"] = *fairness.mse;
    for (const PredictionFigure& figure : prediction_figures) json[std::string(figure.name)] = fairness.*figure.value;
}

void add_parts(const PartFairness& fairness, ordered_json& json) {
    for (const csv::Part part : all_parts) {
        const auto& figures = at(fairness, part);
        if (!figures) continue;
        ordered_json of_part = {{"points", figures->points}};
        add_figures(*figures, of_part);
        json[std::string(part_name(part))] = std::move(of_part);
    }
}

}  // namespace fairstream::command
