#pragma once
/// The engine: a deterministic state machine over a numbered sequence of events.
///
/// The same options and events give the same updates and the same saved bytes, at any number of threads and with or
/// without save and load in between. This holds for one binary on one CPU level (`cpu_level`). The engine reads no
/// clock, file or environment and prints nothing. The owner must serialise its calls; const functions may run beside
/// each other.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fairstream/base/run_in_background.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/core/events.hpp>
#include <fairstream/core/schedule.hpp>
#include <fairstream/core/update.hpp>
#include <fairstream/data/preparation.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/network/network.hpp>
#include <fairstream/numeric/cpu_level.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// One model of an engine. Two models of one kind may run side by side under different names.
struct ModelSetup {
    std::string name;  ///< unique, [a-z0-9_-]{1,64}; used in topics and requests
    ModelOptions options;
    Schedule schedule;
    bool operator==(const ModelSetup&) const = default;
};

/// A step in the background (`Schedule::every`) may do this many times the work of `EngineOptions::step_work_limit`.
inline constexpr std::uint64_t background_work_factor = 10;

struct EngineOptions {
    StreamFormat format;  ///< format of the points before they are prepared
    WindowOptions window;
    std::vector<ModelSetup> models;  ///< at least one
    /// Largest estimated work of one event, in multiply-adds (`WorkEstimate`); an event above it is refused. A core
    /// does some billions a second, so by default no event takes longer than some minutes. The limit does not change
    /// how accepted events are processed, so it is not part of `canonical_text`.
    std::uint64_t event_work_limit = 300'000'000'000;
    PrepareOptions prepare = {};  ///< how the features of the points are prepared for the models
    /// Bound on the work that an event waits for, in multiply-adds counted while it runs; at least 1, by default about
    /// a second of one core. At the bound, searches end with the best result so far. All models that step within the
    /// event share the bound. A background step may take `background_work_factor` times this bound, a background
    /// improvement at most this bound. Work without which outputs would be invalid, such as labels for all points, is
    /// always done. Part of `canonical_text`, except where it is `no_work_limit`, as in recordings older than this
    /// option.
    std::uint64_t step_work_limit = 2'000'000'000;
    bool operator==(const EngineOptions&) const = default;
};

/// Throws `InvalidInput` that names the first option out of range, or an option with which one step exceeds
/// `event_work_limit`.
void check(const EngineOptions& options);
/// Returns one line "name = value" per option, in a fixed order; equal text means equal options.
[[nodiscard]] std::string canonical_text(const EngineOptions& options);

/// An event that `Engine::check` accepted: `Engine::ingest` takes it in without a second check. Borrows the event,
/// which must not change. Valid until the engine takes in another event.
class CheckedEvent {
public:
    [[nodiscard]] const Event& event() const noexcept { return *event_; }

private:
    friend class Engine;
    CheckedEvent(const Event& event, const void* engine, Sequence after)
        : event_(&event), engine_(engine), after_(after) {}
    const Event* event_;
    const void* engine_;  // the engine that checked the event
    Sequence after_;      // number of the engine's last event before the check
};

class Answers;

class Engine {
public:
    /// Throws `InvalidInput` where `check(options)` does. `threads` bounds this engine's parallel tasks (0: as many as
    /// TBB has workers); results do not depend on it. `run_in_background` receives the tasks of models that work in the
    /// background.
    explicit Engine(EngineOptions options, int threads = 0, RunInBackground run_in_background = {});
    ~Engine();
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;

    [[nodiscard]] const EngineOptions& options()
        const noexcept;  ///< as given at the start; `current_options` has later changes
    [[nodiscard]] const ModelOptions& current_options(std::string_view model) const;
    [[nodiscard]] Sequence sequence() const noexcept;  ///< number of the last event taken in; 0 at the start
    /// Returns the retained points; their features are prepared.
    [[nodiscard]] const Window& window() const noexcept;
    [[nodiscard]] const PreparationFigures& preparation() const noexcept;
    /// Returns the text id of a retained point, valid until the next event. Empty for a point that is not retained, and
    /// for a stream without text ids.
    [[nodiscard]] std::string_view id_text(PointId id) const noexcept;
    /// Returns the id of the retained point with this text id, on a stream whose text ids the engine numbers
    /// (`StreamFormat::numbers_texts`).
    [[nodiscard]] std::optional<PointId> id_of(std::string_view text) const;
    /// Prepares rows of features, n x d, as the engine would prepare the features of an event now. `out` is n x
    /// window().dimensions().
    void prepare(ConstRows rows, std::span<float> out) const;

    /// Throws `InvalidInput` if `ingest` would refuse the event; changes nothing. Every refusal of an event is decided
    /// here.
    CheckedEvent check(const Event& event) const;

    /// Takes in one event, all or nothing: throws `InvalidInput` with the state unchanged. The update is valid until
    /// the next call. For a replay, `decisions` are those made when the event was first taken in; a replayed event is
    /// never refused for its work. Without `decisions` the engine decides. Throws `Interrupted` after `interrupt`.
    const Update& ingest(const Event& event, std::optional<std::span<const Decision>> decisions = std::nullopt);
    /// Takes in an event that `check` accepted, without a second check. Throws `std::logic_error` if another engine
    /// checked it, or if this engine took in an event since.
    const Update& ingest(const CheckedEvent& checked,
                         std::optional<std::span<const Decision>> decisions = std::nullopt);

    /// Removes points as an event would, but is no event: the sequence does not change. Meant for a recording that
    /// begins with this state and must not contain these points.
    void erase(const PointRemoval& removal);

    /// Ends the current event and background steps soon, unfinished. Afterwards this engine can neither go on nor be
    /// saved. May be called from any thread, beside any call except one that destroys or moves the engine.
    void interrupt() noexcept;

    /// Registers a function that is called with each update before `ingest` returns. Listeners are called in the order
    /// of registration; one that calls `ingest` gets `std::logic_error`.
    void on_update(std::function<void(const Update&)> listener);
    /// Registers a listener that receives the progress of an event's work and returns whether to go on. Models whose
    /// steps and refinements may take long call it from their working threads, one call at a time; background steps do
    /// not. If it returns false, the event ends soon and the models keep their best result so far. The result then
    /// depends on the time of that answer, so the engine can no longer be saved. An engine whose events are recorded
    /// must not have a listener that ends them. Meant for a fit that its user may end.
    void on_progress(OnProgress listener);

    // Clusterings give labels; models of scores or predictions give scores. The wrong question throws `InvalidInput`
    // (unknown_request). Shapes and groups that do not fit the stream also throw `InvalidInput`.

    /// Labels points that need not be in the window. `rows` is n x d, before preparation, `out` is n. Gives
    /// `no_cluster` while the model is warming.
    void assign(std::string_view model, ConstRows rows, std::span<ClusterId> out) const;
    /// Labels new points so that they meet the model's targets on groups. `groups` has the groups of the new points, n
    /// x the number of attributes that the model balances. If each group that counts in the window has at least as many
    /// new points as there are clusters, the new points are labelled together. The targets then apply among the new
    /// points themselves, measured with the rates and shares of the new points. The search looks for about the least
    /// cost at the present centres; it takes O(n (k + d)) memory and may fail to meet the targets. With fewer new
    /// points they are labelled one after another, each counted with the retained points and the earlier points of this
    /// call. A point gets the nearest cluster whose shortfall below the targets it does not increase. If there is none,
    /// it gets the cluster whose shortfall it increases least. Models of kind safairkm and live_front do this; for
    /// other kinds (`ModelKind::assigns_fairly` is false) it is `assign`.
    void assign_fair(std::string_view model, ConstRows rows, std::span<const GroupId> groups,
                     std::span<ClusterId> out) const;
    /// Labels the retained points by slot as `assign` would, without regard to targets. `out` has window().size()
    /// entries.
    void assign_retained(std::string_view model, std::span<ClusterId> out) const;
    /// Returns the visible label of each slot in [0, window().size()).
    [[nodiscard]] std::span<const ClusterId> labels(std::string_view model) const;
    /// Returns the rows of this kind that a clustering gives the retained points, n x k by slot. Empty while warming.
    /// If the model steps in the background, the rows of points newer than its last visible step are predicted. Valid
    /// until the next event. Throws `InvalidInput` (unknown_request) for a model without rows of this kind.
    [[nodiscard]] std::span<const float> rows(std::string_view model, RowKind kind) const;
    /// Predicts rows of this kind for points that need not be in the window. `features` is n x d, before preparation,
    /// `out` is n x k; zeros while warming.
    void predict_rows(std::string_view model, RowKind kind, ConstRows features, std::span<float> out) const;
    /// Returns how probable each cluster is for each retained point (lord has these). A row sums to 1 up to rounding.
    /// It describes the clusters before labels were changed to meet targets.
    [[nodiscard]] std::span<const float> memberships(std::string_view model) const {
        return rows(model, RowKind::memberships);
    }
    void predict_memberships(std::string_view model, ConstRows features, std::span<float> out) const {
        predict_rows(model, RowKind::memberships, features, out);
    }
    /// Gives scores, or predictions of targets, for points that need not be in the window. `rows` is n x d, before
    /// preparation. `groups` is n x a as in a batch, or empty for a model that does not need groups. `out` is n;
    /// `no_score` while warming.
    void score(std::string_view model, ConstRows rows, std::span<const GroupId> groups, std::span<Score> out) const;
    /// Returns a copy of the model that answers for new points as the model does now. The copy holds no retained
    /// points. It may be used on any thread while the engine goes on.
    [[nodiscard]] std::unique_ptr<Answers> answers(std::string_view model) const;
    /// Returns the visible score, or prediction, of each slot in [0, window().size()).
    [[nodiscard]] std::span<const Score> scores(std::string_view model) const;
    /// Returns the network by which a model predicts from prepared rows; null while warming. Valid until the next
    /// event. Throws `InvalidInput` (unknown_request) for a model without a network; esvd_fair has one.
    [[nodiscard]] const Network* network(std::string_view model) const;
    [[nodiscard]] ModelReport report(std::string_view model) const;
    /// Returns a function that makes the report as of now, whenever and on whichever thread it is called. The
    /// confidence intervals of scores take long and are computed in that call.
    [[nodiscard]] std::function<ModelReport()> report_later(std::string_view model) const;

    /// Returns the whole state as bytes; waits for running steps. Equal states give equal bytes.
    [[nodiscard]] std::vector<std::byte> save();
    /// Returns an engine that goes on where `save` was called. Throws `InvalidInput` (bad_state) with the reason if the
    /// bytes cannot be a state of these options. Damaged bytes that still form a possible state are not noticed: keep a
    /// checksum beside the bytes, as a recording does.
    [[nodiscard]] static Engine load(EngineOptions options, std::span<const std::byte> bytes, int threads = 0,
                                     RunInBackground run_in_background = {});

private:
    struct Impl;
    explicit Engine(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream
