#include <fairstream/command/fit/clustering_report.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <variant>

#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/report/figures_json.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

using nlohmann::ordered_json;

/// Returns the indices of the attributes that the model balances.
OneOrMore<int> balanced_by(const ModelOptions& options) {
    return std::visit(
        [](const auto& chosen) -> OneOrMore<int> {
            if constexpr (requires { balanced_attributes(chosen); })
                return balanced_attributes(chosen);
            else
                throw std::logic_error("a report on clusters of a model that gives scores");
        },
        options);
}

std::string_view meaning_of_cost(const ModelOptions& options) {
    return std::holds_alternative<fair_spectral::Options>(options)
               ? "relaxed normalised cut; 0 where clusters are not joined"
               : "mean squared distance to the cluster means";
}

/// Returns rows of cluster, points and share.
TextRows size_rows(const FairnessTally& tally) {
    TextRows rows{{"cluster", "points", "share"}};
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) {
        const double share =
            static_cast<double>(tally.size(cluster)) / static_cast<double>(std::max<std::int64_t>(1, tally.total()));
        rows.push_back({std::to_string(cluster), counted(tally.size(cluster)), fixed(100 * share, 1) + " %"});
    }
    return rows;
}

TextRows cluster_rows(const FairnessTally& tally, const Attribute& attribute, int index) {
    TextRows rows = size_rows(tally);
    rows[0].emplace_back("balance");
    for (const std::string& group : attribute.groups) rows[0].push_back(group);
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) {
        std::vector<std::string>& row = rows[static_cast<std::size_t>(cluster) + 1];
        row.push_back(fixed(balance(tally, index, cluster)));
        for (const std::int64_t count : tally.counts(cluster, index)) row.push_back(counted(count));
    }
    return rows;
}

/// Adds the fairness of the first balanced attribute.
void add_fairness(const Clustering& clustering, ordered_json& json) {
    const AttributeFairness fairness = attribute_fairness(clustering.tally, balanced_by(clustering.model)[0]);
    json["balance"] = fairness.balance;
    json["average_balance"] = fairness.average_balance;
    json["minimum_balance"] = fairness.balance;
    json["best_balance"] = fairness.best_balance;
    json["parity"] = fairness.parity;
    json["best_parity"] = fairness.best_parity;
}

}  // namespace

std::string brief(double value) {
    if (!std::isfinite(value)) return fixed(value);
    std::array<char, 32> text;
    const int size = std::snprintf(text.data(), text.size(), "%.4g", value);
    return {text.data(), static_cast<std::size_t>(size)};
}

void add_clustering(const Clustering& clustering, ordered_json& json) {
    const int balanced = balanced_by(clustering.model)[0];
    const bool has_groups = !clustering.attributes.empty();
    json["k"] = clustering.tally.clusters();
    if (has_groups) {
        const Attribute& attribute = clustering.attributes.at(static_cast<std::size_t>(balanced));
        json["attribute"] = attribute.name;
        json["groups"] = attribute.groups;
    }
    json["cost"] = clustering.cost;
    add_price(clustering.cost, clustering.plain_cost, json);
    if (has_groups) add_fairness(clustering, json);
    json["cluster_sizes"] = sizes_json(clustering.tally);
    if (has_groups) json["cluster_group_counts"] = counts_json(clustering.tally, balanced);
    json["outcome"] = std::string(to_string(clustering.outcome));
}

void add_details(const Clustering& clustering, ordered_json& json) {
    for (std::size_t i = 0; i < clustering.attributes.size(); ++i) {
        json["attributes"].push_back(attribute_json(clustering.tally, clustering.attributes[i], static_cast<int>(i)));
    }
    for (const Figure& figure : clustering.figures) {
        const std::string name(figure.name);
        if (!json.contains(name)) json[name] = figure.value;
    }
}

void add_setup(const FitOptions& options, const ModelOptions& model, ordered_json& json) {
    json["options"] = options_json(model);
    json["input"] = input_json(options.input);
    json["threads"] = options.threads;
    json["cpu_level"] = std::string(cpu_level());
    json["version"] = FAIRSTREAM_VERSION;
}

TextRows clustering_rows(const Clustering& clustering) {
    const OneOrMore<int> balanced = balanced_by(clustering.model);
    TextRows rows{{"cost", fixed(clustering.cost), std::string(meaning_of_cost(clustering.model))}};
    if (clustering.plain_cost > 0)
        rows.push_back({clustering.attributes.empty() ? "price of targets" : "price of fairness",
                        fixed(100 * (clustering.cost / clustering.plain_cost - 1), 1) + " %",
                        "the cost without a target is " + fixed(clustering.plain_cost)});
    for (std::size_t i = 0; i < clustering.attributes.size(); ++i) {
        const AttributeFairness fairness = attribute_fairness(clustering.tally, static_cast<int>(i));
        const std::string of =
            clustering.attributes.size() == 1
                ? ""
                : " of " + clustering.attributes[i].name +
                      (std::ranges::count(balanced, static_cast<int>(i)) > 0 ? "" : " (not balanced)");
        rows.push_back({"balance" + of, fixed(fairness.balance),
                        "smallest of a cluster; " + fixed(fairness.best_balance) + " is possible"});
        rows.push_back(
            {"parity" + of, fixed(fairness.parity),
             "smallest over largest share of a group in a cluster; " + fixed(fairness.best_parity) + " is possible"});
        rows.push_back({"average balance" + of, fixed(fairness.average_balance), ""});
        rows.push_back(
            {"worst gap" + of, fixed(fairness.worst_gap), "between a group's share of a cluster and of all points"});
    }
    return rows;
}

TextRows figure_rows(const Clustering& clustering) {
    constexpr std::array<std::string_view, 3> shown = {"cost", "average_balance", "minimum_balance"};
    TextRows rows;
    for (const Figure& figure : clustering.figures) {
        if (std::ranges::count(shown, figure.name) > 0) continue;
        std::string name(figure.name);
        std::ranges::replace(name, '_', ' ');
        rows.push_back({name, brief(figure.value), ""});
    }
    return rows;
}

std::string cluster_tables(const Clustering& clustering) {
    if (clustering.attributes.empty()) return "\n" + table(size_rows(clustering.tally));
    std::string text;
    for (const int i : balanced_by(clustering.model)) {
        text += "\n" + table(cluster_rows(clustering.tally, clustering.attributes[static_cast<std::size_t>(i)], i));
    }
    return text;
}

void write_fit(const FitOptions& options, std::vector<std::pair<PointId, ClusterId>> labels, const std::string& json,
               const std::string& summary) {
    if (!options.labels.empty()) write_labels(options.labels, std::move(labels));
    write_report(options, json, summary);
}

void write_report(const FitOptions& options, const std::string& json, const std::string& summary) {
    if (!options.report.empty()) write_file(options.report, json + "\n");
    if (options.json) {
        print(json + "\n");
    } else if (options.report.empty()) {
        print(summary);
    }
}

}  // namespace fairstream::command
