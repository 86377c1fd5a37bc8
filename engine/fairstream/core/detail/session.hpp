#pragma once
/// One model inside an engine: the common part of both kinds of schedule.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fairstream/base/archive.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/core/detail/arenas.hpp>
#include <fairstream/core/detail/visible_fairness.hpp>
#include <fairstream/core/detail/visible_rows.hpp>
#include <fairstream/core/events.hpp>
#include <fairstream/core/schedule.hpp>
#include <fairstream/core/update.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/model_kind.hpp>

namespace fairstream::core {

/// An applied batch as a session receives it.
struct BatchContext {
    const Window& window;
    const WindowChange& change;
    std::uint64_t points;  ///< points of the event, retained or not; 0 if the event was late
    std::uint32_t index;   ///< index of the session in its engine
    Arenas& arenas;
    const std::optional<std::span<const Decision>>& replayed;  ///< on replay, the decisions to repeat
    std::vector<Decision>& decisions;                          ///< decisions taken are appended
    WorkHandle work;                                           ///< bounds a step that the event waits for
    std::uint64_t limit;  ///< bound of a background improvement, which an event may wait for; in multiply-adds
    std::uint64_t background_limit;  ///< bound of a background step, in multiply-adds
    std::uint64_t& background_work;  ///< increased by background work whose results become visible
};

/// A model that runs in an engine, under its name and on its schedule.
class Session {
public:
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    virtual ~Session() = default;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const Schedule& schedule() const noexcept { return schedule_; }
    [[nodiscard]] virtual const ModelOptions& options() const noexcept = 0;
    [[nodiscard]] const ModelKind& kind() const noexcept { return options().kind(); }

    /// Sets the present figures; scores get no confidence intervals.
    virtual void describe(ModelFigures& figures) const = 0;
    /// Returns a function that computes, on any thread, the confidence intervals of the figures that `describe` sets
    /// now; null if they have none.
    [[nodiscard]] virtual LateIntervals intervals() const = 0;

    /// Returns an empty list of changes for the model's kind of output.
    [[nodiscard]] virtual OutputChanges no_changes() const = 0;
    /// Returns the visible rows by slot, n x k; empty if the model has none of this kind.
    [[nodiscard]] virtual std::span<const float> rows(RowKind kind) const = 0;

    virtual void ingest(const BatchContext& context, ModelUpdate& update) = 0;
    /// Takes in a change that removes points, and keeps nothing of them. A background step or improvement whose
    /// snapshot has these points is either dropped, or waited for and followed by a step without them.
    virtual void remove(const BatchContext& context, ModelUpdate& update) = 0;
    /// Converts the state to a new measure, which the points of `window` already have. Called before a batch is
    /// ingested.
    virtual void re_express(const Window& window, const MeasureChange& change) = 0;
    /// Changes the options to those that `changed_options` returned.
    virtual void change_options(const ModelOptions& options, const Window& window, const WorkHandle& work,
                                ModelUpdate& update) = 0;
    /// Refines the model, whose kind must allow it. `background_work` as in `BatchContext`.
    virtual void refine(const Window& window, std::int64_t rounds, Arenas& arenas, const WorkHandle& work,
                        std::uint64_t& background_work, ModelUpdate& update) = 0;
    /// Sets the churn of an event taken in by pieces, from its net changes in `update`; `stayed` are the points
    /// retained before and after the event.
    virtual void set_churn(const std::unordered_set<PointId>& stayed, ModelUpdate& update) = 0;

    virtual void save(StateWriter& writer) const = 0;
    /// Throws `InvalidInput` (bad_state) if the bytes are impossible for these options and this window.
    virtual void load(StateReader& reader, const Window& window) = 0;

    /// Returns the options with one changed; throws `InvalidInput` if the change is not valid.
    [[nodiscard]] ModelOptions changed_options(const KnobChange& knob, const StreamFormat& format) const;
    /// Returns the estimated work of a batch of this many points under these options.
    [[nodiscard]] WorkEstimate work_of_batch(const ModelOptions& options, const StreamFormat& format,
                                             std::uint64_t points, std::uint64_t retained) const;
    /// Throws `InvalidInput` if the model cannot be refined.
    void require_refinable() const;

protected:
    Session(std::string name, const Schedule& schedule) : name_(std::move(name)), schedule_(schedule) {}

    /// Return the options as one text, and read such a text. Throws `InvalidInput` (bad_state) if an option that cannot
    /// change while running differs from its value at the start.
    [[nodiscard]] static std::string options_text(const ModelOptions& options);
    [[nodiscard]] ModelOptions saved_options(const std::string& text, const StreamFormat& format) const;
    static void check_solve(const Solve& solve);

private:
    std::string name_;
    Schedule schedule_;
};

/// Returns a session of a model: one that steps with every batch, or one that steps on snapshots, by the schedule.
[[nodiscard]] std::unique_ptr<Session> make_session(const std::string& name, const ModelOptions& options,
                                                    const Schedule& schedule, const Window& window);

/// A session of a model with one kind of output: `Model` is `Clusterer`, `Scorer` or `Monitor`.
template <class Model> class SessionOf : public Session {
public:
    using Output = typename Model::Output;

    SessionOf(std::string name, const Schedule& schedule, std::unique_ptr<Model> model, const StreamFormat& format)
        : Session(std::move(name), schedule),
          model_(std::move(model)),
          fairness_(*model_, format),
          rows_(visible_rows(model_->options())) {}

    [[nodiscard]] const ModelOptions& options() const noexcept final { return model_->options(); }
    [[nodiscard]] const Model& model() const noexcept { return *model_; }
    /// Returns the visible outputs by slot.
    [[nodiscard]] virtual std::span<const Output> visible() const = 0;
    [[nodiscard]] OutputChanges no_changes() const final { return Changes<Output>(); }
    [[nodiscard]] std::span<const float> rows(RowKind kind) const final {
        const auto found = std::ranges::find(rows_, kind, &VisibleRows::kind);
        return found == rows_.end() ? std::span<const float>() : found->rows();
    }

    void describe(ModelFigures& figures) const final {
        figures.model = name();
        figures.solve = report_.solve;
        figures.cost = model_->objective();
        figures.churn = report_.churn;
        fairness_.show(figures.fairness);
        figures.front = model_->front();
        if (report_.solve.outcome == Outcome::warming)
            figures.figures.clear();
        else
            figures.figures = model_->figures();
    }
    [[nodiscard]] LateIntervals intervals() const final { return fairness_.intervals(*model_); }
    void set_churn(const std::unordered_set<PointId>& stayed, ModelUpdate& update) final {
        const auto& changes = std::get<Changes<Output>>(update.changes);
        const ChurnRule<Output> rule = model_->churn_rule();
        std::int64_t count = 0;
        for (std::size_t i = 0; i < changes.ids.size(); ++i)
            count += rule.counts(changes.before[i], changes.after[i]) && stayed.contains(changes.ids[i]);
        report_.churn = stayed.empty() ? 0 : static_cast<double>(count) / static_cast<double>(stayed.size());
        update.churn = report_.churn;
    }

protected:
    void save_common(StateWriter& writer) const {
        writer(1, options_text(options()));
        model_->save_state(writer, 2);
        writer(3, report_.solve);
        writer(4, report_.churn);
    }
    void load_common(StateReader& reader, const StreamFormat& format) {
        std::string text;
        reader(1, text);
        model_->set_options(saved_options(text, format));
        model_->load_state(reader, 2);
        reader(3, report_.solve);
        reader(4, report_.churn);
        check_solve(report_.solve);
        if constexpr (std::same_as<Model, Scorer>) network_version_ = model_->network_version();
    }
    /// Moves the changes and figures into `update`, whose changes are of this kind of output; buffers are swapped for
    /// reuse.
    void fill(const Window& window, ModelUpdate& update) {
        describe(update);
        for (const VisibleRows& rows : rows_) rows.list(window, update.rows_of[rows.kind()]);
        note_network(update);
        update.changed = true;
        std::swap(std::get<Changes<Output>>(update.changes), report_.changes);
    }
    /// Measures fairness again after a change of options, which changes no output but may change the figures.
    void measure_again(ModelUpdate& update) {
        if (fairness_.measure_again(*model_)) update.changed = update.stepped = true;
        fairness_.show(update.fairness);
    }

    std::unique_ptr<Model> model_;
    StepReport<Output> report_;
    VisibleFairness<Model> fairness_;
    std::vector<VisibleRows> rows_;  // one per kind of rows that the model gives

private:
    // Sets in `update`, for the event as a whole, whether the network that predicts has changed.
    void note_network([[maybe_unused]] ModelUpdate& update) {
        if constexpr (std::same_as<Model, Scorer>) {
            const std::uint64_t version = model_->network_version();
            update.network_changed = update.network_changed || version != network_version_;
            network_version_ = version;
        }
    }

    std::uint64_t network_version_ = 0;
};

}  // namespace fairstream::core
