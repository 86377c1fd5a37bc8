#include <fairstream/command/fit/fit_clusters.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/clustering_report.hpp>
#include <fairstream/command/fit/fit_targets.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/models/live_front/live_front.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>

namespace fairstream::command {
namespace {

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

ClassAgreement agreement_of(const FitOptions& options, const Engine& engine, const ClassesById& classes) {
    const Window& window = engine.window();
    std::vector<csv::ClassId> retained;
    for (Slot slot = 0; slot < window.size(); ++slot) retained.push_back(classes.at(window.id(slot)));
    return agreement_with_classes(options.input.classes, engine.labels(options.model), retained, window.weights());
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
    const std::optional<safairkm::Options> targets = targets_of(model);
    // Clusters over several targets at once, and the constraint of fair spectral clustering, are about groups.
    const bool can_do_without =
        targets && !model.get_if<fair_spectral::Options>() && !model.get_if<live_front::Options>();
    if (!attributes.empty() || !can_do_without) return require_groups(attributes);
    if (const std::string_view option = option_on_groups(*targets); !option.empty())
        throw InvalidInput(Reason::bad_option, std::string(option) + " needs groups: name their column with --group");
}

}  // namespace

int fit_clusters(const FitOptions& options, const ModelOptions& model, StopSignals& signals) {
    csv::Table table = load_points(options);
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
    const ClassesById classes = classes_by_id(table);
    table = {};
    require_started(options, engine);
    if (effort) engine.ingest(KnobChange{options.model, "effort", *effort});
    if (is_refined(options, model)) {
        Progress progress("improving " + counted(engine.window().size()) + " points");
        progress.show(options.iterations ? counted(*options.iterations) + " rounds" : "until nothing improves");
        const auto show = [&](double share, std::string_view done) { progress.show(share, done); };
        refine(options, engine, figures, show);
    }
    if (!options.input.classes.empty()) figures.agreement = agreement_of(options, engine, classes);
    const auto writing = signals.poll_for_stop();  // a signal does not interrupt the writing
    write_fit(options, retained_labels(engine, options.model), clusters_json(options, engine, figures),
              clusters_summary(options, engine, figures));
    return targets ? judge_targets(*targets, engine.options().format, engine.report(options.model).tally(), warned) : 0;
}

}  // namespace fairstream::command
