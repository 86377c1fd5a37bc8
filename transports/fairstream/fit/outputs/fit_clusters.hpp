#pragma once
/// The report of `fairstream fit` on clusters of points that streamed in.

#include <string>

#include <fairstream/fit/stages/clustering_report.hpp>
#include <fairstream/fit/stages/fit_stream.hpp>

namespace fairstream::fit {

/// Clusters after their fit; borrows its members.
struct FittedClusters {
    const FitOptions& options;
    const Engine& engine;  ///< with one model
    const FitFigures& figures;
    const ModelReport& report;  ///< `report_of` these

    [[nodiscard]] Clustering clustering() const;
};
/// Returns the report of the fitted model. What it knows of its points without a target is of fewer points until it is
/// refined.
[[nodiscard]] ModelReport report_of(const FitOptions& options, const Engine& engine, const FitFigures& figures);

/// Return the report as JSON, and as a summary for people.
[[nodiscard]] std::string clusters_json(const FittedClusters& fit);
[[nodiscard]] std::string clusters_summary(const FittedClusters& fit);

}  // namespace fairstream::fit
