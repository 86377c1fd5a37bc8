#include <fairstream/command/report/score_figures.hpp>

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/csv/shown.hpp>
#include <fairstream/fairness/group_metrics.hpp>

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

void add_missing_rates(const ScoreFairness& fairness, ordered_json& json) {
    for (const auto& [rate, groups] : {std::pair(GroupRate::true_positive, &fairness.without_positives),
                                       std::pair(GroupRate::false_positive, &fairness.without_negatives)})
        for (const std::string& group : *groups)
            json["missing_rates"].push_back(
                {{"rate", group_rate_names[static_cast<std::size_t>(rate)]}, {"group_names", {group}}});
}

std::string missing_classes_text(const ScoreFairness& fairness) {
    const auto list = [](const std::vector<std::string>& groups) {
        std::string text;
        for (const std::string& group : groups) text += (text.empty() ? "" : ", ") + csv::shown(group);
        return text;
    };
    const std::string positives = list(fairness.without_positives), negatives = list(fairness.without_negatives);
    return (positives.empty() ? "" : "eop and eod say nothing of " + positives + ", without positives") +
           (positives.empty() || negatives.empty() ? "" : "; ") +
           (negatives.empty() ? "" : "eod says nothing of " + negatives + ", without negatives");
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
