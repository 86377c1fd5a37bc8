#pragma once
/// A model that steps on snapshots, as a background task beside ingestion.
///
/// A step begins when `every` points have come since the last one began. Its result becomes visible when the next one
/// is due, whenever it finished, so outputs never depend on timing. Points that came after the snapshot carry
/// predictions, marked provisional.

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fairstream/core/detail/background_task.hpp>
#include <fairstream/core/detail/pending_change.hpp>
#include <fairstream/core/detail/session.hpp>

namespace fairstream::core {

/// A step on a snapshot, running or done. `Model` is `Clusterer` or `Scorer`.
template <class Model> struct Refresh final : BackgroundTask {
    Refresh(std::unique_ptr<Model> of, std::optional<Window> snapshot, PendingChange since)
        : model(std::move(of)), window(std::move(snapshot)), change(std::move(since)) {}

    void work() override {
        WorkBudget budget(limit);
        model->step(*window, change.view(window->size()), report, WorkHandle(budget));
        spent = budget.spent();
    }

    std::unique_ptr<Model> model;  // the model before the step; after the step, the stepped model
    std::optional<Window> window;  // the snapshot; empty if the step was done before a load
    PendingChange change;
    StepReport<typename Model::Output> report;
    std::uint64_t limit = no_work_limit, spent = 0;  // work in multiply-adds
};

template <class Model> class ScheduledSession final : public SessionOf<Model> {
public:
    using SessionOf<Model>::SessionOf;
    using Output = typename Model::Output;

    // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): overrides a dependent base's destructor.
    ~ScheduledSession() override {
        if (refresh_) refresh_->end();
    }

    [[nodiscard]] std::span<const Output> visible() const override { return visible_; }

    void ingest(const BatchContext& context, ModelUpdate& update) override {
        begin_event();
        pending_.add(context.change, context.window);
        exchange_outputs(context.window, context.change);
        points_since_step_ += context.points;
        if (points_since_step_ >= this->schedule().every) update.stepped = begin_due_step(context) || update.stepped;
        list_visible_changes(context.window, context.change, update);
    }

    void remove(const BatchContext& context, ModelUpdate& update) override {
        begin_event();
        pending_.add(context.change, context.window);
        exchange_outputs(context.window, context.change);
        finish_step(context.window, context.background_work);
        context.arenas.run([&] { catch_up(context.window, context.work); });
        set_all_visible(context.window, context.change, update);
    }

    /// Steps the model on the present window, refines it and shows the result at once; the next step begins `every`
    /// points later. Waits for a running step under any schedule, because the result of that step is refined.
    void refine(const Window& window, std::int64_t rounds, Arenas& arenas, const WorkHandle& work,
                std::uint64_t& background_work, ModelUpdate& update) override {
        begin_event();
        finish_step(window, background_work);
        constexpr double behind = 0.5;  // share of the work for the step that brings the model up to date
        arenas.run([&] {
            {
                WorkShares shares(work, 2);
                catch_up(window, shares[0].part(0, behind));
            }
            this->model_->refine(window, rounds, this->report_, work.part(behind, 1));
        });
        set_all_visible(window, {}, update);
    }
    /// Sets the options of the next step; a running step keeps the options it began with.
    void change_options(const ModelOptions& options, const Window&, const WorkHandle&, ModelUpdate& update) override {
        this->model_->set_options(options);
        this->measure_again(update);
    }

    /// A running step goes on in the measure that it began with; its result is converted when it is taken over.
    void re_express(const Window& window, const MeasureChange& change) override {
        this->model_->re_express(change);
        pending_.re_express(change);
        if (refresh_) measure_change_since_step_.compose_with(change);
        this->fairness_.re_express(window, visible_, change);
    }

    void save(StateWriter& writer) const override {
        this->save_common(writer);
        writer(10, points_since_step_);
        writer(11, visible_);
        writer(12, provisional_);
        this->fairness_.save(writer, 13);
        writer(14, pending_);
        for (const VisibleRows& rows : this->rows_) rows.save(writer);
        writer(15, refresh_ != nullptr);
        if (!refresh_) return;
        refresh_->finish();
        refresh_->model->save_state(writer, 16);
        writer(17, refresh_->report.solve);
        writer(20, refresh_->spent);
        if (!measure_change_since_step_.empty()) writer(18, measure_change_since_step_);
    }
    void load(StateReader& reader, const Window& window) override {
        this->load_common(reader, window.format());
        reader(10, points_since_step_);
        reader(11, visible_);
        reader(12, provisional_);
        this->fairness_.load(reader, 13);
        reader(14, pending_);
        for (VisibleRows& rows : this->rows_) rows.load(reader, window);
        if (visible_.size() != window.size() || provisional_.size() != window.size())
            StateReader::fail("the visible outputs do not match the window");
        this->fairness_.verify(window, visible_);
        if (std::ranges::any_of(provisional_, [](std::uint8_t mark) { return mark > 1; }))
            StateReader::fail("the mark of a provisional output is neither 0 nor 1");
        bool begun = false;
        reader(15, begun);
        const Window at_last_step = pending_.window_before(window);
        this->fairness_.finish_changes(*this->model_, window, visible_);
        if (!begun) return this->model_->verify(at_last_step);
        // The window of the visible state no longer exists. Predictions read only the parts of the state that are
        // verified without it.
        this->model_->verify(window.format());
        refresh_ = refresh_of(fresh_model(window), std::nullopt, {});
        // No task runs: the destructor must not wait for one, not even after a failure below.
        refresh_->mark_done();
        refresh_->model->load_state(reader, 16);
        reader(17, refresh_->report.solve);
        this->check_solve(refresh_->report.solve);
        if (reader.has(20)) reader(20, refresh_->spent);
        if (reader.has(18)) load_change(reader, window);
        verify_refreshed(window, at_last_step);
        this->fairness_.verify_outputs(refresh_->model->outputs(), at_last_step.size());
    }

private:
    void load_change(StateReader& reader, const Window& window) {
        reader(18, measure_change_since_step_);
        const auto in_range = [](double x) { return std::abs(x) <= 1e100; };
        const auto is_factor = [](double x) { return x >= 1e-100 && x <= 1e100; };
        const std::size_t d = measure_change_since_step_.changes_features() ? window.dimensions() : 0;
        if (measure_change_since_step_.factors.size() != d || measure_change_since_step_.shifts.size() != d ||
            !std::ranges::all_of(measure_change_since_step_.factors, is_factor) ||
            !std::ranges::all_of(measure_change_since_step_.shifts, in_range) ||
            !(measure_change_since_step_.weight_factor > 0))
            StateReader::fail("the change of the prepared scale since the last step is impossible");
    }

    // Waits for the running step, if any, and takes over its result.
    void finish_step(const Window& window, std::uint64_t& background_work) {
        if (!refresh_) return;
        take_over(window);
        background_work += refresh_->spent;
        refresh_.reset();
    }
    // Steps the model on the window itself; the next step on a snapshot begins `every` points later.
    void catch_up(const Window& window, const WorkHandle& work) {
        PendingChange pending = std::exchange(pending_, {});
        points_since_step_ = 0;
        this->model_->step(window, pending.view(window.size()), this->report_, work);
    }
    // Makes all outputs of a model visible; the model must be up to date with the window.
    void set_all_visible(const Window& window, const WindowChange& change, ModelUpdate& update) {
        const std::span<const Output> outputs = this->model_->outputs();
        for (Slot slot = 0; slot < window.size(); ++slot) set_visible_and_note(slot, outputs[slot], false, window);
        for (VisibleRows& rows : this->rows_) rows.follow(*this->model_, window);
        update.stepped = true;
        list_visible_changes(window, change, update);
    }

    // Removes the outputs of evicted points, and predicts the outputs of new points. Points that moved to another slot
    // keep their outputs.
    void exchange_outputs(const Window& window, const WindowChange& change) {
        const std::size_t a = window.attributes(), held = change.occupied_count(window.size());
        if (visible_.size() < window.size()) {
            visible_.resize(window.size(), absent<Output>());
            provisional_.resize(window.size(), 0);
        }
        std::vector<std::pair<Output, std::uint8_t>> carried;
        for (const SlotMove& move : change.moved) carried.emplace_back(visible_[move.from], provisional_[move.from]);
        predict_slots(window, change.written.first(held));
        for (std::size_t i = 0; i < change.written.size(); ++i) {
            const Slot slot = change.written[i];
            note(slot);
            this->fairness_.remove(visible_[slot], change.replaced.groups.data() + i * a,
                                   change.replaced.weights.empty() ? 1 : change.replaced.weights[i]);
            visible_[slot] = absent<Output>();
            if (i < held) set_visible(slot, predicted_[i], true, window);
        }
        for (std::size_t i = 0; i < carried.size(); ++i)
            set_visible(change.moved[i].to, carried[i].first, carried[i].second != 0, window);
        visible_.resize(window.size());
        provisional_.resize(window.size());
        for (VisibleRows& rows : this->rows_) rows.exchange(*this->model_, window, change, features_);
    }

    // Predicts the points in `slots` in one call, into `predicted_`.
    void predict_slots(const Window& window, std::span<const Slot> slots) {
        features_.clear();
        groups_.clear();
        for (const Slot slot : slots)
            features_.insert(features_.end(), window.features(slot), window.features(slot) + window.dimensions());
        if (this->model_->needs_groups())
            for (const Slot slot : slots)
                groups_.insert(groups_.end(), window.groups(slot), window.groups(slot) + window.attributes());
        predicted_.resize(slots.size());
        this->model_->predict(features_, groups_, predicted_);
    }
    void begin_event() {
        journal_.clear();
        before_.clear();
        for (VisibleRows& rows : this->rows_) rows.begin();
    }
    void note(Slot slot) {
        if (journal_.insert(slot)) before_.push_back(visible_[slot]);
    }
    void set_visible(Slot slot, Output output, bool provisional, const Window& window) {
        this->fairness_.remove(visible_[slot], window.groups(slot), window.weight(slot));
        this->fairness_.add(output, window.groups(slot), window.weight(slot));
        visible_[slot] = output;
        provisional_[slot] = provisional;
    }
    // Lists the changes of the outputs in the journalled slots.
    void list_visible_changes(const Window& window, const WindowChange& change, ModelUpdate& update) {
        list_changes(window, change, {journal_.slots(), before_}, visible_, provisional_, this->report_,
                     this->model_->churn_rule());
        this->fairness_.finish_changes(*this->model_, window, visible_);
        this->fill(window, update);
    }

    // Begins the step that is due, unless it is skipped. Returns whether the previous step became visible.
    bool begin_due_step(const BatchContext& context) {
        points_since_step_ = 0;
        if (refresh_ && this->schedule().when_busy == WhenBusy::skip) {
            const bool skipped =
                context.replayed ? repeated_decision(*context.replayed, context.index) : !refresh_->done();
            context.decisions.push_back({context.index, skipped});
            if (skipped) return false;
        }
        const bool shows = refresh_ != nullptr;
        if (shows) {
            take_over(context.window);
            context.background_work += refresh_->spent;
        }
        refresh_ = make_refresh(context.window, std::exchange(pending_, {}));
        refresh_->limit = context.background_limit;
        measure_change_since_step_ = {};
        // Shared ownership: the task may still be notifying waiters after they saw that it is done.
        context.arenas.begin(refresh_);
        return shows;
    }

    [[nodiscard]] bool repeated_decision(std::span<const Decision> replayed, std::uint32_t index) const {
        for (const Decision& decision : replayed)
            if (decision.model == index) return decision.skipped;
        throw InvalidInput(Reason::bad_state, "the recording does not say whether the step of model " + this->name() +
                                                  " at this event was skipped");
    }

    static std::shared_ptr<Refresh<Model>> refresh_of(std::unique_ptr<Model> model, std::optional<Window> window,
                                                      PendingChange change) {
        return std::make_shared<Refresh<Model>>(std::move(model), std::move(window), std::move(change));
    }
    std::shared_ptr<Refresh<Model>> make_refresh(std::optional<Window> window, PendingChange change) const {
        // The copy shares the workspace: only one step runs at a time, and its computations on the window serve the
        // next step.
        return refresh_of(this->model_->copy(), std::move(window), std::move(change));
    }
    // Returns a fresh model to load a state into, so that fields missing from the bytes have their defaults.
    std::unique_ptr<Model> fresh_model(const Window& window) const {
        return std::get<std::unique_ptr<Model>>(this->kind().start(this->model_->options(), window));
    }
    // Verifies the state of the step that was begun, as it will be when it is taken over.
    void verify_refreshed(const Window& window, const Window& at_last_step) const {
        const Model& refreshed = *refresh_->model;
        if (measure_change_since_step_.empty()) return refreshed.verify(at_last_step);
        refreshed.verify(window.format());
        const std::unique_ptr<Model> re_expressed = refreshed.copy();
        re_expressed->re_express(measure_change_since_step_);
        re_expressed->verify(at_last_step);
    }

    // Makes the finished step visible. Points newer than its snapshot are predicted again from its state.
    void take_over(const Window& window) {
        refresh_->finish();
        this->model_->take_state(*refresh_->model);
        if (!measure_change_since_step_.empty()) this->model_->re_express(measure_change_since_step_);
        measure_change_since_step_ = {};
        this->report_.solve = refresh_->report.solve;
        const std::span<const Output> settled = this->model_->outputs();
        fresh_.clear();
        for (Slot slot = 0; slot < window.size(); ++slot) {
            const std::optional<Slot> origin = pending_.origin(slot);
            if (!origin || *origin >= settled.size())
                fresh_.push_back(slot);
            else
                set_visible_and_note(slot, settled[*origin], false, window);
        }
        predict_slots(window, fresh_);
        for (std::size_t i = 0; i < fresh_.size(); ++i) set_visible_and_note(fresh_[i], predicted_[i], true, window);
        for (VisibleRows& rows : this->rows_)
            rows.take_over(
                *this->model_, window, [&](Slot slot) { return pending_.origin(slot); }, fresh_, features_);
        this->fairness_.recount(window, visible_);
    }
    void set_visible_and_note(Slot slot, Output output, bool provisional, const Window& window) {
        if (output != visible_[slot]) note(slot);
        set_visible(slot, output, provisional, window);
    }

    std::uint64_t points_since_step_ = 0;      // points since the last step began
    std::vector<Output> visible_;              // by slot
    std::vector<std::uint8_t> provisional_;    // by slot
    PendingChange pending_;                    // change of the window since the last step began
    std::shared_ptr<Refresh<Model>> refresh_;  // the last step begun; kept until the next one is due
    MeasureChange measure_change_since_step_;  // change of measures since the last step began
    SlotSet journal_;                          // slots whose output may change in the current event
    std::vector<Output> before_;               // outputs of the journalled slots before the event

    std::vector<Slot> fresh_;  // scratch, as the members below
    std::vector<float> features_;
    std::vector<GroupId> groups_;
    std::vector<Output> predicted_;
};

}  // namespace fairstream::core
