#include <fairstream/fit/outputs/fit_clusters.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/config/settings.hpp>
#include <fairstream/fit/outputs/fit_job.hpp>
#include <fairstream/fit/stages/clustering_report.hpp>
#include <fairstream/fit/stages/equal_points.hpp>
#include <fairstream/fit/stages/fit_notes.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/input/groups_of_points.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {
namespace {

std::string needed_by(const ModelOptions& model) {
    const std::string clusters = std::to_string(cluster_count(model));
    const std::string_view more = model.kind().about().start;
    return "; it needs " + clusters + (more.empty() ? "" : ", and " + std::string(more)) +
           ": lower --clusters, or add points";
}

void require_started(const FitOptions& options, const Engine& engine) {
    if (engine.report(options.model).solve.outcome == Outcome::warming) {
        throw InvalidInput(Reason::not_ready, counted(engine.window().size(), "point") +
                                                  (engine.window().size() == 1 ? " was" : " were") +
                                                  " retained: too few for the model to start" +
                                                  needed_by(engine.current_options(options.model)));
    }
}

/// The slot of a row whose point left the window.
constexpr Slot no_slot = std::numeric_limits<Slot>::max();
std::vector<Slot> slots_of_rows(const Engine& engine, const files::Table& table) {
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

FeatureProfiles profiles_of(const Engine& engine, const std::string& model, const files::Table& table,
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
std::vector<std::string> cells_by_slot(const files::Table& table, std::span<const Slot> slots, std::size_t size) {
    if (table.kept.empty()) return {};
    std::vector<std::string> cells(size);
    for (std::size_t row = 0; row < table.size(); ++row)
        if (slots[row] != no_slot) cells[slots[row]] = table.kept[row];
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
    std::vector<files::ClassId> retained;
    for (const PointId id : window.points().ids) retained.push_back(classes.of(id, engine.id_text(id)));
    return agreement_with_classes(options.input.classes, engine.labels(options.model), retained, window.weights());
}

/// Returns the value of the option `effort` to restore for the final refinement; nothing if there is none. While points
/// stream in, `effort` is 0: the refinement restarts anyway, so effort before it would be useless.
std::optional<std::string> effort_to_restore(const FitOptions& options, const ModelOptions& model) {
    return options.iterations || options.scans_tau ? std::nullopt : config::option_text_of(model, "effort");
}

// An engine with a fitted model, and the figures of the fit.
struct Fitted {
    Engine engine;
    FitFigures figures;
    std::unique_ptr<SavedFit> saved = {};  // null if the fit is not saved
};

class ClusterJob final : public FitJob {
public:
    using FitJob::FitJob;

protected:
    void load() override {
        table_ = load_streamed(options_, listener_);
        require_groups_for(model_, table_.format.attributes);
        if (options_.stream && options_.stream->file) files::require_two_groups(table_, "points");
        setup_ = engine_options(options_, model_, table_);
        fairstream::check(setup_);  // first, so that refused options cause no warnings
        listener_.notes(notes_on_points(options_, model_, table_));
        if (const auto targets = targets_of(model_))
            warned_ = warn_of_targets(*targets, table_, setup_.window.capacity, listener_);
        if (options_.stream) unscaled_ = std::exchange(options_.stream->unscaled, {});
    }

    void fit(FitStop& stop) override {
        const ClassesById classes = classes_by_id(table_);
        TauScan scan;
        if (options_.scans_tau)
            scan_for_tau(classes, stop, scan);
        else
            fit_given(stop);
        Engine& engine = fitted_->engine;
        FitFigures& figures = fitted_->figures;
        if (!options_.input.classes.empty()) {
            figures.agreement = agreement_of(options_, engine, classes);
            figures.agreement->tau_scan = std::move(scan);
        }
        files::undo_scaling(unscaled_, table_);
        slots_ = slots_of_rows(engine, table_);
        figures.profiles = profiles_of(engine, options_.model, table_, slots_);
        figures.equal = equal_points(engine.window(), engine.labels(options_.model));
        report_ = report_of(options_, engine, figures);
        note_clusters();
        saved_ = std::move(fitted_->saved);
        if (saved_) saved_->save_state(engine, stop.stopped());
    }

    [[nodiscard]] std::optional<Slot> capacity() const override { return setup_.window.capacity; }
    void write() const override {
        const Engine& engine = fitted_->engine;
        write_clustering(options_,
                         {retained_labels(engine, options_.model), [&](PointId id) { return engine.id_text(id); },
                          options_.memberships.empty() ? Matrix() : retained_memberships(engine, options_.model),
                          cells_by_slot(table_, slots_, engine.window().size())},
                         clusters().clustering());
    }
    [[nodiscard]] std::string json() const override { return clusters_json(clusters()); }
    [[nodiscard]] std::string summary() const override { return clusters_summary(clusters()); }
    [[nodiscard]] Judgement judge() const override {
        const auto targets = targets_of(model_);
        return targets ? judge_targets(*targets, format(), report_.tally(), warned_) : Judgement();
    }

private:
    [[nodiscard]] FittedClusters clusters() const { return {options_, fitted_->engine, fitted_->figures, report_}; }
    [[nodiscard]] const StreamFormat& format() const { return fitted_->engine.options().format; }

    // Returns an engine to which the table was streamed. `setup` has one model.
    [[nodiscard]] Fitted streamed(const EngineOptions& setup, const FitStop& stop, const FitProgress& progress) const {
        Fitted fit{Engine(setup, options_.threads), {}, new_saved()};
        fit.figures.saved = fit.saved.get();
        if (effort_to_restore(options_, setup.models[0].options))
            ingest_event(fit.engine, KnobChange{options_.model, "effort", "0"}, fit.figures);
        stream(options_, table_, fit.engine, progress, fit.figures);
        if (fit.engine.report(options_.model).solve.outcome == Outcome::warming) stop.end_without_result();
        require_started(options_, fit.engine);
        return fit;
    }

    // Refines the model with its final options.
    void improve(const ModelOptions& model, Fitted& fit, const FitProgress& progress) const {
        if (const std::optional<std::string> effort = effort_to_restore(options_, model))
            ingest_event(fit.engine, KnobChange{options_.model, "effort", *effort}, fit.figures);
        refine(options_, fit.engine, fit.figures, progress);
    }

    // Fits every tau, and keeps the fit whose labels agree best with the classes.
    void scan_for_tau(const ClassesById& classes, FitStop& stop, TauScan& scan) {
        double most = 0;
        const auto accuracy = [&](const ModelOptions& tried, const FitProgress& of_tau) {
            Fitted fit = streamed(engine_options(options_, tried, table_), stop, part_of(of_tau, 0, 0.5));
            improve(tried, fit, part_of(of_tau, 0.5, 1));
            const double found = agreement_of(options_, fit.engine, classes).figures.accuracy;
            if (!fitted_ || (found > most && !fit.figures.stopped)) most = found, fitted_ = std::move(fit);
            return found;
        };
        scan = scan_tau(model_, accuracy, stop.progress_of("scanning " + options_.input.name()));
        fitted_->figures.stopped = stop.stopped();
        model_ = with_best_tau(model_, scan);
    }

    // Fits the model of the given options. The table then has the features of the file.
    void fit_given(FitStop& stop) {
        fitted_ = streamed(setup_, stop, stop.progress_of("clustering " + options_.input.name()));
        files::undo_scaling(unscaled_, table_);
        const std::string improving = "improving " + counted(fitted_->engine.window().size(), "point");
        if (is_refined(options_, model_) && !fitted_->figures.stopped)
            listener_.progress(improving, -1,
                               options_.iterations ? counted(*options_.iterations, "round") : "until nothing improves");
        improve(model_, *fitted_, stop.progress_of(improving));
    }

    void note_clusters() const {
        note_groups_without_shares(model_, format(), report_.tally(), listener_);
        note_empty_clusters(report_.tally(), listener_);
        note_equal_points(fitted_->figures.equal, cluster_count(model_), listener_);
        warn_of_nearly_equal_memberships(model_, report_.figures, listener_);
        if (fitted_->figures.is_cut)
            listener_.note("the improvement ended at --work " + std::to_string(options_.work) +
                           " billion multiply-adds; --work 0 goes on until nothing improves");
        if (fitted_->figures.refined) note_price_of_fairness(model_, format(), report_.figures, listener_);
    }

    files::Table table_;
    EngineOptions setup_;
    std::vector<TargetNote> warned_;
    files::FileFeatures unscaled_;
    std::optional<Fitted> fitted_;
    std::vector<Slot> slots_;  // slots of the rows of the table
    ModelReport report_;
};

}  // namespace

std::unique_ptr<FitJob> cluster_job(FitOptions options, ModelOptions model, Listener& listener) {
    return std::make_unique<ClusterJob>(std::move(options), std::move(model), listener);
}

}  // namespace fairstream::fit
