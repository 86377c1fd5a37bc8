#pragma once
/// A model that steps with every batch, on the window itself.

#include <fairstream/core/detail/improvement_task.hpp>
#include <fairstream/core/detail/session.hpp>

namespace fairstream::core {

template <OnlineModel M> class LiveSession : public Session<M> {
public:
    LiveSession(std::string name, const typename M::Options& options, const Schedule&, const Window& window)
        : Session<M>(std::move(name), options, window) {}
    [[nodiscard]] static Schedule schedule() { return {}; }

    /// Outputs by slot.
    [[nodiscard]] std::span<const typename M::Output> visible() const { return outputs(this->state_); }
    /// Tally of the visible labels; empty for a model of scores.
    [[nodiscard]] const FairnessTally& visible_tally() const {
        static const FairnessTally none;
        if constexpr (ClusteringModel<M>)
            return tally(this->state_);
        else
            return none;
    }
    [[nodiscard]] double cost() const { return objective(this->state_); }

    void ingest(const BatchContext& context, ModelUpdate& update) {
        if constexpr (SelfImproving<M>)
            step_and_improve(context);
        else
            step_alone(context);
        finish(context.window, update);
    }

    void change_options(const typename M::Options& options, [[maybe_unused]] const Window& window,
                        [[maybe_unused]] ModelUpdate& update) {
        this->options_ = options;
        if constexpr (SelfImproving<M>) improvement_.drop();
        if constexpr (Adjustable<M>) {
            adjust(this->options_, this->state_, window, this->report_);
            finish(window, update);
        } else if constexpr (ScoringModel<M>) {
            this->measure_again(update);
        }
    }

    /// Returns the work of a batch of so many points under these options.
    [[nodiscard]] static WorkEstimate work_of_batch(const typename M::Options& options, const StreamFormat& format,
                                                    const Schedule&, std::uint64_t points, std::uint64_t retained) {
        return step_work(options, format, points, retained);
    }
    /// Throws `InvalidInput` when the model cannot be refined.
    void check_refinement() const { this->require_refinable(); }
    void refine(const Window& window, std::int64_t rounds, Arenas& arenas, const OnProgress& on_progress,
                ModelUpdate& update) {
        if constexpr (Refinable<M>) {
            arenas.run([&] {
                refine_model<M>(this->options_, this->state_, workspace_, window, rounds, this->report_, on_progress);
            });
            // The improvement of an older snapshot would undo the refinement.
            if constexpr (SelfImproving<M>) improvement_.drop();
            finish(window, update);
        }
    }

    void save(StateWriter& writer) const {
        this->save_common(writer);
        if constexpr (SelfImproving<M>)
            if (!improvement_.is_idle()) writer.nested(20, [&](StateWriter& inner) { improvement_.save(inner); });
    }
    void load(StateReader& reader, const Window& window) {
        this->load_common(reader, window.format());
        verify(this->options_, this->state_, window);
        if constexpr (SelfImproving<M>)
            if (reader.has(20)) improvement_.load(reader.nested(20), this->options_, window);
        if constexpr (ScoringModel<M>) {
            verify_scores(visible(), window.size());
            this->measure_scores(window, visible());
        }
    }

private:
    void step_alone(const BatchContext& context) {
        context.arenas.run(
            [&] { step(this->options_, this->state_, workspace_, context.window, context.change, this->report_); });
    }
    void step_and_improve(const BatchContext& context) requires SelfImproving<M> {
        const std::uint64_t interval = improvement_interval(this->options_, context.window);
        if (interval == 0) {
            improvement_.drop();
            return step_alone(context);
        }
        improvement_.note(context.change, context.points, context.window);
        if (!improvement_.is_due(interval)) return step_alone(context);
        if (const std::optional<typename M::Improvement> found = improvement_.take())
            context.arenas.run([&] {
                step(this->options_, this->state_, workspace_, context.window, context.change, *found,
                     improvement_.changed(), this->report_);
            });
        else
            step_alone(context);
        improvement_.begin(this->options_, this->state_, context.window, context.arenas);
    }
    void finish(const Window& window, ModelUpdate& update) {
        if constexpr (ScoringModel<M>) this->measure_scores(window, visible());
        this->fill(update, visible_tally(), cost());
    }

    typename M::Workspace workspace_;
    [[no_unique_address]] typename ImprovementOf<M>::Type improvement_;
};

}  // namespace fairstream::core
