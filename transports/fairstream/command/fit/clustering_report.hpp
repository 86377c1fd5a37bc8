#pragma once
/// What the reports of a fit say alike, whether points were clustered or the nodes of a graph.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/command/fit/fit.hpp>
#include <fairstream/engine.hpp>

namespace fairstream::command {

/// A clustering and what it is of. Borrows all.
struct Clustering {
    const ModelOptions& model;
    const std::vector<Attribute>& attributes;  ///< a
    const FairnessTally& tally;
    Outcome outcome;
    double cost;                      ///< what the model minimises
    double plain_cost;                ///< what it would be without a target; 0: not known
    std::span<const Figure> figures;  ///< the model's own
};

/// Adds k, the cost, how fair the first attribute is that is balanced, if there is one, and the outcome.
void add_clustering(const Clustering& clustering, nlohmann::ordered_json& json);
/// Adds how fair every attribute is, and of the model's own figures those that are not there yet.
void add_details(const Clustering& clustering, nlohmann::ordered_json& json);
/// Adds options, input, threads, processor and version.
void add_setup(const FitOptions& options, const ModelOptions& model, nlohmann::ordered_json& json);

/// Four digits that matter: residuals are far below 1, counts of products far above.
[[nodiscard]] std::string brief(double value);

using TextRows = std::vector<std::vector<std::string>>;
/// "name, value, what it is": cost, and balances and gaps of every attribute.
[[nodiscard]] TextRows clustering_rows(const Clustering& clustering);
/// The same of the model's own figures that `clustering_rows` does not show.
[[nodiscard]] TextRows figure_rows(const Clustering& clustering);
/// For every attribute that is balanced a table of the clusters, an empty line before each; without any, one of their
/// sizes.
[[nodiscard]] std::string cluster_tables(const Clustering& clustering);

/// Writes and prints the report as `options` ask for it.
void write_report(const FitOptions& options, const std::string& json, const std::string& summary);
/// The same, and the labels.
void write_fit(const FitOptions& options, std::vector<std::pair<PointId, ClusterId>> labels, const std::string& json,
               const std::string& summary);

}  // namespace fairstream::command
