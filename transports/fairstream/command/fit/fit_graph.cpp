#include <fairstream/command/fit/fit_graph.hpp>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/base/progress_text.hpp>
#include <fairstream/command/console/clock.hpp>
#include <fairstream/command/console/note.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/clustering_report.hpp>
#include <fairstream/command/fit/fit_notes.hpp>
#include <fairstream/command/fit/fit_stream.hpp>
#include <fairstream/command/fit/fit_targets.hpp>
#include <fairstream/command/report/report_text.hpp>
#include <fairstream/models/fair_spectral/cluster_graph.hpp>
#include <fairstream/models/lord/cluster_graph.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::command {
namespace {

/// A graph, its clustering, and the time that took.
struct GraphFit {
    csv::GraphTable table;
    GraphClustering clustering;
    double seconds = 0;
    std::optional<ClassAgreement> agreement = {};  ///< with the true classes; empty: they are not known
    bool stopped = false;                          ///< before the end
    std::optional<FeatureProfiles> features = {};  ///< empty: nodes have none
};

void require_takes_graphs(const FitOptions& options, const ModelOptions& model) {
    if (takes_graphs(options.model)) return;
    throw InvalidInput(Reason::bad_option, "'" + options.input.name() + "' is a graph, and " + options.model +
                                               (gives_numbers(model) ? " scores points; " : " clusters points; ") +
                                               std::string(fair_spectral::Model::name) + " and " +
                                               std::string(lord::Model::name) + " take graphs");
}

// Sets the clustering, its time, and whether it was stopped.
void cluster(const ModelOptions& model, int threads, const FitProgress& progress, GraphFit& fit) {
    const csv::GraphTable& table = fit.table;
    const OnProgress listener = [&](const WorkProgress& work) {
        fit.stopped = !progress(work.share, progress_text(work));
        return !fit.stopped;
    };
    const auto start = Clock::now();
    if (const auto* const probable = model.get_if<lord::Options>())
        fit.clustering = lord::cluster_graph(*probable, table.graph, table.attributes, table.groups, threads, listener);
    else
        fit.clustering = fair_spectral::cluster_graph(model.get<fair_spectral::Options>(), table.graph,
                                                      table.attributes, table.groups, threads, listener);
    fit.seconds = seconds_since(start);
}

ClassAgreement agreement_of(const FitOptions& options, const csv::GraphTable& table,
                            const GraphClustering& clustering) {
    return agreement_with_classes(options.input.classes, clustering.labels, table.classes);
}

// Clusters by the tau whose labels agree best with the classes.
TauScan scan_and_cluster(const FitOptions& options, const ModelOptions& model, FitStop& stop, GraphFit& fit) {
    Progress progress("scanning " + options.input.name());
    std::optional<GraphClustering> best;
    double most = 0, seconds = 0;
    const auto accuracy = [&](const ModelOptions& tried, const FitProgress& of_tau) {
        cluster(tried, options.threads, of_tau, fit);
        const double found = agreement_of(options, fit.table, fit.clustering).figures.accuracy;
        if (!best || (found > most && !fit.stopped))
            most = found, best = std::move(fit.clustering), seconds = fit.seconds;
        return found;
    };
    TauScan scan = scan_tau(model, accuracy, stop.shown_by(progress));
    fit.clustering = std::move(*best);
    fit.seconds = seconds;
    fit.stopped = stop.stopped();
    return scan;
}

void refuse_stream_options(const FitOptions& options) {
    const auto refuse_given = [](std::string_view option, bool given) {
        if (!given) return;
        throw InvalidInput(Reason::bad_option,
                           std::string(option) + " is for points that stream in: a graph is clustered as a whole");
    };
    refuse_given("--batch", options.batch.has_value());
    refuse_given("--passes", options.passes.has_value());
    refuse_given("--window", options.window.has_value());
    refuse_given("--refine-rounds", options.iterations.has_value());
}

Clustering clustering_of(const ModelOptions& model, const GraphFit& fit) {
    const GraphClustering& clustering = fit.clustering;
    return {model,
            fit.table.attributes,
            clustering.tally,
            clustering.solve.outcome,
            clustering.solve.objective,
            clustering.figures,
            fit.agreement,
            fit.features};
}

StreamFormat format_of(const GraphFit& fit) {
    return {1, fit.table.attributes, false};
}

std::string graph_json(const FitOptions& options, const ModelOptions& model, const GraphFit& fit) {
    const Clustering clustering = clustering_of(model, fit);
    nlohmann::ordered_json json = {
        {"model", options.model}, {"points", fit.table.graph.nodes}, {"edges", fit.table.graph.edges.size()}};
    add_clustering(clustering, json);
    add_targets(model, format_of(fit), clustering.tally, json);
    json["stopped"] = fit.stopped;
    json["seconds"] = fit.seconds;
    json["iterations"] = fit.clustering.solve.iterations;
    add_details(clustering, json);
    add_figures(model, clustering.figures, json);
    add_setup(options, model, clustering.attributes, json);
    return report_text(json);
}

std::string graph_summary(const FitOptions& options, const ModelOptions& model, const GraphFit& fit) {
    const Clustering clustering = clustering_of(model, fit);
    TextRows rows = clustering_rows(clustering);
    if (TextRows::value_type row = targets_row(model, format_of(fit), clustering.tally); !row.empty())
        rows.push_back(std::move(row));
    rows.push_back({"time", fixed(fit.seconds, 2) + " s",
                    counted(fit.clustering.solve.iterations, "round") + ", " +
                        std::string(to_string(fit.clustering.solve.outcome))});
    for (std::vector<std::string>& row : figure_rows(model, clustering.figures)) rows.push_back(std::move(row));
    return options.model + " on " + options.input.name() + ": " + counted(fit.table.graph.nodes, "node") + ", " +
           counted(fit.table.graph.edges.size(), "edge") + ", " + counted(clustering.tally.clusters(), "cluster") +
           (fit.table.attributes.empty() ? ", no protected attribute" : "") + stopped_text(fit.stopped) + "\n\n" +
           table(rows, "lrl") + cluster_tables(clustering);
}

}  // namespace

bool takes_graphs(std::string_view model) {
    return model == fair_spectral::Model::name || model == lord::Model::name;
}

int fit_graph(const FitOptions& options, const ModelOptions& given, StopSignals& signals) {
    require_takes_graphs(options, given);
    refuse_stream_options(options);
    GraphFit fit{load_graph(options.input), {}, 0};
    FitStop stop(signals);
    require_groups_for(given, fit.table.attributes);
    print_notes(notes_on_fit(options, given, format_of(fit)));
    const ClusterTargets targets = targets_of(given).value();
    const std::vector<TargetNote> warned = warn_of_targets(
        targets, format_of(fit), group_totals(fit.table.groups, fit.table.attributes), fit.table.graph.nodes);
    TauScan scan;
    ModelOptions model = given;
    if (options.scans_tau) {
        scan = scan_and_cluster(options, given, stop, fit);
        model = with_best_tau(given, scan);
    } else {
        Progress progress("clustering " + options.input.name());
        progress.show(counted(fit.table.graph.nodes, "node"));
        cluster(model, options.threads, stop.shown_by(progress), fit);
    }
    if (!options.input.classes.empty()) {
        fit.agreement = agreement_of(options, fit.table, fit.clustering);
        fit.agreement->tau_scan = std::move(scan);
    }
    note_groups_without_shares(model, format_of(fit), fit.clustering.tally);
    note_empty_clusters(fit.clustering.tally);
    warn_of_level_memberships(model, fit.clustering.figures);
    const auto writing = signals.poll_for_stop();
    FittedPoints nodes{
        {},
        [&](PointId node) { return fit.table.names.empty() ? std::string_view() : fit.table.names[node]; },
        std::move(fit.clustering.memberships)};
    for (std::size_t node = 0; node < fit.clustering.labels.size(); ++node)
        nodes.labels.emplace_back(node, fit.clustering.labels[node]);
    write_fit(options, nodes, clustering_of(model, fit), graph_json(options, model, fit),
              graph_summary(options, model, fit));
    const int judged = judge_targets(targets, format_of(fit), fit.clustering.tally, warned);
    return fit.stopped ? stopped_early : judged;
}

}  // namespace fairstream::command
