#pragma once
/// A model that steps with every batch, on the window itself.

#include <fairstream/core/detail/improvement_task.hpp>
#include <fairstream/core/detail/session.hpp>

namespace fairstream::core {

template <class Model> class LiveSession final : public SessionOf<Model> {
public:
    using SessionOf<Model>::SessionOf;
    using Output = typename Model::Output;

    [[nodiscard]] std::span<const Output> visible() const override { return this->model_->outputs(); }

    void ingest(const BatchContext& context, ModelUpdate& update) override {
        const ImprovementIntervals intervals = this->model_->improvement_intervals(context.window);
        if (intervals.begin == 0) {
            improvement_.drop();
            step_alone(context);
        } else {
            step_and_improve(context, intervals);
        }
        finish(context.window, update);
    }

    void remove(const BatchContext& context, ModelUpdate& update) override {
        improvement_.drop();
        step_alone(context);
        finish(context.window, update);
    }

    void re_express(const Window& window, const MeasureChange& change) override {
        // A snapshot in the former measure is of no use.
        improvement_.drop();
        this->model_->re_express(change);
        this->fairness_.re_express(window, visible(), change);
    }

    void change_options(const ModelOptions& options, const Window& window, const WorkHandle& work,
                        ModelUpdate& update) override {
        this->model_->set_options(options);
        improvement_.drop();
        if (this->model_->adjust(window, this->report_, work))
            finish(window, update);
        else
            this->measure_again(update);
    }

    void refine(const Window& window, std::int64_t rounds, Arenas& arenas, const WorkHandle& work, std::uint64_t&,
                ModelUpdate& update) override {
        arenas.run([&] { this->model_->refine(window, rounds, this->report_, work); });
        // The improvement of an older snapshot would undo the refinement.
        improvement_.drop();
        finish(window, update);
    }

    void save(StateWriter& writer) const override {
        this->save_common(writer);
        if (!improvement_.is_idle()) writer.nested(20, [&](StateWriter& inner) { improvement_.save(inner); });
    }
    void load(StateReader& reader, const Window& window) override {
        this->load_common(reader, window.format());
        this->model_->verify(window);
        if (reader.has(20)) improvement_.load(reader.nested(20), *this->model_, window);
        this->fairness_.verify_outputs(visible(), window.size());
        this->fairness_.follow(*this->model_, window);
        for (VisibleRows& rows : this->rows_) rows.follow(*this->model_, window);
    }

private:
    void step_alone(const BatchContext& context) {
        context.arenas.run([&] { this->model_->step(context.window, context.change, this->report_, context.work); });
    }
    void step_and_improve(const BatchContext& context, const ImprovementIntervals& intervals) {
        improvement_.note(context.change, context.points, context.window);
        const RunningImprovement* found = improvement_.is_due(intervals.apply) ? improvement_.take() : nullptr;
        if (found != nullptr) {
            context.arenas.run([&] {
                this->model_->step(context.window, context.change, *found, improvement_.changed(), this->report_,
                                   context.work);
            });
            context.background_work += improvement_.spent();
        } else {
            step_alone(context);
        }
        // The step may have shown that the stream has changed.
        const ImprovementIntervals next = this->model_->improvement_intervals(context.window);
        if (next.begin > 0 && improvement_.is_due(next.begin) && !improvement_.is_awaited())
            improvement_.begin(*this->model_, context.window, context.arenas, context.limit);
    }
    void finish(const Window& window, ModelUpdate& update) {
        this->fairness_.follow(*this->model_, window);
        for (VisibleRows& rows : this->rows_) {
            rows.begin();
            rows.follow(*this->model_, window);
        }
        update.stepped = true;
        this->fill(window, update);
    }

    ImprovementTask<Model> improvement_;
};

}  // namespace fairstream::core
