#pragma once
/// The engine: a deterministic state machine over a numbered sequence of events.
///
/// The same options and events give the same updates and the same saved bytes, at any number of threads, interrupted by
/// save and load or not, for one binary on one CPU level (`cpu_level`). The engine reads no clock, file or environment
/// and prints nothing. Calls are serialised by the owner; const functions may run beside each other.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fairstream/beside.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/all.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/work_done.hpp>
#include <fairstream/types.hpp>

namespace fairstream {

/// Policy for a slow model that is due again while its last step still runs.
enum class WhenBusy : std::uint8_t {
    wait,  ///< wait for it; timing never shows
    skip,  ///< go on without; the decision is part of the update and must be recorded to replay it
};

struct Schedule {
    /// 0: step with every batch, on the window itself. n > 0: step on a snapshot, as a task beside ingestion, whenever
    /// n points have arrived since the last such step; its result becomes visible when the next one is due, neither
    /// earlier nor later. Until then new points carry provisional predictions.
    std::uint64_t every = 0;
    WhenBusy when_busy = WhenBusy::wait;
    bool operator==(const Schedule&) const = default;
};

/// One model of an engine. Two models of one kind may run side by side under different names.
struct ModelSetup {
    std::string name;  ///< unique, [a-z0-9_-]{1,64}; topics and requests use it
    ModelOptions options;
    Schedule schedule;
    bool operator==(const ModelSetup&) const = default;
};

inline constexpr std::uint64_t no_work_limit = std::numeric_limits<std::uint64_t>::max();

struct EngineOptions {
    StreamFormat format;
    WindowOptions window;
    std::vector<ModelSetup> models;  ///< at least one
    /// Largest estimate of the work of one event, in multiply-adds (`WorkEstimate`); a core does some billions a
    /// second, so by default none takes longer than some minutes. Decides which events are refused, and nothing of what
    /// becomes of the others: it is not part of `canonical_text`.
    std::uint64_t event_work_limit = 300'000'000'000;
    bool operator==(const EngineOptions&) const = default;
};

/// Throws `InvalidInput` naming the first option that breaks a rule, or with which a step is above `event_work_limit`.
void check(const EngineOptions& options);
/// One line "name = value" per option, in a fixed order; equal text means equal options.
[[nodiscard]] std::string canonical_text(const EngineOptions& options);

/// An option changed while running, e.g. {"safairkm", "swaps", "8"}. Only options that `list_options` marks as live.
struct KnobChange {
    std::string model;
    std::string option;
    std::string value;
    bool operator==(const KnobChange&) const = default;
};

/// A request for further rounds on the retained points, for models that can be refined.
struct Refinement {
    std::string model;
    std::int64_t rounds = 0;  ///< 0: until neither objective improves, from the options' number of starts
    bool operator==(const Refinement&) const = default;
};

/// Forgets producers that sent no event after `last_sequence`. It concerns whoever numbers the events, and changes
/// nothing of an engine.
struct ProducerExpiry {
    Sequence last_sequence = 0;  ///< below the event's own
    bool operator==(const ProducerExpiry&) const = default;
};

using Event = std::variant<PointBatch, KnobChange, Refinement, ProducerExpiry>;

/// Decision under `WhenBusy::skip` when the next step of a model was due. Recorded, and handed back on replay.
struct Decision {
    std::uint32_t model = 0;  ///< index in `EngineOptions::models`
    bool skipped = false;     ///< the running step was left running and no new one begun
    bool operator==(const Decision&) const = default;
};

struct ModelUpdate {
    std::string_view model;      ///< its name; lives as long as the engine
    bool changed = false;        ///< whether this event stepped the model or changed any of its outputs
    Changes<ClusterId> changes;  ///< of a clustering; empty of a model of scores
    Changes<Score> scores;       ///< of a model of scores; empty of a clustering
    Solve solve;                 ///< of the last step that is visible
    double cost = 0;             ///< what the model minimises, of the step that is visible; 0 while warming
    double plain_cost = 0;       ///< what `cost` was found to be without a target, by as much effort; 0: not known
    /// Share of the points retained before and after that have another label, or a score on the other side of the
    /// decision threshold.
    double churn = 0;
    FairnessTally tally;                          ///< of the visible labels, all attributes
    std::vector<OperatingPoint> front;            ///< of a model that keeps several clusterings, in their order
    std::optional<ScoreFairness> score_fairness;  ///< of the visible scores of a model of scores
};

struct Update {
    Sequence sequence = 0;
    std::vector<ModelUpdate> models;  ///< in the order of `EngineOptions::models`
    std::vector<Decision> decisions;
};

/// Size and centre of a cluster, as the `clusters` topic and the report of a fit show.
struct ClusterSummary {
    std::int64_t size = 0;
    std::vector<float> centre;  ///< d
};

/// The present state of a model, read without stepping it.
struct ModelReport {
    std::string_view model;
    Solve solve;
    double cost = 0;
    double plain_cost = 0;  ///< as in `ModelUpdate`
    double churn = 0;
    FairnessTally tally;
    std::vector<ClusterSummary> clusters;         ///< k; empty while warming
    std::vector<OperatingPoint> front;            ///< as in `ModelUpdate`
    std::vector<Figure> figures;                  ///< of this kind of model; empty while warming
    std::optional<ScoreFairness> score_fairness;  ///< as in `ModelUpdate`
};

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
    [[nodiscard]] const Window& window() const noexcept;

    /// Throws `InvalidInput` when `ingest` would; changes nothing. The only place that may refuse an event.
    void check(const Event& event) const;

    /// Takes in one event, all or nothing: throws `InvalidInput` with the state untouched. The update is valid until
    /// the next call. `decisions` are those of the same event when it was first taken in, for a replay, which is never
    /// refused for its work; without them the engine decides. Throws `Interrupted` after `interrupt`.
    const Update& ingest(const Event& event, std::optional<std::span<const Decision>> decisions = std::nullopt);

    /// Ends the event that is being taken in, and steps in the background, soon and half done: this engine can then
    /// neither go on nor be saved. May be called from any thread, beside any call but those that destroy or move the
    /// engine.
    void interrupt() noexcept;

    /// Registers a function that is called with each update before `ingest` returns, in the order of registration. A
    /// listener that calls `ingest` gets `std::logic_error`.
    void on_update(std::function<void(const Update&)> listener);
    /// Registers a function that is told the share done of a refinement without a number of rounds, by models that know
    /// it (safairkm): from the threads that do the work, one call at a time. It may neither throw nor call the engine.
    void on_progress(OnProgress listener);

    // Labels are asked of clusterings, scores of models of scores; asked otherwise, a model throws `InvalidInput`
    // (unknown_request). Shapes and groups that do not fit the stream throw `InvalidInput`, too.

    /// Labels points that are not (yet) in the window. `rows` is n x d, `out` is n. `no_cluster` while warming.
    void assign(std::string_view model, ConstRows rows, std::span<ClusterId> out) const;
    /// Labels points as `assign` does, but keeps the balance targets; `groups` is n x the number of attributes that the
    /// model balances.
    void assign_fair(std::string_view model, ConstRows rows, std::span<const GroupId> groups,
                     std::span<ClusterId> out) const;
    /// The visible label of each slot in [0, window().size()).
    [[nodiscard]] std::span<const ClusterId> labels(std::string_view model) const;
    /// Scores points that are not (yet) in the window. `rows` is n x d, `groups` is n x a as a batch has them, or empty
    /// for a model that does not need them, `out` is n. `no_score` while warming.
    void score(std::string_view model, ConstRows rows, std::span<const GroupId> groups, std::span<Score> out) const;
    /// The visible score of each slot in [0, window().size()).
    [[nodiscard]] std::span<const Score> scores(std::string_view model) const;
    [[nodiscard]] ModelReport report(std::string_view model) const;

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

/// The instruction set the kernels use on this machine, e.g. "x86-64-v4": results are equal bit for bit only on equal
/// levels.
[[nodiscard]] std::string_view cpu_level() noexcept;

}  // namespace fairstream
