#include <fairstream/command/fit/fit.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/settings.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/clustering_report.hpp>
#include <fairstream/command/fit/fit_graph.hpp>
#include <fairstream/command/fit/fit_scores.hpp>
#include <fairstream/command/fit/fit_stream.hpp>
#include <fairstream/command/fit/fit_targets.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

ModelOptions model_options(const FitOptions& options) {
    ModelOptions model = default_options(options.model);
    const auto text = [](const std::optional<std::uint64_t>& number) {
        return number ? std::optional(std::to_string(*number)) : std::nullopt;
    };
    apply_settings(model, options.settings,
                   {{"--clusters", "clusters", text(options.clusters)},
                    {"--seed", "seed", text(options.seed)},
                    {"--affinity", "affinity", options.affinity},
                    {"--solver", "solver", options.solver}});
    return model;
}

std::string needed_by(const ModelOptions& model) {
    const std::string clusters = std::to_string(clusters_of(model).value());
    const std::string_view more = model.kind().about().start;
    return ", which needs " + clusters + (more.empty() ? "" : ", and " + std::string(more));
}

void require_started(const FitOptions& options, const Engine& engine) {
    if (engine.report(options.model).solve.outcome == Outcome::warming) {
        throw InvalidInput(Reason::not_ready, counted(engine.window().size()) +
                                                  " points were retained: too few for the model to start" +
                                                  needed_by(engine.current_options(options.model)));
    }
}

std::vector<std::pair<PointId, ClusterId>> retained_labels(const Engine& engine, const std::string& model) {
    const std::span<const ClusterId> labels = engine.labels(model);
    std::vector<std::pair<PointId, ClusterId>> rows;
    for (Slot slot = 0; slot < labels.size(); ++slot) rows.emplace_back(engine.window().id(slot), labels[slot]);
    return rows;
}

/// Throws `InvalidInput` for an option that the model does not use.
void refuse_foreign_options(const FitOptions& options, const ModelOptions& model) {
    const bool scores = gives_scores(model);
    const auto refuse_given = [&](std::string_view option, bool given, bool for_scores) {
        if (!given || for_scores == scores) return;
        throw InvalidInput(Reason::bad_option, std::string(option) + " is for models that " +
                                                   (for_scores ? "give scores" : "cluster") + ": " + options.model +
                                                   (scores ? " gives scores" : " clusters"));
    };
    refuse_given("--labels", !options.labels.empty(), false);
    refuse_given("--scores", !options.scores.empty(), true);
    refuse_given("--split", !options.input.split.empty(), true);
    refuse_given("--curve", options.curve.has_value(), true);
    refuse_given("--plot", !options.plot.empty(), true);
    if (options.iterations.value_or(0) != 0 && !model.kind().is_refinable())
        throw InvalidInput(Reason::bad_option, "--iterations: " + options.model + " cannot be refined");
}

/// Returns the option `effort` to restore for the final refinement, whose restarts make effort while streaming useless;
/// nothing for fits that need not set it to 0 until then.
std::optional<std::string> effort_to_save(const FitOptions& options, const ModelOptions& model) {
    if (options.iterations) return std::nullopt;
    for (const OptionText& option : list_options(model))
        if (option.name == "effort") return option.value;
    return std::nullopt;
}

/// Throws `InvalidInput` for points without the groups that the model needs, and for attributes with a single group.
void require_groups_for(const ModelOptions& model, const std::vector<Attribute>& attributes) {
    if (attributes.empty() && model.kind().protected_attributes(model).empty()) return;
    const auto* const one = model.get_if<safairkm::Options>();
    if (!attributes.empty() || one == nullptr) return require_groups(attributes);
    if (const std::string_view option = option_on_groups(*one); !option.empty())
        throw InvalidInput(Reason::bad_option, std::string(option) + " needs groups: name their column with --group");
}

int fit_clusters(const FitOptions& options, const ModelOptions& model, StopSignals& signals) {
    csv::Table table = load_table(options.input);
    require_groups_for(model, table.format.attributes);
    const std::optional<std::string> effort = effort_to_save(options, model);
    ModelOptions on_the_way = model;
    if (effort) set_option(on_the_way, "effort", "0");
    Engine engine(engine_options(options, on_the_way, table), options.threads);
    const std::optional<safairkm::Options> targets = targets_of(model);
    std::vector<safairkm::TargetNote> warned;
    if (targets) warned = warn_of_targets(*targets, table, engine.window().capacity());
    FitFigures figures;
    {
        Progress progress("clustering " + options.input.name());
        const auto show = [&](double share, std::string_view done) { progress.show(share, done); };
        stream(options, table, engine, show, figures);
    }
    table = {};
    require_started(options, engine);
    if (effort) engine.ingest(KnobChange{options.model, "effort", *effort});
    if (is_refined(options, model)) {
        Progress progress("improving " + counted(engine.window().size()) + " points");
        progress.show(options.iterations ? counted(*options.iterations) + " rounds" : "until nothing improves");
        const auto show = [&](double share, std::string_view done) { progress.show(share, done); };
        refine(options, engine, figures, show);
    }
    const auto writing = signals.poll_for_stop();  // a signal does not interrupt the writing
    write_fit(options, retained_labels(engine, options.model), fit_json(options, engine, figures),
              fit_summary(options, engine, figures));
    return targets ? judge_targets(*targets, engine.options().format, engine.report(options.model).tally(), warned) : 0;
}

/// Ends the process for a signal: a fit cannot be cut short, and its state before the end is far from its result.
[[noreturn]] void end_interrupted(const StopSignals& signals) {
    const char* const clear_progress = isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
    std::fprintf(stderr, "%sfairstream fit: interrupted; nothing was written\n", clear_progress);
    std::_Exit(signals.exit_code());
}

}  // namespace

int run_fit(const FitOptions& options) {
    // Refuses bad options before a long file is read.
    const ModelOptions model = model_options(options);
    refuse_foreign_options(options, model);
    check_outputs({{"--labels", options.labels},
                   {"--scores", options.scores},
                   {"--report", options.report},
                   {"--plot", options.plot}},
                  {options.input.input, options.input.rows, options.input.edges, options.input.nodes});
    StopSignals signals;
    const auto working = signals.on_stop([&] { end_interrupted(signals); });
    if (options.input.is_graph()) return fit_graph(options, model, signals);
    return gives_scores(model) ? fit_scores(options, model, signals) : fit_clusters(options, model, signals);
}

}  // namespace fairstream::command
