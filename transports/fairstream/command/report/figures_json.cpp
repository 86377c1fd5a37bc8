#include <fairstream/command/report/figures_json.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include <fairstream/base/name_list.hpp>
#include <fairstream/base/printed_cost.hpp>
#include <fairstream/command/report/group_figures.hpp>
#include <fairstream/command/report/outcome_text.hpp>
#include <fairstream/command/report/score_figures.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/generate/graphs.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {

using nlohmann::ordered_json;

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

namespace {

/// `Figures` is the engine's or the wire's type; both have the same members.
template <class Figures> void add_measures(const Figures& figures, ordered_json& json) {
    json["balance"] = figures.balance;
    json["average_balance"] = figures.average_balance;
    json["best_balance"] = figures.best_balance;
    json["cluster_balance"] = figures.cluster_balance;
    json["demographic_parity_difference"] = figures.demographic_parity_difference;
    json["worst_gap"] = figures.worst_gap;
    json["kl_fairness_error"] = figures.kl_fairness_error;
    json["cluster_entropy"] = figures.cluster_entropy;
    json["parity"] = figures.parity;
    json["best_parity"] = figures.best_parity;
}

}  // namespace

ordered_json attribute_json(const FairnessTally& tally, const Attribute& attribute, int index) {
    const AttributeFairness fairness = attribute_fairness(tally, index);
    ordered_json json = {{"attribute", attribute.name}, {"groups", attribute.groups}};
    add_measures(fairness, json);
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
        add_measures(attribute, json);
        json["counts"] = attribute.counts;
        if (!attribute.weights.empty()) json["weights"] = attribute.weights;
        attributes.push_back(std::move(json));
    }
    return attributes;
}

}  // namespace

ordered_json figures_json(const wire::FairnessReport& report) {
    ordered_json json;
    if (report.groups() == nullptr) json["cost"] = printed_cost(report.cost);  // a monitor minimises nothing
    json["churn"] = report.churn;
    json["outcome"] = std::string(to_string(report.outcome));
    json["iterations"] = report.iterations;
    for (const wire::NamedFigure& figure : report.figures) json[figure.name] = figure.value;
    if (const ScoreFairness* scores = report.scores()) {
        json["points"] = report.points;
        add_figures(*scores, json);
        add_missing_rates(*scores, json);
        return json;
    }
    if (const PredictionFairness* predictions = report.predictions()) {
        json["points"] = report.points;
        add_figures(*predictions, json);
        return json;
    }
    if (const GroupMetrics* groups = report.groups()) {
        json["points"] = report.points;
        json.update(group_metrics_json(*groups));
        return json;
    }
    json["moves"] = report.moves;
    json["swaps"] = report.swaps;
    json["points"] = report.points;
    json["rare_groups_left_out"] = leaves_out_rare_groups(report);
    json["attributes"] = attributes_json(report.attributes());
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

/// Returns the names of the attributes that an option names: "sex", or ["sex", "race"].
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

ordered_json input_json(const InputOptions& input) {
    ordered_json json;
    if (!input.generate.empty()) {
        const generate::GraphKind* graph = generate::find_graph_kind(input.generate);
        const std::uint64_t usual = graph != nullptr ? graph->nodes : generate::generator_kind(input.generate).points;
        json = {{"generate", input.generate}, {"points", input.points.value_or(usual)}, {"seed", input.generate_seed}};
    } else if (input.is_graph()) {
        json = {{"edges_file", input.edges.string()}, {"nodes_file", input.nodes.string()}};
    } else {
        json = {{"file", input.input.string()},
                {"standardise", input.standardise},
                {"unit_rows", input.unit_rows},
                {"rows_file", input.rows.string()}};
    }
    if (!input.config.empty()) json["config"] = input.config.string();
    return json;
}

}  // namespace fairstream::command
