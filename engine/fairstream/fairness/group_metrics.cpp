#include <fairstream/fairness/group_metrics.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/base/printable.hpp>
#include <fairstream/numeric/detail/normal.hpp>

namespace fairstream {

std::string_view to_string(BoundStatus status) noexcept {
    static constexpr std::array<std::string_view, 5> names{"none", "within", "unclear", "left", "unmeasured"};
    return names[static_cast<std::size_t>(status)];
}

Interval wilson_interval(double value, double points, double z) {
    const double part = z * z / points, middle = (value + part / 2) / (1 + part);
    const double half = z / (1 + part) * std::sqrt((value * (1 - value) + part / 4) / points);
    // For a value of 0 or 1, one end is the value itself; the clamp removes its rounding error.
    return {std::clamp(middle - half, 0.0, value), std::clamp(middle + half, value, 1.0)};
}

GroupComparison compare_rates(std::span<const RateFigure> rates, int rows) {
    GroupComparison found;
    found.groups = static_cast<std::int32_t>(rates.size());
    if (!found.is_measured()) return found;
    const auto by_value = [](const RateFigure& a, const RateFigure& b) { return a.value < b.value; };
    const auto [least, most] = std::ranges::minmax_element(rates, by_value);
    found.difference = most->value - least->value;
    if (most->value > 0) found.ratio = least->value / most->value;

    const double pairs = 0.5 * static_cast<double>(rates.size() * (rates.size() - 1)) * rows;
    const double z = normal_quantile(1 - 0.025 / pairs);
    std::vector<Interval> ends;
    for (const RateFigure& rate : rates) ends.push_back(wilson_interval(rate.value, rate.weight, z));
    for (std::size_t i = 0; i < rates.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const bool in_order = rates[i].value >= rates[j].value;
            const std::size_t high = in_order ? i : j, low = in_order ? j : i;
            const double p = rates[high].value, q = rates[low].value;
            const double low_end = p - q - std::hypot(p - ends[high].low, ends[low].high - q);
            const double high_end = p - q + std::hypot(ends[high].high - p, q - ends[low].low);
            found.interval.low = std::max(found.interval.low, low_end);
            // Either group may have the higher rate.
            found.interval.high = std::max({found.interval.high, high_end, -low_end});
        }
    found.interval.high = std::min(found.interval.high, 1.0);
    return found;
}

GroupComparison worse_comparison(const GroupComparison& a, const GroupComparison& b) {
    if (!a.is_measured() || !b.is_measured()) return a.groups >= b.groups ? a : b;
    GroupComparison worse;
    worse.groups = std::max(a.groups, b.groups);
    worse.difference = std::max(a.difference, b.difference);
    worse.interval = {std::max(a.interval.low, b.interval.low), std::max(a.interval.high, b.interval.high)};
    if (a.ratio && b.ratio) worse.ratio = std::min(*a.ratio, *b.ratio);
    return worse;
}

std::string crossed(std::span<const std::string> names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " x ") + name;
    return text;
}

std::vector<MissingRate> missing_rates(const AttributeMetrics& attribute, const NamedComparison& of) {
    std::vector<MissingRate> missing;
    for (const GroupRate rate : of.rates)
        for (const GroupFigures& group : attribute.groups)
            if (group.is_known && group.points > 0 && !group.rate(rate).is_compared) missing.push_back({rate, &group});
    return missing;
}

std::string missing_rates_text(const AttributeMetrics& attribute, const NamedComparison& of) {
    constexpr std::size_t most_named = 3;
    const std::vector<MissingRate> missing = missing_rates(attribute, of);
    std::string text;
    for (const GroupRate rate : of.rates) {
        std::size_t found = 0;
        for (const MissingRate& one : missing) {
            if (one.rate != rate || ++found > most_named) continue;
            if (found == 1) {
                std::string name(group_rate_names[static_cast<std::size_t>(rate)]);
                std::ranges::replace(name, '_', ' ');
                text += (text.empty() ? "" : "; ") + name + " of ";
            } else {
                text += ", ";
            }
            text += printable(crossed(one.group->groups));
        }
        if (found > most_named) text += " and " + std::to_string(found - most_named) + " more";
    }
    return text;
}

BoundStatus bound_status(const GroupComparison& comparison, bool lacks_rates, double at_most) noexcept {
    if (at_most == 0) return BoundStatus::none;
    if (!comparison.is_measured()) return BoundStatus::unmeasured;
    if (comparison.difference <= at_most) return lacks_rates ? BoundStatus::unmeasured : BoundStatus::within;
    return comparison.interval.low > at_most ? BoundStatus::left : BoundStatus::unclear;
}

const GroupComparison* largest_comparison(const GroupMetrics& metrics, GroupComparison AttributeMetrics::*comparison) {
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

BoundStatus worst_status(const GroupMetrics& metrics, BoundStatus AttributeMetrics::*status) {
    constexpr std::array by_rank{BoundStatus::none, BoundStatus::within, BoundStatus::unmeasured, BoundStatus::unclear,
                                 BoundStatus::left};
    const auto rank = [&](BoundStatus of) { return std::ranges::find(by_rank, of); };
    BoundStatus worst = BoundStatus::none;
    for (const AttributeMetrics& attribute : metrics.attributes)
        if (rank(attribute.*status) > rank(worst)) worst = attribute.*status;
    return worst;
}

}  // namespace fairstream
