#pragma once
/// The common parts of reports of `fit` on clusterings of points and of graphs.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/fit/stages/class_agreement.hpp>
#include <fairstream/fit/stages/cluster_profiles.hpp>
#include <fairstream/fit/stages/model_report.hpp>

namespace fairstream::fit {

/// A clustering to report; borrows its members.
struct Clustering {
    const ModelOptions& model;
    const std::vector<Attribute>& attributes;  ///< a
    const FairnessTally& tally;
    Outcome outcome;
    double cost;                                     ///< what the model minimises
    std::span<const Figure> figures;                 ///< the model's own
    const std::optional<ClassAgreement>& agreement;  ///< agreement with the true classes; nothing: unknown
    const std::optional<FeatureProfiles>& features;  ///< by cluster; nothing: nodes

    [[nodiscard]] Profiled profiled() const { return {tally, attributes, features}; }
};

/// Adds k, the cost, the fairness of the first balanced attribute (if any), the outcome, and the agreement with the
/// true classes (if known).
void add_clustering(const Clustering& clustering, nlohmann::ordered_json& json);
/// Adds the fairness of every attribute, and the profiles of the clusters.
void add_details(const Clustering& clustering, nlohmann::ordered_json& json);
/// Returns rows of name, value and meaning: cost, balances and gaps of every attribute, balance and parity without rare
/// groups (if any is left out), and the agreement with the true classes (if known).
[[nodiscard]] TextRows clustering_rows(const Clustering& clustering);
/// Returns rows of the model's own figures that `clustering_rows` does not show.
[[nodiscard]] TextRows other_figure_rows(const Clustering& clustering);
/// Returns a table of the clusters for every balanced attribute, each after an empty line; without such attributes, a
/// table of sizes. Adds what sets each cluster apart.
[[nodiscard]] std::string cluster_tables(const Clustering& clustering);

/// The outputs of a fit for each point, row by row.
struct FittedPoints {
    std::vector<std::pair<PointId, ClusterId>> labels;
    files::IdText id_text;
    Matrix memberships;                   ///< empty: not written
    std::vector<std::string> cells = {};  ///< columns copied beside the labels; empty: none
};
/// Writes the profiles, labels and memberships that the options ask for.
void write_clustering(const FitOptions& options, const FittedPoints& points, const Clustering& clustering);

}  // namespace fairstream::fit
