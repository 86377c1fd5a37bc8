#pragma once
/// The common parts of reports of `fit` on clusterings, of points and of graphs.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/command/fit/class_agreement.hpp>
#include <fairstream/command/fit/fit_options.hpp>
#include <fairstream/command/fit/model_report.hpp>
#include <fairstream/engine.hpp>

namespace fairstream::command {

/// A clustering to report; borrows its members.
struct Clustering {
    const ModelOptions& model;
    const std::vector<Attribute>& attributes;  ///< a
    const FairnessTally& tally;
    Outcome outcome;
    double cost;                                     ///< what the model minimises
    std::span<const Figure> figures;                 ///< the model's own
    const std::optional<ClassAgreement>& agreement;  ///< with the true classes; empty: they are not known
};

/// Adds k, the cost, the fairness of the first balanced attribute, if any, the outcome, and the agreement with the
/// true classes, if they are known.
void add_clustering(const Clustering& clustering, nlohmann::ordered_json& json);
/// Adds the fairness of every attribute.
void add_details(const Clustering& clustering, nlohmann::ordered_json& json);
/// Returns rows of name, value and meaning: cost, balances and gaps of every attribute, and the agreement with the true
/// classes, if they are known.
[[nodiscard]] TextRows clustering_rows(const Clustering& clustering);
/// Returns a table of the clusters for every balanced attribute, an empty line before each; without any, a table of
/// their sizes.
[[nodiscard]] std::string cluster_tables(const Clustering& clustering);

/// Writes the report as `write_report`, the labels, and the memberships, whose rows are those of `labels`.
void write_fit(const FitOptions& options, const std::vector<std::pair<PointId, ClusterId>>& labels,
               const IdText& id_text, const Matrix& memberships, const std::string& json, const std::string& summary);

}  // namespace fairstream::command
