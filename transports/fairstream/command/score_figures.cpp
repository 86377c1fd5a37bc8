#include <fairstream/command/score_figures.hpp>

#include <string>

#include <nlohmann/json.hpp>

namespace fairstream::command {

using nlohmann::ordered_json;

ordered_json fairness_json(const ScoreFairness& fairness) {
    ordered_json json = {{"points", fairness.points}};
    for (const ScoreFigure& figure : score_figures) json[std::string(figure.name)] = fairness.*figure.value;
    return json;
}

void add_parts(const PartFairness& fairness, ordered_json& json) {
    for (const csv::Part part : all_parts)
        if (const auto& figures = at(fairness, part)) json[std::string(part_name(part))] = fairness_json(*figures);
}

}  // namespace fairstream::command
