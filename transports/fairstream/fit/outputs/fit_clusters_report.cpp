#include <nlohmann/json.hpp>

#include <fairstream/figures/front_table.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/fit/outputs/fit_clusters.hpp>
#include <fairstream/fit/stages/clustering_report.hpp>
#include <fairstream/fit/stages/feature_notes.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/fit/stages/preparation_report.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

using nlohmann::ordered_json;

double points_per_second(const FitFigures& figures) {
    return figures.ingest_seconds > 0 ? static_cast<double>(figures.points) / figures.ingest_seconds : 0.0;
}

}  // namespace

ModelReport report_of(const FitOptions& options, const Engine& engine, const FitFigures& figures) {
    ModelReport report = engine.report(options.model);
    if (!figures.refined)
        std::erase_if(report.figures, [](const Figure& figure) {
            return figure.name == "plain_cost" || figure.name == "price_of_fairness";
        });
    add_figures_without_targets(engine.current_options(options.model), report.tally(), report.figures);
    return report;
}

Clustering FittedClusters::clustering() const {
    return {engine.current_options(report.model),
            engine.options().format.attributes,
            report.tally(),
            report.solve.outcome,
            report.cost,
            report.figures,
            figures.agreement,
            figures.profiles};
}

std::string clusters_json(const FittedClusters& fit) {
    const auto& [options, engine, figures, report] = fit;
    const Clustering clustering = fit.clustering();
    ordered_json json = {
        {"model", options.model}, {"points", engine.window().size()}, {"features", engine.options().format.dimensions}};
    add_clustering(clustering, json);
    add_targets(clustering.model, engine.options().format, report.tally(), json);
    json["stopped"] = figures.stopped;
    json["churn"] = figures.churn;
    json["points_per_second"] = points_per_second(figures);
    json["seconds"] = figures.ingest_seconds + figures.refine_seconds;
    json["iterations"] = figures.refinement.iterations;
    json["different_points"] = figures.equal.distinct;
    json["parted_points"] = figures.equal.labelled_apart;
    json["steps"] = figures.steps;
    json["sent"] = figures.points;
    json["ingest_seconds"] = figures.ingest_seconds;
    json["refine_seconds"] = figures.refine_seconds;
    json["refine_churn"] = figures.refine_churn;
    json["moves"] = report.solve.moves;
    json["swaps"] = report.solve.swaps;
    add_details(clustering, json);
    add_figures(clustering.model, clustering.figures, json);
    if (!report.front.empty()) json.update(figures::front_json(report.front));
    const std::size_t d = engine.window().dimensions();
    for (auto at = report.centres.begin(); at != report.centres.end(); at += static_cast<std::ptrdiff_t>(d))
        json["centres"].push_back(std::vector<float>(at, at + static_cast<std::ptrdiff_t>(d)));
    add_preparation(options.stream, engine.preparation(), json);
    json["batch"] = figures.batch;
    json["passes"] = options.passes.value_or(1);
    json["window"] = engine.window().capacity();
    add_setup(options, clustering.model, clustering.attributes, json);
    return figures::report_text(json);
}

std::string clusters_summary(const FittedClusters& fit) {
    const auto& [options, engine, figures, report] = fit;
    const Clustering clustering = fit.clustering();
    const StreamFormat& format = engine.options().format;
    TextRows rows = clustering_rows(clustering);
    if (TextRows::value_type row = targets_row(clustering.model, format, report.tally()); !row.empty())
        rows.push_back(std::move(row));
    if (figures.equal.labelled_apart > 0)
        rows.push_back({"parted points", counted(static_cast<std::int64_t>(figures.equal.labelled_apart)),
                        "in another cluster than most points with the same features"});
    rows.push_back(
        {"churn", fixed(figures.churn), "share of labels that changed, mean over " + counted(figures.steps, "step")});
    rows.push_back({"points per second", rate(points_per_second(figures)), ""});
    if (figures.refined) {
        rows.push_back({"improvement", fixed(figures.refine_seconds, 2) + " s",
                        counted(figures.refinement.iterations, "round") + ", " +
                            std::string(to_string(figures.refinement.outcome))});
    }
    for (std::vector<std::string>& row : other_figure_rows(clustering)) rows.push_back(std::move(row));
    return options.model + " on " + options.input.name() + ": " + counted(engine.window().size(), "point") + ", " +
           features_text(options, format.dimensions) + ", " + counted(report.tally().clusters(), "cluster") +
           (format.attributes.empty() ? ", no protected attribute" : "") + stopped_text(figures.stopped) + "\n" +
           preparation_line(options.stream, engine.preparation()) + "\n" + table(rows, "lrl") +
           (report.front.empty() ? "" : "\n" + figures::front_table(report.front)) + cluster_tables(clustering);
}

}  // namespace fairstream::fit
