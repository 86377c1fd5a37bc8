#include <fairstream/figures/group_figures.hpp>

#include <algorithm>
#include <vector>

#include <fairstream/base/printable.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::figures {
namespace {

std::string joined(const std::vector<std::string>& names, const char* between) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : between) + name;
    return text;
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
        if (group.groups.empty()) rate.is_compared = true;  // only groups can be left out of comparisons
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
            add_row(attribute.groups[g],
                    crossed(attribute.attributes) + " = " + joined(attribute.groups[g].groups, ", "), rows);
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
        const std::string name = crossed(attribute.attributes);
        for (const NamedComparison& named : group_comparisons) {
            const GroupComparison& of = attribute.*named.comparison;
            const BoundStatus status = named.comparison == parity_comparison.comparison ? attribute.parity
                                       : named.comparison == odds_comparison.comparison ? attribute.odds
                                                                                        : BoundStatus::none;
            is_unclear = is_unclear || status == BoundStatus::unclear;
            // A missing rate could only make the difference larger and the ratio smaller.
            const std::string missing = missing_rates_text(attribute, named);
            const char *least = missing.empty() ? "" : ">= ", *most = missing.empty() ? "" : "<= ";
            rows.push_back({name, words_of(named.name), status_text(status, of.is_measured()),
                            of.is_measured() ? least + fixed(of.difference, 3) : "-",
                            of.is_measured() ? fixed(of.interval.low, 3) + "-" + fixed(of.interval.high, 3) : "",
                            of.ratio ? most + fixed(*of.ratio, 3) : "-"});
            if (!missing.empty() &&
                named.comparison != opportunity_comparison.comparison)  // equalised odds include these rates
                incomplete +=
                    "the " + words_of(named.name) + " of " + name + " is incomplete; not measured: " + missing + "\n";
        }
    }
    return table(rows, "lllrrr") +
           (is_unclear ? "unclear: above the bound, but by no more than sampling error\n" : "") + incomplete;
}

}  // namespace

std::string group_tables(const GroupMetrics& metrics, std::size_t most_groups) {
    std::string text = rates_table(metrics, most_groups);
    if (!metrics.attributes.empty()) text += "\n" + comparisons_table(metrics);
    const bool leaves_out = std::ranges::any_of(metrics.attributes, [](const AttributeMetrics& attribute) {
        return std::ranges::any_of(attribute.groups, [](const GroupFigures& group) {
            return std::ranges::any_of(group.rates,
                                       [](const RateFigure& rate) { return rate.points > 0 && !rate.is_compared; });
        });
    });
    if (leaves_out) text += "* left out of differences and ratios: too few points, or points whose group is unknown\n";
    if (metrics.all.without_outcome > 0)
        text += counted(metrics.all.without_outcome) + " of " + counted(metrics.all.points, "point") +
                (metrics.all.without_outcome == 1 ? " has no outcome: it counts" : " have no outcome: they count") +
                " in the selection rate only\n";
    return text;
}

std::string bounds_text(const GroupMetrics& groups) {
    std::string text;
    const auto add = [&](const char* of, BoundStatus AttributeMetrics::*bound, const NamedComparison& comparison) {
        const BoundStatus worst = worst_status(groups, bound);
        if (worst == BoundStatus::none) return;
        text += (text.empty() ? "bound of " : "; of ") + std::string(of) + ": " + std::string(to_string(worst));
        if (worst == BoundStatus::within) return;
        const auto first = std::ranges::find(groups.attributes, worst, bound);
        const auto others = std::ranges::count(groups.attributes, worst, bound) - 1;
        text += (worst == BoundStatus::left ? " by " : " for ") + printable(crossed(first->attributes));
        if (others > 0) text += " and " + counted(others, "other");
        if (const std::string missing = missing_rates_text(*first, comparison); !missing.empty())
            text += " (not measured: " + missing + ")";
    };
    add("parity", &AttributeMetrics::parity, parity_comparison);
    add("odds", &AttributeMetrics::odds, odds_comparison);
    return text;
}

}  // namespace fairstream::figures
