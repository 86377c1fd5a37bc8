#pragma once
/// What a model is: a type `M` whose members are its types and its functions, all of them static. The comments of the
/// concepts below are the contract of these functions for every model; a model's own comments only state its special
/// features.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fairstream/base/outcome.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/base/work_estimate.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/measure_change.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fairness/figure.hpp>
#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/fairness/score_tally.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/network/network.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// No output: the point has no label or number (yet), or has left the window.
template <class T> [[nodiscard]] constexpr T absent() noexcept {
    return {};
}
template <> constexpr ClusterId absent<ClusterId>() noexcept {
    return no_cluster;
}
template <> constexpr Score absent<Score>() noexcept {
    return no_score;
}

/// The output type of a model that gives points nothing, but measures all of them. `Changes` of it are always empty.
struct NoOutput {
    bool operator==(const NoOutput&) const = default;
};

/// Changed outputs, in columns. A subscriber keeps a map from id to output. It applies a change by erasing `departed`,
/// then setting `ids[i]` to `after[i]`. Each id is at most once in either list; an id in both is a point that left the
/// window and came back.
template <class T> struct Changes {
    std::vector<PointId> departed;    ///< points that left the window
    std::vector<T> departed_outputs;  ///< last outputs of the departed points
    std::vector<PointId> ids;         ///< points whose output is new or has changed
    std::vector<T> before;            ///< `absent<T>()` for a new point
    std::vector<T> after;
    std::vector<std::uint8_t> provisional;  ///< 1 if `after` is a prediction until the model's next refresh; empty:
                                            ///< none is. A prediction that the refresh confirms is not listed again

    void clear() noexcept {
        departed.clear(), departed_outputs.clear(), ids.clear(), before.clear(), after.clear(), provisional.clear();
    }
    [[nodiscard]] bool empty() const noexcept { return departed.empty() && ids.empty(); }
    bool operator==(const Changes&) const = default;
};

/// The types of outputs of models.
template <class... T> struct OutputTypes {
    using AnyChanges = std::variant<Changes<T>...>;
    template <class U> static constexpr bool have = (std::same_as<T, U> || ...);
};
using ModelOutputs = OutputTypes<ClusterId, Score, NoOutput>;

template <class T> struct StepReport {
    Changes<T> changes;
    Solve solve;
    /// Among the points retained both before and after the step, the share whose label changed, or whose score crossed
    /// the decision threshold; in [0, 1].
    double churn = 0;
};

/// One of several clusterings of the same points that a model keeps, with its options.
struct OperatingPoint {
    std::int64_t kmeans_updates = 0;  ///< n_a
    std::int64_t swaps = 0;           ///< n_b
    double balance_at_least = 0;
    double cost = 0;         ///< f1, the mean squared distance of points to their centre; 0 while warming
    double balance = 0;      ///< f2, the balance of the least balanced cluster
    bool published = false;  ///< whether its labels are the model's labels
    bool operator==(const OperatingPoint&) const = default;
};

/// A model's description of itself, for programs that show its results.
struct ModelAbout {
    std::string_view purpose = {};  ///< what the model does, in one line; empty: the usual text for its kind of output
    std::string_view cost;          ///< meaning of the objective, e.g. "mean squared distance to the cluster means"
    bool solves_window = false;     ///< a step solves for all retained points at once, however few are new
    std::string_view start = {};    ///< requirements for the start other than as many points as clusters; empty: none
    std::span<const FigureText> figures = {};  ///< all figures that `figures` can give, in its order
    std::string_view examples = {};            ///< examples of `fairstream fit`, as whole lines of help; empty: none
};

/// The use that a model of predictions makes of its network, for programs that show its results.
struct NetworkUse {
    /// A live option and a value.
    struct Setting {
        std::string_view option, value;
    };
    const Network* given = nullptr;  ///< the network of the options; null: the model trains one
    std::string training = {};       ///< how it trains one, e.g. "hidden layers 128,128, 20 epochs"
    std::size_t solved_inputs = 0;   ///< inputs of the layer that each solve computes; 0: none
    double ks_at_most = 1;           ///< target, an option of this name: largest KS distance of groups; 1: none
    /// Settings, in this order, that leave the network as given or trained, with static lifetime; empty if the model
    /// never adjusts it. Setting the last option solves again, even if its value stays.
    std::span<const Setting> unadjusted = {};
};

class ModelKind;

/// A model `M` has these types:
/// - `M::Options`: the choices of a person. Functions beside it, found by argument-dependent lookup, describe it.
///   `kind_of` returns its kind, by `kind_of_model<M>()` (model_adapter.hpp) in a separate source. `visit_options`
///   lists the options by name. `targets_of` returns the targets of a clustering that has targets. `cluster_graph`
///   (graph_clustering.hpp) clusters a graph, for a model that takes graphs.
/// - `M::State`: exactly what a warm start needs, a value; `fields(archive)` lists it; row arrays are indexed by slot.
/// - `M::Workspace`: scratch, and results that can be computed again from the window. A new one between calls changes
///   no output.
/// - `M::Output`: the output for each point, a cluster or a number, or `NoOutput`.
///
/// And these static members:
/// - `takes_weights` says whether points may have weights other than 1. If so, a point of weight 2 is the same as two
///   equal points in all outputs and figures.
/// - `check` throws `InvalidInput` (bad_option) with the option, its value and its range, unless a model with these
///   options can run on a stream of this format.
/// - `start` returns the state of a window before the first step.
/// - `verify` throws `InvalidInput` (bad_state) for a loaded state that breaks an invariant, so that damaged bytes
///   never reach a step. With a format it checks the parts that do not depend on the points, on which `predict`,
///   `objective` and `tally` rely. With a window there must also be an output for each of its points.
/// - `step` takes in a change of the window, all or nothing: it validates and reserves first, so that nothing throws
///   once the state has changed. So does `refine`. Until there are enough points to start, a step ends with
///   `Outcome::warming`: outputs are absent, the objective is 0, and there are no figures. Members of `Solve` that a
///   model does not have, such as `moves`, are 0. If `step`, `refine` or `adjust` may take long, it takes a
///   `WorkHandle` (work_handle.hpp) after the report, and reports every round to it. If the work is ended, the function
///   ends as at its limit of rounds, with a valid state and the best outputs so far. It also counts its work in the
///   handle, once a block or a round, and asks the budget only where `WorkBudget` allows it.
/// - `re_express` converts the state to another measure before the next step, which finds the window's points in that
///   measure, and the replaced points, too. Kept features, such as centres, are converted at once, so that `predict` is
///   right immediately. Sums over points are computed again by that step.
/// - `objective` returns the value that the last step minimised, as `about.cost` describes it.
/// - `step_work` estimates the work of a step from the numbers of new and of retained points.
// clang-format off
template <class M>
concept OnlineModel =
    ModelOutputs::have<typename M::Output> &&
    std::copyable<typename M::State> &&
    std::equality_comparable<typename M::State> &&
    std::equality_comparable<typename M::Options> &&
    std::default_initializable<typename M::Workspace> &&
    requires(const typename M::Options& options, typename M::State& state, const typename M::State& frozen,
             typename M::Workspace& workspace, const Window& window, const WindowChange& change,
             StepReport<typename M::Output>& report, std::uint64_t new_points, std::uint64_t retained,
             const MeasureChange& measure) {
    { kind_of(options) } -> std::same_as<const ModelKind&>;
    { M::name } -> std::convertible_to<std::string_view>;
    { M::about } -> std::same_as<const ModelAbout&>;
    { M::takes_weights } -> std::convertible_to<bool>;
    M::check(options, window.format());
    { M::start(options, window) } -> std::same_as<typename M::State>;
    M::verify(options, frozen, window.format());
    M::verify(options, frozen, window);
    M::step(options, state, workspace, window, change, report);
    M::re_express(options, state, measure);
    { M::objective(frozen) } -> std::same_as<double>;
    { M::step_work(options, window.format(), new_points, retained) } -> std::same_as<WorkEstimate>;
};
// clang-format on

/// A model that gives each point an output.
template <class M>
concept GivesOutputs = OnlineModel<M> && requires(const typename M::State& frozen) {
    { M::outputs(frozen) } -> std::same_as<std::span<const typename M::Output>>;  // by slot, [0, window.size())
};

/// A model that measures the predictions that points of the window carry, and gives the points nothing. It steps with
/// every event; schedules do not apply to it. `measure` receives the weight in the window of a point of weight 1 that
/// comes now.
template <class M>
concept MonitoringModel = OnlineModel<M> && std::same_as<typename M::Output, NoOutput> &&
    requires(const typename M::Options& options, const typename M::State& frozen, const StreamFormat& format,
             double weight_unit) {
    { M::measure(options, frozen, format, weight_unit) } -> std::same_as<GroupMetrics>;
};

/// A model that gives each point a cluster, in [0, cluster_count). It warms at least until there are as many points as
/// clusters. `predict` labels rows, n x d, without changing the state, and is safe from many threads. It uses the
/// present options and the state of the last step, and gives `no_cluster` while warming. `tally` is of the labels, by
/// all attributes. `centres` are means of the clusters' features, zeros for a cluster without points.
template <class M>
concept ClusteringModel = GivesOutputs<M> && std::same_as<typename M::Output, ClusterId> &&
    requires(const typename M::Options& options, const typename M::State& frozen, ConstRows rows,
             std::span<ClusterId> out) {
    M::predict(options, frozen, rows, out);
    { M::cluster_count(options) } -> std::convertible_to<std::int64_t>;
    { M::tally(frozen) } -> std::same_as<const FairnessTally&>;
    { M::centres(frozen) } -> std::same_as<std::span<const float>>;  // k x d, row by row; empty while warming
};

/// A model that gives the probability of each of its clusters for a point: in [0, 1], with a sum of 1 over the clusters
/// up to rounding. `memberships` are those of the retained points, n x k by slot, empty while warming.
/// `predict_memberships` computes those of new points, n x k, zeros while warming.
template <class M>
concept HasMemberships = ClusteringModel<M> &&
    requires(const typename M::Options& options, const typename M::State& frozen, ConstRows rows,
             std::span<float> out) {
    { M::memberships(options, frozen) } -> std::same_as<Matrix>;
    M::predict_memberships(options, frozen, rows, out);
};

/// A model that gives each point a number, finite, or `no_score` while warming. Its groups are those of one protected
/// attribute, `score_attribute`, which cannot change while it runs. `predict` works as for a clustering, but also takes
/// the groups of all attributes, n x a as in a batch, or none if `needs_groups` is false.
template <class M>
concept NumberModel = GivesOutputs<M> && std::same_as<typename M::Output, Score> &&
    requires(const typename M::Options& options, const typename M::State& frozen, ConstRows rows,
             std::span<const GroupId> groups, std::span<Score> out) {
    M::predict(options, frozen, rows, groups, out);
    { M::needs_groups(options) } -> std::same_as<bool>;
    { M::score_attribute(options) } -> std::same_as<int>;
};

/// A model whose numbers are scores of a class, learned from targets: a point is positive if its target is above 0.
/// `measure` receives the visible scores by group.
template <class M>
concept ScoringModel = NumberModel<M> && requires(const typename M::Options& options, const ScoreTally& settled) {
    { M::decision_threshold(options) } -> std::same_as<double>;  // a score above it is a positive decision
    { M::measure(options, settled) } -> std::same_as<ScoreFairness>;
};

/// A model whose numbers are predictions of the targets by a network, which may change from step to step.
template <class M>
concept PredictingModel = NumberModel<M> &&
    requires(const typename M::Options& options, const typename M::State& frozen) {
    { M::network_use(options) } -> std::same_as<NetworkUse>;        // borrows from the options
    { M::network(frozen) } -> std::same_as<const Network*>;         // null while warming
    { M::network_version(frozen) } -> std::same_as<std::uint64_t>;  // differs between networks
};

/// A model of scores whose figures have confidence intervals. They cost more than the figures and are computed on
/// demand; `measured` is the result of `measure` for the same scores. Empty if they would cost too much.
template <class M>
concept HasScoreIntervals = ScoringModel<M> &&
    requires(const typename M::Options& options, const ScoreFairness& measured, const ScoreTally& settled) {
    { M::intervals(options, measured, settled) } -> std::same_as<std::optional<ScoreIntervals>>;
};

/// A model that can continue to improve on the retained points, without new points: for `rounds` rounds, or with 0 as
/// far as possible. `refine_work` estimates the work.
template <class M>
concept Refinable = OnlineModel<M> &&
    requires(const typename M::Options& options, typename M::State& state, typename M::Workspace& workspace,
             const Window& window, std::int64_t rounds, StepReport<typename M::Output>& report) {
    M::refine(options, state, workspace, window, rounds, report);
    { M::refine_work(options, window.format(), rounds, std::uint64_t{}) } -> std::same_as<WorkEstimate>;
};

/// Numbers of points after which improvements of a model begin and take effect; both 0 while there are none.
struct ImprovementIntervals {
    std::uint64_t begin = 0;  ///< points from one snapshot to the next; the largest number: no snapshot for now
    std::uint64_t apply = 0;  ///< points from a snapshot to the step that applies its result, in [1, begin]
};

/// A model that improves itself in the background: `improve` works on a snapshot as a task, and a later step receives
/// its result and applies it first. `improve` is pure, and may consume `state`, a copy. `changed[slot]` is 1 if the
/// slot was written since the snapshot, otherwise 0. The result takes effect after `ImprovementIntervals::apply`
/// points, whenever it was ready, so outputs never depend on timing.
template <class M>
concept SelfImproving = OnlineModel<M> && std::default_initializable<typename M::Improvement> &&
    std::default_initializable<typename M::ImprovementMemory> &&
    requires(const typename M::Options& options, typename M::State& state, const typename M::State& frozen,
             typename M::Workspace& workspace, const Window& window, const WindowChange& change,
             const typename M::Improvement& improvement, typename M::ImprovementMemory& memory,
             std::span<const std::uint8_t> changed, StepReport<typename M::Output>& report, const WorkHandle& work) {
    { M::improvement_intervals(options, frozen, window) } -> std::same_as<ImprovementIntervals>;
    { M::improve(options, state, window, memory, work) } -> std::same_as<typename M::Improvement>;
    M::verify(options, improvement, window);
    M::step(options, state, workspace, window, change, improvement, changed, report, work);
};

/// A model that acts on changed options before the next step: its outputs may change. All or nothing, as a step.
template <class M>
concept Adjustable = OnlineModel<M> && requires(const typename M::Options& options, typename M::State& state,
                                                const Window& window, StepReport<typename M::Output>& report) {
    M::adjust(options, state, window, report);
};

/// A model that gives figures of its last step: some of `M::about.figures`, in their order.
template <class M>
concept HasFigures = OnlineModel<M> && requires(const typename M::Options& options, const typename M::State& state) {
    { M::figures(options, state) } -> std::same_as<std::vector<Figure>>;
};

/// A model that refuses some changes of live options: `check_change` throws `InvalidInput` for them.
template <class M>
concept ChecksChanges = OnlineModel<M> && requires(const typename M::Options& now, const typename M::Options& changed) {
    M::check_change(now, changed);
};

/// A clustering that also needs groups for other options than those of its targets. `group_option` returns the first
/// option that needs groups, as `first_group_option` does; "attribute" if groups are always needed.
template <class M>
concept ChoosesGroups = ClusteringModel<M> && requires(const typename M::Options& options) {
    { M::group_option(options) } -> std::same_as<std::string_view>;
};

/// A model that keeps several clusterings at once.
template <class M>
concept HasFront = OnlineModel<M> && requires(const typename M::Options& options, const typename M::State& state) {
    { M::front(options, state) } -> std::same_as<std::vector<OperatingPoint>>;
};

}  // namespace fairstream
