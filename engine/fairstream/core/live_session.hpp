#pragma once
/// A model that steps with every batch, on the window itself. Private to the engine.

#include <fairstream/core/session.hpp>

namespace fairstream::core {

// Inside a class with a member `refine` the name would hide the model's function.
template <Refinable M, class... Arguments> void refine_model(Arguments&&... arguments) {
    refine(std::forward<Arguments>(arguments)...);
}

template <OnlineModel M> class LiveSession : public Session<M> {
public:
    LiveSession(std::string name, const typename M::Options& options, const Schedule&, const Window& window)
        : Session<M>(std::move(name), options, window) {}

    [[nodiscard]] std::span<const ClusterId> labels() const { return outputs(this->state_); }
    [[nodiscard]] const FairnessTally& visible_tally() const { return tally(this->state_); }
    [[nodiscard]] double cost() const { return objective(this->state_); }

    void ingest(const BatchContext& context, ModelUpdate& update) {
        context.arenas.loops.execute(
            [&] { step(this->options_, this->state_, workspace_, context.window, context.change, this->report_); });
        this->fill(update, visible_tally(), cost());
    }

    void change_options(const typename M::Options& options, const Window& window, ModelUpdate& update) {
        this->options_ = options;
        if constexpr (Adjustable<M>) {
            adjust(this->options_, this->state_, window, this->report_);
            this->fill(update, visible_tally(), cost());
        }
    }

    /// Throws `InvalidInput` when the model cannot.
    void check_refinement() const {
        if (!Refinable<M>) throw InvalidInput(Reason::unknown_request, "model " + this->name_ + " cannot be refined");
    }
    void refine(const Window& window, std::int64_t rounds, Arenas& arenas, ModelUpdate& update) {
        if constexpr (Refinable<M>) {
            arenas.loops.execute(
                [&] { refine_model<M>(this->options_, this->state_, workspace_, window, rounds, this->report_); });
            this->fill(update, visible_tally(), cost());
        }
    }

    void save(StateWriter& writer) const { this->save_common(writer); }
    void load(StateReader& reader, const Window& window) {
        this->load_common(reader, window.format());
        verify(this->options_, this->state_, window);
    }

private:
    typename M::Workspace workspace_;
};

}  // namespace fairstream::core
