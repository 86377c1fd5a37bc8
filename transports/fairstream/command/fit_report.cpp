#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include <fairstream/command/figures_json.hpp>
#include <fairstream/command/fit.hpp>
#include <fairstream/command/terminal.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

using nlohmann::ordered_json;

/// Indices of the attributes a model balances.
OneOrMore<int> balanced_by(const ModelOptions& options) {
    return std::visit([](const auto& chosen) { return balanced_attributes(chosen); }, options);
}

double points_per_second(const FitFigures& figures) {
    return figures.ingest_seconds > 0 ? static_cast<double>(figures.points) / figures.ingest_seconds : 0.0;
}

std::vector<std::vector<std::string>> cluster_rows(const FairnessTally& tally, const Attribute& attribute, int index) {
    std::vector<std::vector<std::string>> rows{{"cluster", "points", "share", "balance"}};
    for (const std::string& group : attribute.groups) rows[0].push_back(group);
    for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster) {
        const double share =
            static_cast<double>(tally.size(cluster)) / static_cast<double>(std::max<std::int64_t>(1, tally.total()));
        rows.push_back({std::to_string(cluster), counted(tally.size(cluster)), fixed(100 * share, 1) + " %",
                        fixed(balance(tally, index, cluster))});
        for (const std::int64_t count : tally.counts(cluster, index)) rows.back().push_back(counted(count));
    }
    return rows;
}

}  // namespace

std::string fit_json(const FitOptions& options, const Engine& engine, const FitFigures& figures) {
    const ModelReport report = engine.report(options.model);
    const StreamFormat& format = engine.options().format;
    const ModelOptions& model = engine.current_options(options.model);
    const int balanced = balanced_by(model)[0];
    const Attribute& attribute = format.attributes.at(static_cast<std::size_t>(balanced));
    const AttributeFairness fairness = attribute_fairness(report.tally, balanced);

    ordered_json json = {{"model", options.model},
                         {"n", engine.window().size()},
                         {"d", format.dimensions},
                         {"k", report.tally.clusters()},
                         {"attribute", attribute.name},
                         {"groups", attribute.groups},
                         {"cost", report.cost},
                         {"balance", fairness.balance},
                         {"average_balance", fairness.average_balance},
                         {"best_balance", fairness.best_balance},
                         {"cluster_sizes", sizes_json(report.tally)},
                         {"cluster_group_counts", counts_json(report.tally, balanced)},
                         {"churn", figures.churn},
                         {"points_per_second", points_per_second(figures)},
                         {"seconds", figures.ingest_seconds + figures.refine_seconds},
                         {"outcome", std::string(to_string(report.solve.outcome))},
                         {"iterations", figures.refinement.iterations}};
    json["steps"] = figures.steps;
    json["points"] = figures.points;
    json["ingest_seconds"] = figures.ingest_seconds;
    json["refine_seconds"] = figures.refine_seconds;
    json["refine_churn"] = figures.refine_churn;
    json["moves"] = report.solve.moves;
    json["swaps"] = report.solve.swaps;
    for (std::size_t i = 0; i < format.attributes.size(); ++i) {
        json["attributes"].push_back(attribute_json(report.tally, format.attributes[i], static_cast<int>(i)));
    }
    for (const ClusterSummary& cluster : report.clusters) json["centres"].push_back(cluster.centre);
    json["options"] = options_json(model);
    json["input"] = input_json(options.input);
    json["batch"] = options.batch;
    json["passes"] = options.passes;
    json["window"] = engine.window().capacity();
    json["threads"] = options.threads;
    json["cpu_level"] = std::string(cpu_level());
    json["version"] = FAIRSTREAM_VERSION;
    return json.dump(2);
}

std::string fit_summary(const FitOptions& options, const Engine& engine, const FitFigures& figures) {
    const ModelReport report = engine.report(options.model);
    const StreamFormat& format = engine.options().format;
    const OneOrMore<int> balanced = balanced_by(engine.current_options(options.model));

    std::string text = options.model + " on " + options.input.name() + ": " + counted(engine.window().size()) +
                       " points, " + std::to_string(format.dimensions) + " features, " +
                       std::to_string(report.tally.clusters()) + " clusters\n\n";
    std::vector<std::vector<std::string>> rows{
        {"cost", fixed(report.cost), "mean squared distance to the cluster means"}};
    for (std::size_t i = 0; i < format.attributes.size(); ++i) {
        const AttributeFairness fairness = attribute_fairness(report.tally, static_cast<int>(i));
        const std::string of =
            format.attributes.size() == 1
                ? ""
                : " of " + format.attributes[i].name +
                      (std::ranges::count(balanced, static_cast<int>(i)) > 0 ? "" : " (not balanced)");
        rows.push_back({"balance" + of, fixed(fairness.balance),
                        "smallest of a cluster; " + fixed(fairness.best_balance) + " is possible"});
        rows.push_back({"average balance" + of, fixed(fairness.average_balance), ""});
        rows.push_back(
            {"worst gap" + of, fixed(fairness.worst_gap), "between a group's share of a cluster and of all points"});
    }
    rows.push_back(
        {"churn", fixed(figures.churn),
         "share of labels that changed, mean over " + counted(static_cast<std::int64_t>(figures.steps)) + " steps"});
    rows.push_back({"points per second", rate(points_per_second(figures)), ""});
    if (figures.refined) {
        rows.push_back({"improvement", fixed(figures.refine_seconds, 2) + " s",
                        counted(figures.refinement.iterations) + " rounds, " +
                            std::string(to_string(figures.refinement.outcome))});
    }
    text += table(rows, "lrl");
    for (const int i : balanced)
        text += "\n" + table(cluster_rows(report.tally, format.attributes[static_cast<std::size_t>(i)], i));
    return text;
}

}  // namespace fairstream::command
