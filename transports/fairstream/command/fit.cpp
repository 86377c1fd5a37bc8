#include <fairstream/command/fit.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fairstream/command/clock.hpp>
#include <fairstream/command/clustering_report.hpp>
#include <fairstream/command/fit_graph.hpp>
#include <fairstream/command/output.hpp>
#include <fairstream/command/settings.hpp>
#include <fairstream/command/terminal.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

ModelOptions model_options(const FitOptions& options) {
    ModelOptions model = default_options(options.model);
    for (const std::string& setting : options.settings) apply_setting(model, setting);
    if (options.clusters) set_option(model, "clusters", std::to_string(*options.clusters));
    if (options.seed) set_option(model, "seed", std::to_string(*options.seed));
    if (options.affinity) set_option(model, "affinity", *options.affinity);
    if (options.solver) set_option(model, "solver", *options.solver);
    return model;
}

/// A step of fair_spectral solves for the whole window, however few points came: all at once is what an analyst means.
std::size_t batch_of(const FitOptions& options, const ModelOptions& model, std::size_t points) {
    const bool solves = std::holds_alternative<fair_spectral::Options>(model);
    return options.batch.value_or(solves ? points : usual_batch);
}

EngineOptions engine_options(const FitOptions& options, const ModelOptions& model, const csv::Table& table) {
    if (table.size() > std::numeric_limits<Slot>::max() / 2) {
        throw InvalidInput(Reason::bad_option,
                           std::to_string(table.size()) + " points do not fit one window: use --window");
    }
    EngineOptions engine;
    engine.format = table.format;
    engine.window.capacity = options.window.value_or(static_cast<Slot>(table.size()));
    if (options.seed) engine.window.seed = *options.seed;
    engine.models.push_back({options.model, model, {}});
    return engine;
}

/// The whole table, `passes` times.
void stream(const FitOptions& options, const csv::Table& table, Engine& engine, FitFigures& figures) {
    Progress progress("clustering " + options.input.name());
    const std::uint64_t passes = options.passes.value_or(1), total = passes * table.size();
    const std::size_t batch = figures.batch;
    PointColumns points;
    double churn = 0;
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
        for (std::size_t first = 0; first < table.size(); first += batch) {
            copy_points(table, first, std::min(batch, table.size() - first), points);
            const auto start = Clock::now();
            const ModelUpdate& update = engine.ingest(points.view()).models[0];
            figures.ingest_seconds += seconds_since(start);
            figures.points += points.ids.size();
            if (update.solve.outcome != Outcome::warming) {
                ++figures.steps;
                churn += update.churn;
            }
            progress.show(static_cast<double>(figures.points) / static_cast<double>(total),
                          counted(static_cast<std::int64_t>(figures.points)) + " points");
        }
    }
    figures.churn = figures.steps == 0 ? 0 : churn / static_cast<double>(figures.steps);
}

std::string needed_by(const ModelOptions& model) {
    const auto count = [](const auto& chosen) -> std::int64_t {
        if constexpr (requires { cluster_count(chosen); })
            return cluster_count(chosen);
        else
            throw std::logic_error("a fit of clusters by a model that gives scores");
    };
    const std::string clusters = std::to_string(std::visit(count, model));
    const bool spectral = std::holds_alternative<fair_spectral::Options>(model);
    return ", which needs " + clusters +
           (spectral ? ", and one more for every group but one of each attribute that is balanced" : "");
}

void require_started(const FitOptions& options, const Engine& engine) {
    if (engine.report(options.model).solve.outcome == Outcome::warming) {
        throw InvalidInput(Reason::not_ready, counted(engine.window().size()) +
                                                  " points were retained: too few for the model to start" +
                                                  needed_by(engine.current_options(options.model)));
    }
}

void refine(const FitOptions& options, Engine& engine, FitFigures& figures) {
    if (options.iterations == 0) return;
    Progress progress("improving " + counted(engine.window().size()) + " points");
    progress.show(options.iterations ? counted(*options.iterations) + " rounds" : "until nothing improves");
    const auto start = Clock::now();
    const ModelUpdate& update = engine.ingest(Refinement{options.model, options.iterations.value_or(0)}).models[0];
    figures.refine_seconds = seconds_since(start);
    figures.refine_churn = update.churn;
    figures.refinement = update.solve;
    figures.refined = true;
}

std::vector<std::pair<PointId, ClusterId>> retained_labels(const Engine& engine, const std::string& model) {
    const std::span<const ClusterId> labels = engine.labels(model);
    std::vector<std::pair<PointId, ClusterId>> rows;
    for (Slot slot = 0; slot < labels.size(); ++slot) rows.emplace_back(engine.window().id(slot), labels[slot]);
    return rows;
}

/// Throws `InvalidInput` for a model of scores.
void require_clustering(const FitOptions& options, const ModelOptions& model) {
    if (gives_scores(model))
        throw InvalidInput(Reason::unknown_request,
                           "model " + options.model + " gives scores: fit clusters points, and does not take it yet");
}

}  // namespace

int run_fit(const FitOptions& options) {
    // Refuses before a long file is read.
    const ModelOptions model = model_options(options);
    require_clustering(options, model);
    check_outputs({{"--labels", options.labels}, {"--report", options.report}},
                  {options.input.input, options.input.rows, options.input.edges, options.input.nodes});
    if (options.input.is_graph()) return fit_graph(options, model);
    csv::Table table = load_table(options.input);
    require_groups(table.format.attributes);
    const EngineOptions setup = engine_options(options, model, table);
    Engine engine(setup, options.threads);
    FitFigures figures;
    figures.batch = batch_of(options, model, table.size());
    stream(options, table, engine, figures);
    table = {};
    require_started(options, engine);
    refine(options, engine, figures);
    write_fit(options, retained_labels(engine, options.model), fit_json(options, engine, figures),
              fit_summary(options, engine, figures));
    return 0;
}

}  // namespace fairstream::command
