#pragma once
/// The engine behind `Engine`: the window, the sessions of its models, and the events that change them.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fairstream/base/run_in_background.hpp>
#include <fairstream/base/work_estimate.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/core/detail/arenas.hpp>
#include <fairstream/core/detail/session.hpp>
#include <fairstream/core/events.hpp>
#include <fairstream/core/update.hpp>
#include <fairstream/data/detail/id_texts.hpp>
#include <fairstream/data/detail/preparer.hpp>
#include <fairstream/data/window.hpp>

namespace fairstream::core {

/// Returns the format of the points that models see: prepared, and with weights if weights decay.
[[nodiscard]] StreamFormat model_format(const StreamFormat& format, const PrepareOptions& prepare,
                                        const WindowOptions& window);
/// Throws `InvalidInput` unless a model with these options can run on a stream of this format.
void check_model(const std::string& name, const ModelOptions& options, const StreamFormat& format);

/// Bounds on the work of steps, in multiply-adds.
struct StepWork {
    std::uint64_t limit = no_work_limit;  ///< limit on the work of all steps that one event waits for
    std::uint64_t background_factor = 1;  ///< a background step may take this many times `limit`
};

class EngineCore {
public:
    EngineCore(const StreamFormat& format, const WindowOptions& options, int threads,
               std::uint64_t event_work_limit = no_work_limit, RunInBackground run_in_background = {},
               const PrepareOptions& prepare = {}, const StepWork& step_work = {});

    /// Adds a model; must be called before the first event.
    void add(const std::string& name, const ModelOptions& options, const Schedule& schedule);
    void on_update(std::function<void(const Update&)> listener) { listeners_.push_back(std::move(listener)); }
    void on_progress(OnProgress listener) { on_progress_ = std::move(listener); }
    /// Ends the running event and all tasks with `Interrupted`; may be called from any thread.
    void interrupt() noexcept { arenas_.interrupt(); }

    [[nodiscard]] const Window& window() const noexcept { return window_; }
    [[nodiscard]] const Preparer& preparer() const noexcept { return preparer_; }
    [[nodiscard]] const IdTexts& id_texts() const noexcept { return id_texts_; }
    [[nodiscard]] Sequence sequence() const noexcept { return sequence_; }
    /// Throws `InvalidInput` (unknown_model).
    [[nodiscard]] const Session& session(std::string_view name) const { return *sessions_[index(name)]; }

    void check_event(const Event& event) const;
    const Update& ingest(const Event& event, const std::optional<std::span<const Decision>>& decisions);
    /// Takes in an event that `check_event` accepted.
    const Update& ingest_checked(const Event& event, const std::optional<std::span<const Decision>>& decisions);

    /// Removes points without an event.
    void erase(const PointRemoval& removal);

    void save(StateWriter& writer) const;
    void load(StateReader& reader);

private:
    using Decisions = std::optional<std::span<const Decision>>;

    [[nodiscard]] std::size_t index(std::string_view name) const;
    void require_no_listener() const;
    void require_not_broken() const;
    void check_content(const Event& event) const;
    void check_content(const PointBatch& batch) const;
    void check_content(const Outcomes& outcomes) const;
    void check_content(const PointRemoval& removal) const;
    void check_ids(std::span<const PointId> ids, const TextSpan& texts, std::string_view of) const;
    void check_work(const PointBatch& batch) const;
    void check_work(const KnobChange& knob) const;
    void check_work(const ProducerExpiry&) const {}
    void check_work(const Outcomes& outcomes) const;
    void check_work(const PointRemoval& removal) const;
    void check_work(const Refinement& refinement) const;

    void apply_with_progress(const Event& event, const Decisions& decisions);
    void apply(const PointBatch& batch, const Decisions& decisions);
    void apply(const KnobChange& knob, const Decisions&);
    void apply(const Refinement& refinement, const Decisions&);
    void apply(const ProducerExpiry&, const Decisions&) {}
    void apply(const Outcomes& outcomes, const Decisions& decisions);
    void apply(const PointRemoval& removal, const Decisions& decisions);
    void apply_piece(const PointBatch& batch, const Decisions& decisions, const WorkHandle& work);
    [[nodiscard]] std::span<const PointId> ids_of(std::span<const PointId> ids, const TextSpan& texts);
    [[nodiscard]] BatchContext context(std::size_t session, const WindowChange& change, std::uint64_t points,
                                       const Decisions& decisions, const WorkHandle& work);
    [[nodiscard]] std::size_t awaited_step_count() const;
    [[nodiscard]] std::uint64_t background_limit() const;
    void renew_measures(const PointBatch& batch);
    void re_express(const MeasureChange& change);
    [[nodiscard]] std::vector<PointId> unique_retained(std::vector<PointId> ids) const;
    [[nodiscard]] std::unordered_set<PointId> still_retained(std::span<const PointId> before) const;

    StreamFormat format_;  // format of the points before preparation
    Preparer preparer_;
    IdTexts id_texts_;
    Window window_;
    Arenas arenas_;
    std::uint64_t event_work_limit_;
    StepWork step_work_;
    std::vector<std::unique_ptr<Session>> sessions_;  // after `arenas_`, in which their tasks run
    Sequence sequence_ = 0;
    Update update_;
    std::vector<std::function<void(const Update&)>> listeners_;
    OnProgress on_progress_;
    WorkHandle work_;       // work of the current event
    bool stopped_ = false;  // whether the listener ended the current event
    bool broken_ = false;
    bool is_calling_listeners_ = false;
};

}  // namespace fairstream::core
