#pragma once
/// The engine: a deterministic state machine over a numbered sequence of events.
///
/// The same options and events give the same updates and the same saved bytes, at any number of threads, interrupted by
/// save and load or not, for one binary on one CPU level (`cpu_level`). The engine reads no clock, file or environment
/// and prints nothing. Calls are serialised by the owner; const functions may run beside each other.

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

#include <fairstream/base/run_beside.hpp>
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
    std::string name;  ///< unique, [a-z0-9_-]{1,64}; topics and requests use it
    ModelOptions options;
    Schedule schedule;
    bool operator==(const ModelSetup&) const = default;
};

/// Times `EngineOptions::step_work_limit` that a step beside the stream (`Schedule::every`) may take.
inline constexpr std::uint64_t work_beside_stream = 10;

struct EngineOptions {
    StreamFormat format;  ///< of the points as they come
    WindowOptions window;
    std::vector<ModelSetup> models;  ///< at least one
    /// Largest estimate of the work of one event, in multiply-adds (`WorkEstimate`); a core does some billions a
    /// second, so by default none takes longer than some minutes. Decides which events are refused, and nothing of what
    /// becomes of the others: it is not part of `canonical_text`.
    std::uint64_t event_work_limit = 300'000'000'000;
    PrepareOptions prepare = {};  ///< how the features of the points are prepared for the models
    /// Multiply-adds, as they are counted while it works, after which what an event waits for ends with the best there
    /// is, at least 1; about a second of one core by default. Models that an event steps share it. A step beside the
    /// stream may take `work_beside_stream` times as much, an improvement beside it as much as an event. What must be
    /// done for the outputs to be sound, such as labels for all points, is done in any case. Part of `canonical_text`,
    /// but where it is `no_work_limit`, as in recordings from before it existed.
    std::uint64_t step_work_limit = 2'000'000'000;
    bool operator==(const EngineOptions&) const = default;
};

/// Throws `InvalidInput` naming the first option that breaks a rule, or with which a step is above `event_work_limit`.
void check(const EngineOptions& options);
/// One line "name = value" per option, in a fixed order; equal text means equal options.
[[nodiscard]] std::string canonical_text(const EngineOptions& options);

/// An event that `Engine::check` let pass, for `Engine::ingest` to take in without checking it again. It refers to the
/// event, which must stay as it is, and is of use until the engine takes in another.
class CheckedEvent {
public:
    [[nodiscard]] const Event& event() const noexcept { return *event_; }

private:
    friend class Engine;
    CheckedEvent(const Event& event, const void* engine, Sequence after)
        : event_(&event), engine_(engine), after_(after) {}
    const Event* event_;
    const void* engine_;  // who checked it
    Sequence after_;      // the event before
};

class Answers;

class Engine {
public:
    /// Throws `InvalidInput`. `threads` bounds the tasks of this engine (0: as many as TBB has workers); results do not
    /// depend on it. `run_beside` gets the tasks of models that work beside ingestion.
    explicit Engine(EngineOptions options, int threads = 0, RunBeside run_beside = {});
    ~Engine();
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;

    [[nodiscard]] const EngineOptions& options()
        const noexcept;  ///< as given at the start; knobs changed since show in `current_options`
    [[nodiscard]] const ModelOptions& current_options(std::string_view model) const;
    [[nodiscard]] Sequence sequence() const noexcept;  ///< of the last event taken in; 0 at the start
    /// The retained points, their features as prepared.
    [[nodiscard]] const Window& window() const noexcept;
    [[nodiscard]] const PreparationFigures& preparation() const noexcept;
    /// Returns the text that the id of a retained point stands for, valid until the next event; empty for a point that
    /// is not retained, and for a stream without text ids.
    [[nodiscard]] std::string_view id_text(PointId id) const noexcept;
    /// Returns the id of the retained point with this text, of a stream whose texts the engine numbers
    /// (`StreamFormat::numbers_texts`).
    [[nodiscard]] std::optional<PointId> id_of(std::string_view text) const;
    /// Prepares rows of features as those of an event would be now: n x d to n x window().dimensions().
    void prepare(ConstRows rows, std::span<float> out) const;

    /// Throws `InvalidInput` when `ingest` would; changes nothing. The only place that may refuse an event.
    CheckedEvent check(const Event& event) const;

    /// Takes in one event, all or nothing: throws `InvalidInput` with the state untouched. The update is valid until
    /// the next call. `decisions` are those of the same event when it was first taken in, for a replay, which is never
    /// refused for its work; without them the engine decides. Throws `Interrupted` after `interrupt`.
    const Update& ingest(const Event& event, std::optional<std::span<const Decision>> decisions = std::nullopt);
    /// Takes in an event that `check` let pass, without checking it again. Throws `std::logic_error` when another
    /// engine checked it, or this one before another event.
    const Update& ingest(const CheckedEvent& checked,
                         std::optional<std::span<const Decision>> decisions = std::nullopt);

    /// Takes points out as the event does, and is none: the engine's sequence stays as it is. For a recording that is
    /// to begin with this state as if these points had not been in it.
    void erase(const PointRemoval& removal);

    /// Ends the event that is being taken in, and steps in the background, soon and half done: this engine can then
    /// neither go on nor be saved. May be called from any thread, beside any call but those that destroy or move the
    /// engine.
    void interrupt() noexcept;

    /// Registers a function that is called with each update before `ingest` returns, in the order of registration. A
    /// listener that calls `ingest` gets `std::logic_error`.
    void on_update(std::function<void(const Update&)> listener);
    /// Registers a function that is told how far the work of an event is, by models whose steps and refinements may
    /// take long, and says whether to go on: from the threads that do the work, one call at a time. Steps in the
    /// background tell nothing. Where it says no, the event ends soon and the models keep the best they have. What the
    /// event makes then depends on when: such an engine cannot be saved any more, and no engine whose events are
    /// recorded may have a listener that ends them. Of use to a fit, which its user may end.
    void on_progress(OnProgress listener);

    // Labels are asked of clusterings, scores of models of scores or predictions; asked otherwise, a model throws
    // `InvalidInput` (unknown_request). Shapes and groups that do not fit the stream throw `InvalidInput`, too.

    /// Labels points that are not (yet) in the window. `rows` is n x d, as events have them, `out` is n. `no_cluster`
    /// while warming.
    void assign(std::string_view model, ConstRows rows, std::span<ClusterId> out) const;
    /// Labels points whose groups are known for the model's targets. Where each group that counts in the window has at
    /// least as many of them as there are clusters, they keep the targets on groups among themselves, by their own
    /// groups' rates and shares, at about the least cost for the centres as they are: as far as a search finds such
    /// labels, with O(n (k + d)) memory. Otherwise they are labelled one after another, against the retained points and
    /// those of this call before them: each gets the nearest cluster that it does not take further below a target, or
    /// the one that it takes the least further. So does a single point. Models of kind safairkm and live_front do this;
    /// others (`ModelKind::assigns_fairly`) do as `assign`. `groups` is n x the number of attributes that the model
    /// balances.
    void assign_fair(std::string_view model, ConstRows rows, std::span<const GroupId> groups,
                     std::span<ClusterId> out) const;
    /// Labels the retained points, by slot, as `assign` would: without regard to targets. `out` has window().size().
    void assign_retained(std::string_view model, std::span<ClusterId> out) const;
    /// The visible label of each slot in [0, window().size()).
    [[nodiscard]] std::span<const ClusterId> labels(std::string_view model) const;
    /// Returns the rows of numbers that a clustering gives the retained points, n x k by slot. Empty while warming. Of
    /// a model that steps beside the stream those of points that came since its last visible step are predicted. Valid
    /// until the next event. Throws `InvalidInput` (unknown_request) for a model that gives none of this kind.
    [[nodiscard]] std::span<const float> rows(std::string_view model, RowKind kind) const;
    /// Predicts the same for points that are not (yet) in the window. `features` is n x d, as events have them, `out`
    /// is n x k; zeros while warming.
    void predict_rows(std::string_view model, RowKind kind, ConstRows features, std::span<float> out) const;
    /// The rows that say how probable each cluster is (lord gives some): a row sums to 1 but for rounding, and is of
    /// the clusters before any targets moved a label.
    [[nodiscard]] std::span<const float> memberships(std::string_view model) const {
        return rows(model, RowKind::memberships);
    }
    void predict_memberships(std::string_view model, ConstRows features, std::span<float> out) const {
        predict_rows(model, RowKind::memberships, features, out);
    }
    /// Scores points that are not (yet) in the window, or predicts their targets. `rows` is n x d, `groups` is n x a as
    /// a batch has them, or empty for a model that does not need them, `out` is n. `no_score` while warming.
    void score(std::string_view model, ConstRows rows, std::span<const GroupId> groups, std::span<Score> out) const;
    /// Returns what answers such questions of points that are not in the window, as this engine does now: a copy,
    /// without the retained points, that may be asked on any thread while the engine goes on.
    [[nodiscard]] std::unique_ptr<Answers> answers(std::string_view model) const;
    /// The visible score, or prediction, of each slot in [0, window().size()).
    [[nodiscard]] std::span<const Score> scores(std::string_view model) const;
    /// Returns the network by which a model predicts, of rows as prepared; null while warming. Valid until the next
    /// event. Throws `InvalidInput` (unknown_request) for a model without one; esvd_fair has one.
    [[nodiscard]] const Network* network(std::string_view model) const;
    [[nodiscard]] ModelReport report(std::string_view model) const;
    /// Returns what gives the report as of now whenever it is called, on any thread: the intervals of scores, which
    /// take long, are worked out then.
    [[nodiscard]] std::function<ModelReport()> report_later(std::string_view model) const;

    /// Returns the whole state as bytes, waiting for steps that run. Equal states give equal bytes.
    [[nodiscard]] std::vector<std::byte> save();
    /// Returns an engine that goes on where `save` was called. Throws `InvalidInput` (bad_state) when the bytes cannot
    /// be a state of these options; the text says why. Damage that leaves a possible state is not noticed: keep a
    /// checksum beside the bytes, as a recording does.
    [[nodiscard]] static Engine load(EngineOptions options, std::span<const std::byte> bytes, int threads = 0,
                                     RunBeside run_beside = {});

private:
    struct Impl;
    explicit Engine(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream
