#include <fairstream/command/report/group_figures.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/terminal.hpp>

namespace fairstream::command {
namespace {

using nlohmann::ordered_json;

std::string joined(const std::vector<std::string>& names, const char* between) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : between) + name;
    return text;
}

ordered_json range_json(const Interval& interval) {
    return ordered_json::array({interval.low, interval.high});
}

void add_group(const GroupFigures& group, ordered_json& json) {
    json["points"] = group.points;
    json["without_outcome"] = group.without_outcome;
    json["weight"] = group.weight;
    for (std::size_t i = 0; i < group_rates; ++i) {
        const RateFigure& rate = group.rates[i];
        const std::string name(group_rate_names[i]);
        const bool is_there = rate.points > 0;
        json[name] = is_there ? ordered_json(rate.value) : ordered_json();
        json[name + "_interval"] = is_there ? range_json(rate.interval) : ordered_json();
        json[name + "_of"] = rate.points;
        if (!group.groups.empty()) json[name + "_compared"] = rate.is_compared;
    }
    const Calibration& calibration = group.calibration;
    const bool is_there = calibration.points > 0;
    json["calibration_error"] = is_there ? ordered_json(calibration.error) : ordered_json();
    json["calibration_gap"] = is_there ? ordered_json(calibration.gap) : ordered_json();
    json["calibration_gap_interval"] = is_there ? range_json(calibration.gap_interval) : ordered_json();
}

ordered_json attribute_json_of(const AttributeMetrics& attribute) {
    ordered_json json = {{"attribute_names", attribute.attributes}};
    for (const NamedComparison& named : group_comparisons) {
        const GroupComparison& of = attribute.*named.comparison;
        const std::string name(named.name);
        json[name + "_difference"] = of.is_measured() ? ordered_json(of.difference) : ordered_json();
        json[name + "_interval"] = of.is_measured() ? range_json(of.interval) : ordered_json();
        json[name + "_ratio"] = of.ratio ? ordered_json(*of.ratio) : ordered_json();
        json[name + "_groups"] = of.groups;
        json[name + "_missing"] = ordered_json::array();
        for (const MissingRate& missing : missing_rates(attribute, named))
            json[name + "_missing"].push_back({{"rate", group_rate_names[static_cast<std::size_t>(missing.rate)]},
                                               {"group_names", missing.group->groups}});
    }
    json["parity_bound"] = std::string(to_string(attribute.parity));
    json["odds_bound"] = std::string(to_string(attribute.odds));
    json["by_group"] = ordered_json::array();
    for (const GroupFigures& group : attribute.groups) {
        ordered_json one = {{"group_names", group.groups}, {"known", group.is_known}};
        add_group(group, one);
        json["by_group"].push_back(std::move(one));
    }
    return json;
}

std::string rate_text(const RateFigure& rate) {
    if (rate.points == 0) return "-";
    return fixed(rate.value, 3) + (rate.is_compared ? "" : "*");
}
std::string range_text_of(const RateFigure& rate) {
    return rate.points == 0 ? "" : fixed(rate.interval.low, 3) + "-" + fixed(rate.interval.high, 3);
}

void add_row(const GroupFigures& group, const std::string& name, std::vector<std::vector<std::string>>& rows) {
    std::vector<std::string> row{name, counted(group.points)};
    for (const GroupRate of : {GroupRate::selection, GroupRate::true_positive, GroupRate::false_positive}) {
        RateFigure rate = group.rate(of);
        if (group.groups.empty()) rate.is_compared = true;  // all points are not one of the groups
        row.push_back(rate_text(rate));
        row.push_back(range_text_of(rate));
    }
    const Calibration& calibration = group.calibration;
    row.push_back(calibration.points == 0 ? "-" : fixed(calibration.error, 3));
    row.push_back(calibration.points == 0 ? "-" : fixed(calibration.gap, 3));
    rows.push_back(std::move(row));
}

std::string status_text(BoundStatus status, bool is_measured) {
    switch (status) {
        case BoundStatus::none:
            return "";
        case BoundStatus::within:
            return "within its bound";
        case BoundStatus::unclear:
            return "unclear";
        case BoundStatus::left:
            return "LEFT ITS BOUND";
        case BoundStatus::unmeasured:
            return is_measured ? "not measured for all" : "not measured";
    }
    return "";
}

std::string rates_table(const GroupMetrics& metrics, std::size_t most_groups) {
    std::vector<std::vector<std::string>> rows{
        {"", "points", "selected", "95 %", "TPR", "95 %", "FPR", "95 %", "ECE", "mean gap"}};
    add_row(metrics.all, "all", rows);
    for (const AttributeMetrics& attribute : metrics.attributes) {
        for (std::size_t g = 0; g < std::min(most_groups, attribute.groups.size()); ++g)
            add_row(attribute.groups[g], attributes_text(attribute) + " = " + joined(attribute.groups[g].groups, ", "),
                    rows);
        if (attribute.groups.size() > most_groups)
            rows.push_back({"... " + std::to_string(attribute.groups.size() - most_groups) + " more"});
    }
    return table(rows);
}

std::string comparisons_table(const GroupMetrics& metrics) {
    std::vector<std::vector<std::string>> rows{{"", "", "bound", "difference", "95 %", "ratio"}};
    bool is_unclear = false;
    std::string incomplete;
    for (const AttributeMetrics& attribute : metrics.attributes) {
        const std::string name = attributes_text(attribute);
        for (const NamedComparison& named : group_comparisons) {
            const GroupComparison& of = attribute.*named.comparison;
            const BoundStatus status = named.comparison == parity_comparison.comparison ? attribute.parity
                                       : named.comparison == odds_comparison.comparison ? attribute.odds
                                                                                        : BoundStatus::none;
            is_unclear = is_unclear || status == BoundStatus::unclear;
            // A rate that is missing could only make the difference larger and the ratio smaller.
            const std::string missing = missing_rates_text(attribute, named);
            const char *least = missing.empty() ? "" : ">= ", *most = missing.empty() ? "" : "<= ";
            rows.push_back({name, words_of(named.name), status_text(status, of.is_measured()),
                            of.is_measured() ? least + fixed(of.difference, 3) : "-",
                            of.is_measured() ? fixed(of.interval.low, 3) + "-" + fixed(of.interval.high, 3) : "",
                            of.ratio ? most + fixed(*of.ratio, 3) : "-"});
            if (!missing.empty() &&
                named.comparison != opportunity_comparison.comparison)  // whose rates equalised odds have, too
                incomplete += "not measured for " + words_of(named.name) + " of " + name + ": " + missing + "\n";
        }
    }
    return table(rows, "lllrrr") + (is_unclear ? "unclear: above the bound by no more than sampling error\n" : "") +
           incomplete;
}

}  // namespace

ordered_json group_metrics_json(const GroupMetrics& metrics) {
    ordered_json json = {{"all", ordered_json::object()}, {"comparisons", ordered_json::array()}};
    add_group(metrics.all, json["all"]);
    for (const NamedComparison& named : group_comparisons) {
        const GroupComparison* largest = largest_of(metrics, named.comparison);
        const std::string name = "largest_" + std::string(named.name);
        json[name + "_difference"] = largest == nullptr ? ordered_json() : ordered_json(largest->difference);
        json[name + "_complete"] = is_complete(metrics, named);
    }
    json["parity_bound"] = std::string(to_string(worst_of(metrics, &AttributeMetrics::parity)));
    json["odds_bound"] = std::string(to_string(worst_of(metrics, &AttributeMetrics::odds)));
    for (const AttributeMetrics& attribute : metrics.attributes)
        json["comparisons"].push_back(attribute_json_of(attribute));
    return json;
}

std::string group_tables(const GroupMetrics& metrics, std::size_t most_groups) {
    std::string text = rates_table(metrics, most_groups);
    if (!metrics.attributes.empty()) text += "\n" + comparisons_table(metrics);
    const bool leaves_out = std::ranges::any_of(metrics.attributes, [](const AttributeMetrics& attribute) {
        return std::ranges::any_of(attribute.groups, [](const GroupFigures& group) {
            return std::ranges::any_of(group.rates,
                                       [](const RateFigure& rate) { return rate.points > 0 && !rate.is_compared; });
        });
    });
    if (leaves_out)
        text += "* of too few points, or of a group that is not known: left out of differences and ratios\n";
    if (metrics.all.without_outcome > 0)
        text += counted(metrics.all.without_outcome) + " of " + counted(metrics.all.points, "point") +
                (metrics.all.without_outcome == 1 ? " has no outcome: it counts" : " have no outcome: they count") +
                " as selected or not alone\n";
    return text;
}

std::string attributes_text(const AttributeMetrics& metrics) {
    return crossed(metrics.attributes);
}

const GroupComparison* largest_of(const GroupMetrics& metrics, GroupComparison AttributeMetrics::*comparison) {
    const GroupComparison* largest = nullptr;
    for (const AttributeMetrics& attribute : metrics.attributes) {
        const GroupComparison& of = attribute.*comparison;
        if (of.is_measured() && (largest == nullptr || of.difference > largest->difference)) largest = &of;
    }
    return largest;
}

bool is_complete(const GroupMetrics& metrics, const NamedComparison& of) {
    return std::ranges::all_of(metrics.attributes, [&](const AttributeMetrics& attribute) {
        return (attribute.*of.comparison).is_measured() && missing_rates(attribute, of).empty();
    });
}

BoundStatus worst_of(const GroupMetrics& metrics, BoundStatus AttributeMetrics::*status) {
    constexpr std::array by_rank{BoundStatus::none, BoundStatus::within, BoundStatus::unmeasured, BoundStatus::unclear,
                                 BoundStatus::left};
    const auto rank = [&](BoundStatus of) { return std::ranges::find(by_rank, of); };
    BoundStatus worst = BoundStatus::none;
    for (const AttributeMetrics& attribute : metrics.attributes)
        if (rank(attribute.*status) > rank(worst)) worst = attribute.*status;
    return worst;
}

std::string bounds_text(const GroupMetrics& groups) {
    std::string text;
    const auto add = [&](const char* of, BoundStatus AttributeMetrics::*bound, const NamedComparison& comparison) {
        const BoundStatus worst = worst_of(groups, bound);
        if (worst == BoundStatus::none) return;
        text += (text.empty() ? "bound of " : "; of ") + std::string(of) + ": " + std::string(to_string(worst));
        if (worst == BoundStatus::within) return;
        const auto first = std::ranges::find(groups.attributes, worst, bound);
        const auto others = std::ranges::count(groups.attributes, worst, bound) - 1;
        text += (worst == BoundStatus::left ? " by " : " for ") + printable(attributes_text(*first));
        if (others > 0) text += " and " + counted(others, "other");
        if (const std::string missing = missing_rates_text(*first, comparison); !missing.empty())
            text += " (not measured: " + missing + ")";
    };
    add("parity", &AttributeMetrics::parity, parity_comparison);
    add("odds", &AttributeMetrics::odds, odds_comparison);
    return text;
}

}  // namespace fairstream::command
