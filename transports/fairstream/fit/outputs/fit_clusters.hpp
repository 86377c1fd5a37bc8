#pragma once
/// The report of `fairstream fit` on clusters of streamed points.

#include <string>

#include <fairstream/fit/stages/clustering_report.hpp>
#include <fairstream/fit/stages/fit_stream.hpp>

namespace fairstream::fit {

/// The result of a clustering fit; borrows its members.
struct FittedClusters {
    const FitOptions& options;
    const Engine& engine;  ///< with one model
    const FitFigures& figures;
    const ModelReport& report;  ///< from `report_of`

    [[nodiscard]] Clustering clustering() const;
};
/// Returns the fitted model's report, completed by `add_figures_without_targets`. Until the model is refined, the
/// report leaves out `plain_cost` and `price_of_fairness`.
[[nodiscard]] ModelReport report_of(const FitOptions& options, const Engine& engine, const FitFigures& figures);

/// Return the report as JSON, and as a summary for people.
[[nodiscard]] std::string clusters_json(const FittedClusters& fit);
[[nodiscard]] std::string clusters_summary(const FittedClusters& fit);

}  // namespace fairstream::fit
