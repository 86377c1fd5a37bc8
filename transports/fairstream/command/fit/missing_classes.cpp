#include <fairstream/command/fit/missing_classes.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include <fairstream/command/console/note.hpp>
#include <fairstream/csv/shown.hpp>
#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>

namespace fairstream::command {

std::vector<MissingClass> missing_classes(const ModelOptions& model, const std::vector<Attribute>& attributes,
                                          const PartPoints& points) {
    const auto index = static_cast<std::size_t>(model.kind().protected_attributes(model).at(0));
    std::vector<MissingClass> missing;
    for (const csv::Part part : all_parts) {
        const PointColumns& rows = at(points, part);
        std::vector<std::array<bool, 2>> has(attributes[index].groups.size());
        for (std::size_t i = 0; i < rows.ids.size(); ++i)
            has[rows.groups[i * attributes.size() + index]].at(rows.targets[i] > 0 ? 1 : 0) = true;
        for (std::size_t g = 0; g < attributes[index].known_groups(); ++g)
            if (has[g][0] != has[g][1]) missing.push_back({part, static_cast<GroupId>(g), has[g][0]});
    }
    return missing;
}

void note_missing_classes(const std::vector<MissingClass>& missing, csv::Part part, const Attribute& compared) {
    for (const MissingClass& one : missing)
        if (one.part == part)
            print_note("no point of " + csv::shown(compared.groups[one.group]) + " of " + csv::shown(compared.name) +
                       " in " + std::string(part_name(part)) + " is " + (one.is_positive ? "positive" : "negative") +
                       ": " + (one.is_positive ? "eop and eod say" : "eod says") + " nothing of it");
}

bool bounds_missing_class(const ModelOptions& model, const std::vector<MissingClass>& missing) {
    const auto* const options = model.get_if<partial_fair_scorer::Options>();
    if (options == nullptr) return false;
    return std::ranges::any_of(missing, [&](const MissingClass& one) {
        return one.part == csv::Part::training &&
               (is_of_classes(options->metric) || (is_of_positives(options->metric) && one.is_positive));
    });
}

nlohmann::ordered_json missing_rates_json(const std::vector<MissingClass>& missing, csv::Part part,
                                          const Attribute& compared) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const MissingClass& one : missing) {
        const GroupRate rate = one.is_positive ? GroupRate::true_positive : GroupRate::false_positive;
        if (one.part == part)
            json.push_back({{"rate", group_rate_names[static_cast<std::size_t>(rate)]},
                            {"group_names", {compared.groups[one.group]}}});
    }
    return json;
}

}  // namespace fairstream::command
