#include <fairstream/fit/stages/clustering_report.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fairstream/base/printable.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/figures/words.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/stages/group_columns.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/targets/figures_without_rare.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

using nlohmann::ordered_json;

/// Returns the indices of the attributes that the model balances.
std::vector<int> balanced_by(const ModelOptions& options) {
    return options.kind().protected_attributes(options);
}

/// Returns the attribute that a report shows first: the first balanced one, otherwise the first.
int main_attribute(const ModelOptions& options) {
    const std::vector<int> balanced = balanced_by(options);
    return balanced.empty() ? 0 : balanced[0];
}

/// Returns the meaning of a figure from `fairstream names`.
std::string meaning_of(std::string_view figure) {
    return figures::find_word(figure)->meaning;
}

/// Returns rows of cluster, points, their weight (if weighted) and share, for the shown clusters.
TextRows size_rows(const FairnessTally& tally) {
    TextRows rows{{"cluster", "points", "share"}};
    if (tally.is_weighted()) rows[0] = {"cluster", "points", "weight", "share"};
    for (const ClusterId cluster : shown_clusters(tally)) {
        const double share = tally.total() == 0 ? 0 : tally.weight(cluster) / tally.total_weight();
        std::vector<std::string>& row = rows.emplace_back();
        row = {std::to_string(cluster), counted(tally.size(cluster))};
        if (tally.is_weighted()) row.push_back(fixed(tally.weight(cluster)));
        row.push_back(fixed(100 * share, 1) + " %");
    }
    return rows;
}

/// Returns a row for each cluster with its balance and the share of each group, and a last row for all points.
TextRows cluster_rows(const FairnessTally& tally, const Attribute& attribute, int index) {
    std::vector<double> totals(attribute.groups.size());
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster)
        for (std::size_t g = 0; g < totals.size(); ++g) totals[g] += tally.weights(cluster, index)[g];
    const GroupColumns columns(totals);
    std::vector<std::string> names;
    for (const std::string& group : attribute.groups) names.push_back(printable(group));
    TextRows rows = size_rows(tally);
    rows[0].emplace_back("balance");
    columns.add_headings(names, "", rows[0]);
    std::size_t next = 1;
    for (const ClusterId cluster : shown_clusters(tally)) {
        std::vector<std::string>& row = rows[next++];
        row.push_back(fixed_down(balance(tally, index, cluster)));
        columns.add_shares(tally.weights(cluster, index), row);
    }
    const auto [least, most] =
        std::ranges::minmax(std::span(totals).first(static_cast<std::size_t>(tally.known_groups(index))));
    std::vector<std::string>& all = rows.emplace_back();
    all = {"all", counted(tally.total())};
    if (tally.is_weighted()) all.push_back(fixed(tally.total_weight()));
    all.insert(all.end(), {"100.0 %", fixed_down(most > 0 ? least / most : 0)});
    columns.add_shares(totals, all);
    return rows;
}

constexpr std::array without_rare{balance_without_rare, parity_without_rare};

/// Returns rows of the balance and the parity without rare groups; empty if no group is left out.
TextRows rows_without_rare(std::span<const Figure> figures) {
    TextRows rows;
    for (const FigureText& text : without_rare)
        if (const std::optional<double> value = value_of(figures, text.name))
            rows.push_back({words_of(text.name), fixed_down(*value), std::string(text.meaning)});
    return rows;
}

/// Adds the fairness of the first balanced attribute.
void add_fairness(const Clustering& clustering, ordered_json& json) {
    const AttributeFairness fairness = attribute_fairness(clustering.tally, main_attribute(clustering.model));
    json["balance"] = fairness.balance;
    json["average_balance"] = fairness.average_balance;
    json["best_balance"] = fairness.best_balance;
    json["parity"] = fairness.parity;
    json["best_parity"] = fairness.best_parity;
}

}  // namespace

void add_clustering(const Clustering& clustering, ordered_json& json) {
    const int balanced = main_attribute(clustering.model);
    const bool has_groups = !clustering.attributes.empty();
    json["clusters"] = clustering.tally.clusters();
    if (has_groups) {
        const Attribute& attribute = clustering.attributes.at(static_cast<std::size_t>(balanced));
        json["attribute"] = attribute.name;
        json["groups"] = attribute.groups;
    }
    json["cost"] = clustering.cost;
    if (has_groups) add_fairness(clustering, json);
    json["cluster_sizes"] = figures::sizes_json(clustering.tally);
    if (has_groups) json["cluster_group_counts"] = figures::counts_json(clustering.tally, balanced);
    figures::add_weights(clustering.tally, balanced, json);
    json["outcome"] = std::string(to_string(clustering.outcome));
    if (clustering.agreement) add_agreement(*clustering.agreement, json);
}

void add_details(const Clustering& clustering, ordered_json& json) {
    for (std::size_t i = 0; i < clustering.attributes.size(); ++i) {
        json["attributes"].push_back(
            figures::attribute_json(clustering.tally, clustering.attributes[i], static_cast<int>(i)));
    }
    add_profiles(clustering.profiled(), json);
}

TextRows clustering_rows(const Clustering& clustering) {
    const std::vector<int> balanced = balanced_by(clustering.model);
    TextRows rows{{"cost", cost_text(clustering.cost), std::string(clustering.model.kind().about().cost)}};
    for (std::size_t i = 0; i < clustering.attributes.size(); ++i) {
        const AttributeFairness fairness = attribute_fairness(clustering.tally, static_cast<int>(i));
        const std::string of =
            clustering.attributes.size() == 1
                ? ""
                : " of " + clustering.attributes[i].name +
                      (balanced.empty() || std::ranges::count(balanced, static_cast<int>(i)) > 0 ? ""
                                                                                                 : " (not balanced)");
        rows.push_back({"balance" + of, fixed_down(fairness.balance),
                        meaning_of("balance") + "; " + fixed_down(fairness.best_balance) + " is possible"});
        rows.push_back({"parity" + of, fixed_down(fairness.parity),
                        meaning_of("parity") + "; " + fixed_down(fairness.best_parity) + " is possible"});
        // These rows stand under the figures of all groups, which a single rare group makes 0.
        if (!balanced.empty() && std::ranges::max(balanced) == static_cast<int>(i))
            for (TextRows::value_type& row : rows_without_rare(clustering.figures)) rows.push_back(std::move(row));
        rows.push_back({"average balance" + of, fixed(fairness.average_balance), meaning_of("average_balance")});
        rows.push_back({"worst gap" + of, fixed(fairness.worst_gap), meaning_of("worst_gap")});
    }
    if (clustering.agreement)
        for (TextRows::value_type& row : agreement_rows(*clustering.agreement)) rows.push_back(std::move(row));
    return rows;
}

TextRows other_figure_rows(const Clustering& clustering) {
    std::vector<Figure> others(clustering.figures.begin(), clustering.figures.end());
    std::erase_if(others, [](const Figure& figure) {
        return std::ranges::count(without_rare, figure.name, &FigureText::name) > 0;
    });
    return figure_rows(clustering.model, others);
}

std::string cluster_tables(const Clustering& clustering) {
    const FairnessTally& tally = clustering.tally;
    const std::vector<int> balanced = balanced_by(clustering.model);
    std::string text;
    if (clustering.attributes.empty() || balanced.empty())
        text = "\n" + table(size_rows(tally));
    else
        for (const int i : balanced)
            text += "\n" + table(cluster_rows(tally, clustering.attributes[static_cast<std::size_t>(i)], i));
    return text + more_clusters_line(tally) + distinctions_table(clustering.profiled());
}

void write_clustering(const FitOptions& options, const FittedPoints& points, const Clustering& clustering) {
    if (!options.memberships.empty()) {
        std::vector<PointId> ids;
        for (const auto& [id, label] : points.labels) ids.push_back(id);
        files::write_rows({options.memberships}, ids, points.memberships, points.id_text);
    }
    if (!options.labels.empty())
        files::write_outputs(options.labels, points.labels, points.id_text, "label",
                             {options.input.with, points.cells});
    if (!options.clusters_csv.empty()) files::write_file(options.clusters_csv, profiles_csv(clustering.profiled()));
}

}  // namespace fairstream::fit
