#include <fairstream/figures/json.hpp>
#include <fairstream/figures/score_figures.hpp>

#include <string>

#include <nlohmann/json.hpp>

#include <fairstream/figures/json.hpp>
#include <fairstream/files/cells/shown.hpp>

namespace fairstream::figures {

using nlohmann::ordered_json;

std::string missing_classes_text(const ScoreFairness& fairness) {
    const auto list = [](const std::vector<std::string>& groups) {
        std::string text;
        for (const std::string& group : groups) text += (text.empty() ? "" : ", ") + files::shown(group);
        return text;
    };
    const std::string positives = list(fairness.without_positives), negatives = list(fairness.without_negatives);
    return (positives.empty() ? "" : "eop and eod do not cover " + positives + " (no positives)") +
           (positives.empty() || negatives.empty() ? "" : "; ") +
           (negatives.empty() ? "" : "eod does not cover " + negatives + " (no negatives)");
}

void add_parts(const files::PartFairness& fairness, ordered_json& json) {
    for (const files::Part part : files::all_parts) {
        const auto& figures = at(fairness, part);
        if (!figures) continue;
        ordered_json of_part = {{"points", figures->points}};
        figures::add_figures(*figures, of_part);
        json[std::string(files::part_name(part))] = std::move(of_part);
    }
}

}  // namespace fairstream::figures
