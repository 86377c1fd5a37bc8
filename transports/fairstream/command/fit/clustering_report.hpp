#pragma once
/// The common parts of reports of `fit`, for clusterings of points and of graphs.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/command/fit/fit.hpp>
#include <fairstream/engine.hpp>

namespace fairstream::command {

/// A clustering to report; borrows its members.
struct Clustering {
    const ModelOptions& model;
    const std::vector<Attribute>& attributes;  ///< a
    const FairnessTally& tally;
    Outcome outcome;
    double cost;                      ///< what the model minimises
    std::span<const Figure> figures;  ///< the model's own
};

/// Adds k, the cost, the fairness of the first balanced attribute, if any, and the outcome.
void add_clustering(const Clustering& clustering, nlohmann::ordered_json& json);
/// Adds the fairness of every attribute.
void add_details(const Clustering& clustering, nlohmann::ordered_json& json);
/// Adds the model's own figures that are not in `json` yet; null for those that it could have and has not.
void add_figures(const ModelOptions& model, std::span<const Figure> figures, nlohmann::ordered_json& json);
/// Adds options, input, threads, processor and version.
void add_setup(const FitOptions& options, const ModelOptions& model, nlohmann::ordered_json& json);

using TextRows = std::vector<std::vector<std::string>>;
/// Returns rows of name, value and meaning: cost, and balances and gaps of every attribute.
[[nodiscard]] TextRows clustering_rows(const Clustering& clustering);
/// Returns such rows of a model's own figures.
[[nodiscard]] TextRows figure_rows(const ModelOptions& model, std::span<const Figure> figures);
/// Returns a table of the clusters for every balanced attribute, an empty line before each; without any, a table of
/// their sizes.
[[nodiscard]] std::string cluster_tables(const Clustering& clustering);

/// Writes and prints the report as `options` specify.
void write_report(const FitOptions& options, const std::string& json, const std::string& summary);
/// Writes the report as `write_report`, and the labels.
void write_fit(const FitOptions& options, std::vector<std::pair<PointId, ClusterId>> labels, const std::string& json,
               const std::string& summary);

}  // namespace fairstream::command
