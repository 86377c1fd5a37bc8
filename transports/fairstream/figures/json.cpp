#include <fairstream/figures/json.hpp>

#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include <fairstream/base/name_list.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/fairness/score_figures.hpp>
#include <fairstream/figures/outcome_text.hpp>
#include <fairstream/options.hpp>

namespace fairstream::figures {

using nlohmann::ordered_json;

namespace {

template <class Table, class Of> void add_all(const Table& table, const Of& of, ordered_json& json) {
    for (const auto& figure : table) json[std::string(figure.name)] = of.*figure.value;
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

}  // namespace

void add_figures(const ClusterFairness& fairness, ordered_json& json) {
    add_all(cluster_figures, fairness, json);
}

void add_figures(const ScoreFairness& fairness, ordered_json& json) {
    add_all(score_figures, fairness, json);
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

void add_figures(const PredictionFairness& fairness, ordered_json& json) {
    if (fairness.mse) json["mse"] = *fairness.mse;
    add_all(prediction_figures, fairness, json);
}

ordered_json group_metrics_json(const GroupMetrics& metrics) {
    ordered_json json = {{"all", ordered_json::object()}, {"comparisons", ordered_json::array()}};
    add_group(metrics.all, json["all"]);
    for (const NamedComparison& named : group_comparisons) {
        const GroupComparison* largest = largest_comparison(metrics, named.comparison);
        const std::string name = "largest_" + std::string(named.name);
        json[name + "_difference"] = largest == nullptr ? ordered_json() : ordered_json(largest->difference);
        json[name + "_complete"] = is_complete(metrics, named);
    }
    json["parity_bound"] = std::string(to_string(worst_status(metrics, &AttributeMetrics::parity)));
    json["odds_bound"] = std::string(to_string(worst_status(metrics, &AttributeMetrics::odds)));
    for (const AttributeMetrics& attribute : metrics.attributes)
        json["comparisons"].push_back(attribute_json_of(attribute));
    return json;
}

ordered_json counts_json(const FairnessTally& tally, int index) {
    ordered_json rows = ordered_json::array();
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) {
        const std::span<const std::int64_t> counts = tally.counts(cluster, index);
        rows.push_back(std::vector<std::int64_t>(counts.begin(), counts.end()));
    }
    return rows;
}

void add_weights(const FairnessTally& tally, int index, ordered_json& json) {
    if (!tally.is_weighted()) return;
    ordered_json weights = ordered_json::array(), rows = ordered_json::array();
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) {
        weights.push_back(tally.weight(cluster));
        if (index >= tally.attributes()) continue;
        const std::span<const double> row = tally.weights(cluster, index);
        rows.push_back(std::vector<double>(row.begin(), row.end()));
    }
    json["cluster_weights"] = std::move(weights);
    if (index < tally.attributes()) json["cluster_group_weights"] = std::move(rows);
}

ordered_json sizes_json(const FairnessTally& tally) {
    ordered_json sizes = ordered_json::array();
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) sizes.push_back(tally.size(cluster));
    return sizes;
}

ordered_json attribute_json(const FairnessTally& tally, const Attribute& attribute, int index) {
    const AttributeFairness fairness = attribute_fairness(tally, index);
    ordered_json json = {{"attribute", attribute.name}, {"groups", attribute.groups}};
    add_figures(fairness, json);
    json["cluster_balances"] = fairness.cluster_balances;
    json["group_shares"] = fairness.stream_shares;
    json["cluster_group_counts"] = counts_json(tally, index);
    add_weights(tally, index, json);
    return json;
}

namespace {

ordered_json attributes_json(const std::vector<wire::AttributeReport>& reports) {
    ordered_json attributes = ordered_json::array();
    for (const wire::AttributeReport& attribute : reports) {
        ordered_json json = {{"attribute", attribute.attribute}};
        add_figures(attribute, json);
        json["counts"] = attribute.counts;
        if (!attribute.weights.empty()) json["weights"] = attribute.weights;
        attributes.push_back(std::move(json));
    }
    return attributes;
}

}  // namespace

ordered_json figures_json(const wire::FairnessReport& report) {
    ordered_json json;
    if (report.groups() == nullptr) json["cost"] = report.cost;  // a monitor has no objective
    json["churn"] = report.churn;
    json["outcome"] = std::string(to_string(report.outcome));
    json["iterations"] = report.iterations;
    for (const wire::NamedFigure& figure : report.figures) json[figure.name] = figure.value;
    const auto* const attributes = std::get_if<std::vector<wire::AttributeReport>>(&report.fairness);
    if (attributes != nullptr) json.update({{"moves", report.moves}, {"swaps", report.swaps}});
    json["points"] = report.points;
    if (const ScoreFairness* scores = report.scores()) {
        add_figures(*scores, json);
        add_missing_rates(*scores, json);
    } else if (const PredictionFairness* predictions = report.predictions()) {
        add_figures(*predictions, json);
    } else if (const GroupMetrics* groups = report.groups()) {
        json.update(group_metrics_json(*groups));
    } else {
        json["rare_groups_left_out"] = leaves_out_rare_groups(report);
        json["attributes"] = attributes_json(*attributes);
    }
    return json;
}

ordered_json front_json(std::span<const OperatingPoint> front) {
    ordered_json points = ordered_json::array();
    for (const OperatingPoint& point : front)
        points.push_back({{"kmeans_updates", point.kmeans_updates},
                          {"swaps", point.swaps},
                          {"balance_at_least", point.balance_at_least},
                          {"cost", point.cost},
                          {"balance", point.balance},
                          {"published", point.published}});
    return {{"front", std::move(points)}};
}

namespace {

/// Returns the names of an option's attributes: "sex", or ["sex", "race"].
ordered_json attributes_of(const OptionText& option, std::span<const Attribute> attributes) {
    std::vector<std::string> names = read_names(attribute_names(option.value, attributes));
    if (names.size() == 1) return std::move(names[0]);
    ordered_json list = ordered_json::array();
    for (std::string& name : names) list.push_back(std::move(name));
    return list;
}

}  // namespace

ordered_json options_json(const ModelOptions& options, std::span<const Attribute> attributes) {
    ordered_json result = ordered_json::object();
    for (const OptionText& option : list_options(options)) {
        if (option.name == attribute_option) {
            result[option.name] = attributes_of(option, attributes);
            continue;
        }
        const bool several = option.value.find(',') != std::string::npos;
        if (option.from_file && option.value != "none") {
            result[option.name] = "given";
            continue;
        }
        ordered_json value = ordered_json::parse(several ? "[" + option.value + "]" : option.value, nullptr, false);
        result[option.name] = value.is_discarded() ? ordered_json(option.value) : std::move(value);
    }
    return result;
}

void add_condition(const wire::Condition& condition, ordered_json& json) {
    const PreparationFigures& figures = condition.preparation;
    json["late_points"] = condition.late_points;
    json["scale_renewals"] = figures.renewals;
    json["drift"] = figures.drift;
    json["drift_column"] = figures.drift == 0             ? ordered_json()
                           : condition.drift_name.empty() ? ordered_json(std::to_string(figures.column))
                                                          : ordered_json(condition.drift_name);
}

}  // namespace fairstream::figures
