#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fairstream/base/progress_text.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/fit/outputs/fit_job.hpp>
#include <fairstream/fit/stages/clustering_report.hpp>
#include <fairstream/fit/stages/fit_notes.hpp>
#include <fairstream/fit/stages/fit_stream.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/models.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

/// A graph, its clustering, and the time taken.
struct GraphFit {
    files::GraphTable table;
    GraphClustering clustering;
    double seconds = 0;
    std::optional<ClassAgreement> agreement = {};  ///< agreement with the true classes; nothing: unknown
    bool stopped = false;                          ///< whether the fit was stopped before its end
    std::optional<FeatureProfiles> features = {};  ///< nothing: nodes have no features
};

void require_takes_graphs(const FitOptions& options, const ModelOptions& model) {
    if (model.kind().takes_graphs()) return;
    throw InvalidInput(Reason::bad_option, "'" + options.input.name() + "' is a graph, and " + options.model +
                                               (gives_numbers(model) ? " scores points; " : " clusters points; ") +
                                               model_names_with(&ModelKind::takes_graphs, " and ") + " take graphs");
}

// Clusters the graph; sets the clustering, its time, and whether it was stopped.
void cluster(const ModelOptions& model, int threads, const FitProgress& progress, GraphFit& fit) {
    const files::GraphTable& table = fit.table;
    const OnProgress listener = [&](const WorkProgress& work) {
        fit.stopped = !progress(work.share, progress_text(work));
        return !fit.stopped;
    };
    const auto start = Clock::now();
    fit.clustering = model.kind().cluster_nodes(model, table.graph, table.attributes, table.groups, threads, listener);
    fit.seconds = seconds_since(start);
}

ClassAgreement agreement_of(const FitOptions& options, const files::GraphTable& table,
                            const GraphClustering& clustering) {
    return agreement_with_classes(options.input.classes, clustering.labels, table.classes);
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
    return figures::report_text(json);
}

std::string graph_summary(const FitOptions& options, const ModelOptions& model, const GraphFit& fit) {
    const Clustering clustering = clustering_of(model, fit);
    TextRows rows = clustering_rows(clustering);
    if (TextRows::value_type row = targets_row(model, format_of(fit), clustering.tally); !row.empty())
        rows.push_back(std::move(row));
    rows.push_back({"time", fixed(fit.seconds, 2) + " s",
                    counted(fit.clustering.solve.iterations, "round") + ", " +
                        std::string(to_string(fit.clustering.solve.outcome))});
    for (std::vector<std::string>& row : other_figure_rows(clustering)) rows.push_back(std::move(row));
    return options.model + " on " + options.input.name() + ": " + counted(fit.table.graph.nodes, "node") + ", " +
           counted(fit.table.graph.edges.size(), "edge") + ", " + counted(clustering.tally.clusters(), "cluster") +
           (fit.table.attributes.empty() ? ", no protected attribute" : "") + stopped_text(fit.stopped) + "\n\n" +
           table(rows, "lrl") + cluster_tables(clustering);
}

class GraphJob final : public FitJob {
public:
    using FitJob::FitJob;

protected:
    void check() const override {
        require_takes_graphs(options_, model_);
        refuse_stream_options(options_);
    }
    void load() override {
        fit_.table = files::load_graph(options_.input, listener_);
        require_groups_for(model_, fit_.table.attributes);
        listener_.notes(notes_on_fit(options_, model_, format_of(fit_)));
        warned_ =
            warn_of_targets(targets_of(model_).value(), format_of(fit_),
                            group_totals(fit_.table.groups, fit_.table.attributes), fit_.table.graph.nodes, listener_);
    }
    void fit(FitStop& stop) override {
        TauScan scan;
        if (options_.scans_tau) {
            scan = scan_and_cluster(stop);
            model_ = with_best_tau(model_, scan);
        } else {
            const std::string clustering = "clustering " + options_.input.name();
            listener_.progress(clustering, -1, counted(fit_.table.graph.nodes, "node"));
            cluster(model_, options_.threads, stop.progress_of(clustering), fit_);
        }
        if (!options_.input.classes.empty()) {
            fit_.agreement = agreement_of(options_, fit_.table, fit_.clustering);
            fit_.agreement->tau_scan = std::move(scan);
        }
        add_figures_without_targets(model_, fit_.clustering.tally, fit_.clustering.figures);
        note_groups_without_shares(model_, format_of(fit_), fit_.clustering.tally, listener_);
        note_empty_clusters(fit_.clustering.tally, listener_);
        warn_of_nearly_equal_memberships(model_, fit_.clustering.figures, listener_);
    }
    void write() const override {
        FittedPoints nodes{
            {},
            [&](PointId node) { return fit_.table.names.empty() ? std::string_view() : fit_.table.names[node]; },
            fit_.clustering.memberships};
        for (std::size_t node = 0; node < fit_.clustering.labels.size(); ++node)
            nodes.labels.emplace_back(node, fit_.clustering.labels[node]);
        write_clustering(options_, nodes, clustering_of(model_, fit_));
    }
    [[nodiscard]] std::string json() const override { return graph_json(options_, model_, fit_); }
    [[nodiscard]] std::string summary() const override { return graph_summary(options_, model_, fit_); }
    [[nodiscard]] Judgement judge() const override {
        return judge_targets(targets_of(model_).value(), format_of(fit_), fit_.clustering.tally, warned_);
    }

private:
    // Clusters with the tau whose labels agree best with the classes.
    [[nodiscard]] TauScan scan_and_cluster(FitStop& stop) {
        std::optional<GraphClustering> best;
        double most = 0, seconds = 0;
        const auto accuracy = [&](const ModelOptions& tried, const FitProgress& of_tau) {
            cluster(tried, options_.threads, of_tau, fit_);
            const double found = agreement_of(options_, fit_.table, fit_.clustering).figures.accuracy;
            if (!best || (found > most && !fit_.stopped))
                most = found, best = std::move(fit_.clustering), seconds = fit_.seconds;
            return found;
        };
        TauScan scan = scan_tau(model_, accuracy, stop.progress_of("scanning " + options_.input.name()));
        fit_.clustering = std::move(*best);
        fit_.seconds = seconds;
        fit_.stopped = stop.stopped();
        return scan;
    }

    GraphFit fit_;
    std::vector<TargetNote> warned_;
};

}  // namespace

std::unique_ptr<FitJob> graph_job(FitOptions options, ModelOptions model, Listener& listener) {
    return std::make_unique<GraphJob>(std::move(options), std::move(model), listener);
}

}  // namespace fairstream::fit
