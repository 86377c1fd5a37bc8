/// Figures by group in messages.

#include <fairstream/wire/detail/conversions.hpp>

namespace fairstream::wire::detail {
namespace {

GroupFigures read_group(schema::GroupFigures::Reader reader) {
    GroupFigures group{.groups = read_names(reader.getGroups(), "groups", "group"),
                       .is_known = reader.getIsKnown(),
                       .points = reader.getPoints(),
                       .without_outcome = reader.getWithoutOutcome(),
                       .weight = reader.getWeight(),
                       .rates = {},
                       .calibration = {reader.getCalibrated(), reader.getCalibrationError(), reader.getCalibrationGap(),
                                       read_interval(reader.getCalibrationGapInterval())}};
    const auto rates = reader.getRates();
    if (rates.size() < group_rates)
        malformed("a group has " + std::to_string(rates.size()) + " rates, not " + std::to_string(group_rates));
    // Rates of later versions follow these.
    for (unsigned i = 0; i < group_rates; ++i)
        group.rates[i] = {rates[i].getPoints(), rates[i].getWeight(), rates[i].getValue(),
                          read_interval(rates[i].getInterval()), rates[i].getIsCompared()};
    return group;
}

GroupComparison read_comparison(schema::GroupComparison::Reader reader) {
    return {reader.getGroups(), reader.getDifference(), read_interval(reader.getInterval()),
            reader.getHasRatio() ? std::optional(reader.getRatio()) : std::nullopt};
}

BoundStatus status_of(std::uint8_t number) {
    const auto status = static_cast<BoundStatus>(number);
    if (status > BoundStatus::unmeasured) unknown_kind("a bound", number);
    return status;
}

void write_group(const GroupFigures& group, schema::GroupFigures::Builder out) {
    write_names(group.groups, "group", out.initGroups(checked_count(group.groups.size(), "group")));
    out.setIsKnown(group.is_known);
    out.setPoints(group.points);
    out.setWithoutOutcome(group.without_outcome);
    out.setWeight(group.weight);
    auto rates = out.initRates(group_rates);
    for (unsigned i = 0; i < group_rates; ++i) {
        const RateFigure& rate = group.rates[i];
        rates[i].setPoints(rate.points);
        rates[i].setWeight(rate.weight);
        rates[i].setValue(rate.value);
        write_interval(rate.interval, rates[i].initInterval());
        rates[i].setIsCompared(rate.is_compared);
    }
    out.setCalibrated(group.calibration.points);
    out.setCalibrationError(group.calibration.error);
    out.setCalibrationGap(group.calibration.gap);
    write_interval(group.calibration.gap_interval, out.initCalibrationGapInterval());
}

void write_comparison(const GroupComparison& comparison, schema::GroupComparison::Builder out) {
    out.setGroups(comparison.groups);
    out.setDifference(comparison.difference);
    write_interval(comparison.interval, out.initInterval());
    out.setHasRatio(comparison.ratio.has_value());
    out.setRatio(comparison.ratio.value_or(0));
}

}  // namespace

GroupMetrics read_group_metrics(schema::GroupMetrics::Reader reader) {
    GroupMetrics metrics{.all = read_group(reader.getAll()), .attributes = {}};
    const auto attributes = reader.getAttributes();
    metrics.attributes.reserve(checked_count(attributes.size(), "attributes"));
    for (const auto from : attributes) {
        AttributeMetrics& to = metrics.attributes.emplace_back();
        to.attributes = read_names(from.getAttributes(), "attributes", "attribute");
        const auto groups = from.getGroups();
        to.groups.reserve(checked_count(groups.size(), "groups"));
        for (const auto group : groups) to.groups.push_back(read_group(group));
        to.demographic_parity = read_comparison(from.getDemographicParity());
        to.equal_opportunity = read_comparison(from.getEqualOpportunity());
        to.equalised_odds = read_comparison(from.getEqualisedOdds());
        to.parity = status_of(from.getParity());
        to.odds = status_of(from.getOdds());
    }
    return metrics;
}

void write_group_metrics(const GroupMetrics& metrics, schema::GroupMetrics::Builder out) {
    write_group(metrics.all, out.initAll());
    auto attributes = out.initAttributes(checked_count(metrics.attributes.size(), "attributes"));
    for (unsigned a = 0; a < attributes.size(); ++a) {
        const AttributeMetrics& from = metrics.attributes[a];
        auto to = attributes[a];
        write_names(from.attributes, "attribute",
                    to.initAttributes(checked_count(from.attributes.size(), "attribute")));
        auto groups = to.initGroups(checked_count(from.groups.size(), "groups"));
        for (unsigned g = 0; g < groups.size(); ++g) write_group(from.groups[g], groups[g]);
        write_comparison(from.demographic_parity, to.initDemographicParity());
        write_comparison(from.equal_opportunity, to.initEqualOpportunity());
        write_comparison(from.equalised_odds, to.initEqualisedOdds());
        to.setParity(static_cast<std::uint8_t>(from.parity));
        to.setOdds(static_cast<std::uint8_t>(from.odds));
    }
}

}  // namespace fairstream::wire::detail
