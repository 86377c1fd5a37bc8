#include <fairstream/command/fit/fit_clusters.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/command/console/note.hpp>
#include <fairstream/command/console/settings.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/fit/clustering_report.hpp>
#include <fairstream/command/fit/equal_points.hpp>
#include <fairstream/command/fit/fit_notes.hpp>
#include <fairstream/command/fit/fit_targets.hpp>
#include <fairstream/command/input/groups_of_points.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {
namespace {

std::string needed_by(const ModelOptions& model) {
    const std::string clusters = std::to_string(cluster_count(model));
    const std::string_view more = model.kind().about().start;
    return ", which needs " + clusters + (more.empty() ? "" : ", and " + std::string(more));
}

void require_started(const FitOptions& options, const Engine& engine) {
    if (engine.report(options.model).solve.outcome == Outcome::warming) {
        throw InvalidInput(Reason::not_ready, counted(engine.window().size(), "point") +
                                                  (engine.window().size() == 1 ? " was" : " were") +
                                                  " retained: too few for the model to start" +
                                                  needed_by(engine.current_options(options.model)));
    }
}

/// Returns the slots of a table's rows; `no_slot` for points that left the window.
constexpr Slot no_slot = std::numeric_limits<Slot>::max();
std::vector<Slot> slots_of_rows(const Engine& engine, const csv::Table& table) {
    const Window& window = engine.window();
    std::vector<Slot> slots(table.size(), no_slot);
    for (std::size_t row = 0; row < table.size(); ++row) {
        const std::optional<PointId> id =
            table.id_texts.empty() ? std::optional(table.ids[row]) : engine.id_of(table.id_texts[row]);
        const bool is_in_order = row < window.size() && id == window.id(static_cast<Slot>(row));
        if (id) slots[row] = is_in_order ? static_cast<Slot>(row) : window.find(*id).value_or(no_slot);
    }
    return slots;
}

FeatureProfiles profiles_of(const Engine& engine, const std::string& model, const csv::Table& table,
                            std::span<const Slot> slots) {
    const std::span<const ClusterId> of_slots = engine.labels(model);
    std::vector<ClusterId> labels(table.size(), no_cluster);
    std::vector<double> weights(engine.window().weights().empty() ? 0 : table.size());
    for (std::size_t row = 0; row < table.size(); ++row) {
        if (slots[row] == no_slot) continue;
        labels[row] = of_slots[slots[row]];
        if (!weights.empty()) weights[row] = engine.window().weight(slots[row]);
    }
    return {{table.feature_names, table.format.columns, table.features, labels, weights},
            static_cast<std::size_t>(engine.report(model).tally().clusters())};
}

/// Returns the kept cells of the retained points, by slot.
std::vector<std::string> cells_by_slot(csv::Table& table, std::span<const Slot> slots, std::size_t size) {
    if (table.kept.empty()) return {};
    std::vector<std::string> cells(size);
    for (std::size_t row = 0; row < table.size(); ++row)
        if (slots[row] != no_slot) cells[slots[row]] = std::move(table.kept[row]);
    return cells;
}

std::vector<std::pair<PointId, ClusterId>> retained_labels(const Engine& engine, const std::string& model) {
    const std::span<const ClusterId> labels = engine.labels(model);
    std::vector<std::pair<PointId, ClusterId>> rows;
    for (Slot slot = 0; slot < labels.size(); ++slot) rows.emplace_back(engine.window().id(slot), labels[slot]);
    return rows;
}

Matrix retained_memberships(const Engine& engine, const std::string& model) {
    const std::span<const float> rows = engine.memberships(model);
    Matrix memberships(engine.window().size(), rows.size() / engine.window().size());
    std::ranges::copy(rows, memberships.values.begin());
    return memberships;
}

ClassAgreement agreement_of(const FitOptions& options, const Engine& engine, const ClassesById& classes) {
    const Window& window = engine.window();
    std::vector<csv::ClassId> retained;
    for (const PointId id : window.points().ids) retained.push_back(classes.of(id, engine.id_text(id)));
    return agreement_with_classes(options.input.classes, engine.labels(options.model), retained, window.weights());
}

/// Returns the option `effort` of a model for which it is 0 until the final refinement, whose restarts make effort
/// while streaming useless; nothing for others.
std::optional<std::string> effort_to_restore(const FitOptions& options, const ModelOptions& model) {
    return options.iterations || options.scans_tau ? std::nullopt : option_text_of(model, "effort");
}

// An engine with a model that was fitted, and how.
struct Fitted {
    Engine engine;
    FitFigures figures;
    std::unique_ptr<SavedFit> saved = {};  // where the fit is to be saved
};

// Returns an engine to which the table was streamed. `setup` has one model.
Fitted streamed(const FitOptions& options, const EngineOptions& setup, const csv::Table& table, const FitStop& stop,
                const FitProgress& progress) {
    Fitted fit{Engine(setup, options.threads), {}};
    if (!options.save.empty()) fit.saved = std::make_unique<SavedFit>();
    fit.figures.saved = fit.saved.get();
    if (effort_to_restore(options, setup.models[0].options))
        take_in(fit.engine, KnobChange{options.model, "effort", "0"}, fit.figures);
    stream(options, table, fit.engine, progress, fit.figures);
    if (fit.engine.report(options.model).solve.outcome == Outcome::warming) stop.end_without_result();
    require_started(options, fit.engine);
    return fit;
}

// Improves the model under the options that it shall have in the end.
void improve(const FitOptions& options, const ModelOptions& model, Fitted& fit, const FitProgress& progress) {
    if (const std::optional<std::string> effort = effort_to_restore(options, model))
        take_in(fit.engine, KnobChange{options.model, "effort", *effort}, fit.figures);
    refine(options, fit.engine, fit.figures, progress);
}

// Returns the fit of the tau whose labels agree best with the classes.
Fitted scanned(const FitOptions& options, const ModelOptions& model, const csv::Table& table,
               const ClassesById& classes, FitStop& stop, TauScan& scan) {
    Progress progress("scanning " + options.input.name());
    std::optional<Fitted> best;
    double most = 0;
    const auto accuracy = [&](const ModelOptions& tried, const FitProgress& of_tau) {
        Fitted fit = streamed(options, engine_options(options, tried, table), table, stop, part_of(of_tau, 0, 0.5));
        improve(options, tried, fit, part_of(of_tau, 0.5, 1));
        const double found = agreement_of(options, fit.engine, classes).figures.accuracy;
        if (!best || (found > most && !fit.figures.stopped)) most = found, best = std::move(fit);
        return found;
    };
    scan = scan_tau(model, accuracy, stop.shown_by(progress));
    best->figures.stopped = stop.stopped();
    return std::move(*best);
}

// Returns the fit of a model whose options are given. The table then has the features of the file.
Fitted fitted(const FitOptions& options, const ModelOptions& model, const EngineOptions& setup, csv::Table& table,
              FileFeatures& unscaled, FitStop& stop) {
    Fitted fit = [&] {
        Progress progress("clustering " + options.input.name());
        return streamed(options, setup, table, stop, stop.shown_by(progress));
    }();
    undo_scaling(unscaled, table);
    Progress progress("improving " + counted(fit.engine.window().size(), "point"));
    if (is_refined(options, model) && !fit.figures.stopped)
        progress.show(options.iterations ? counted(*options.iterations, "round") : "until nothing improves");
    improve(options, model, fit, stop.shown_by(progress));
    return fit;
}

}  // namespace

int fit_clusters(FitOptions options, const ModelOptions& given, StopSignals& signals) {
    csv::Table table = load_streamed(options);
    FitStop stop(signals);
    require_groups_for(given, table.format.attributes);
    if (options.stream && options.stream->file) require_two_groups(table, "points");
    const EngineOptions setup = engine_options(options, given, table);
    check(setup);  // what is refused is not warned of
    print_notes(notes_on_points(options, given, table));
    const std::optional<ClusterTargets> targets = targets_of(given);
    std::vector<TargetNote> warned;
    if (targets) warned = warn_of_targets(*targets, table, setup.window.capacity);
    const ClassesById classes = classes_by_id(table);
    FileFeatures unscaled = options.stream ? std::exchange(options.stream->unscaled, {}) : FileFeatures();
    TauScan scan;
    Fitted fit = options.scans_tau ? scanned(options, given, table, classes, stop, scan)
                                   : fitted(options, given, setup, table, unscaled, stop);
    Engine& engine = fit.engine;
    FitFigures& figures = fit.figures;
    const ModelOptions model = options.scans_tau ? with_best_tau(given, scan) : given;
    if (!options.input.classes.empty()) {
        figures.agreement = agreement_of(options, engine, classes);
        figures.agreement->tau_scan = std::move(scan);
    }
    undo_scaling(unscaled, table);
    const std::vector<Slot> slots = slots_of_rows(engine, table);
    figures.profiles = profiles_of(engine, options.model, table, slots);
    note_groups_without_shares(model, engine.options().format, engine.report(options.model).tally());
    note_empty_clusters(engine.report(options.model).tally());
    figures.equal = equal_points(engine.window(), engine.labels(options.model));
    note_equal_points(figures.equal, cluster_count(model));
    warn_of_level_memberships(model, engine.report(options.model).figures);
    if (figures.refined) note_price(model, engine.options().format, engine.report(options.model).figures);
    const auto writing = signals.poll_for_stop();  // a signal does not interrupt the writing
    write_config(options, model, setup.window.capacity);
    if (fit.saved) {
        fit.saved->keep_state(engine, figures.stopped);
        fit.saved->write(options);
    }
    const FittedPoints points{retained_labels(engine, options.model), [&](PointId id) { return engine.id_text(id); },
                              options.memberships.empty() ? Matrix() : retained_memberships(engine, options.model),
                              cells_by_slot(table, slots, engine.window().size())};
    write_clusters(options, engine, figures, points);
    const int judged =
        targets ? judge_targets(*targets, engine.options().format, engine.report(options.model).tally(), warned) : 0;
    return figures.stopped ? stopped_early : judged;
}

}  // namespace fairstream::command
