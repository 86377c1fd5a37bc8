#pragma once
/// Online SAfairKM: k-means under group balance by alternating k-means updates and swaps.
/// S. Liu, L. N. Vicente, "A stochastic alternating balance k-means algorithm for fair clustering", Algorithms 1 and 2.
///
/// Objectives (2): f1 = mean squared distance of the points to the exact mean of their cluster, minimised;
/// f2 = smallest balance of a cluster, maximised. Where the paper takes the points nearest to the destination centre,
/// the default here takes the swap of smallest exact change of f1; `swap = nearest` and `centre_update = paper` are the
/// paper's.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::safairkm {

enum class SwapWith : std::uint8_t {
    local,   ///< swap with the cluster closest to the least balanced one: (5); under `exact_change`, with whichever
             ///< changes f1 least
    global,  ///< swap with the cluster richest in the scarce group: (4)
};
enum class Swap : std::uint8_t {
    exact_change,  ///< the pair of points whose exchange changes f1 least, exactly
    nearest,  ///< the points nearest to the destination centres (the paper, section 3). With a number of swaps as the
              ///< authors' code does it: helpful or not, and a point that was moved is no candidate in either cluster
              ///< again until one of them has no other left; costs capacity x k bytes
};
enum class CentreUpdate : std::uint8_t {
    exact,  ///< centres are the means of their members, always
    paper,  ///< only an incoming point moves a centre, by 1/N (Algorithm 2)
};

struct Model;

struct Options {
    using Model = safairkm::Model;

    int clusters = 8;  ///< k, in [1, 32767]
    /// What every cluster shall keep, in place of `swaps`. A parity that is `automatic` is 0 with `swaps`, and under
    /// the paper's swaps or centres.
    Targets targets = {};
    int kmeans_updates = 64;  ///< n_a: retained points revisited per step, in [0, 1e9]; cost O(k d) each
    int swaps = 0;  ///< n_b: swaps per step, in [0, 1e9], of the attributes in turn; cost O(k * candidates * d) each.
                    ///< Without a target only: each raises the lowest balance at whatever price

    /// Work per arriving point by which the model improves itself, in [0, 1e6]: `effort` x 16 x k evaluations of a
    /// distance or price on average, counted. 0: only revisits and swaps as above, which is also all there is with
    /// `swaps` and no target, and under the paper's swaps and centres.
    double effort = 4;
    SwapWith swap_with = SwapWith::local;
    Swap swap = Swap::exact_change;
    int candidates = 32;          ///< points sampled from each side of a swap, in [1, 1e9]
    double candidate_growth = 1;  ///< factor on `candidates` per step (increasingly accurate swap), in [1, 2]
    CentreUpdate centre_update = CentreUpdate::exact;
    int starts = 10;  ///< starts an open-ended refinement tries, the best kept, in [1, 1000]: the present state, then
                      ///< k-means++; cost O(n k d) rounds each
    std::uint64_t seed = 1;
    bool operator==(const Options&) const = default;
};

/// State from which a step starts warm. All that decides a later draw is here, the order of the index arrays included.
struct State {
    std::vector<double> sums;     ///< k x d, sums of the members' features
    std::vector<double> squares;  ///< k, sums of the members' squared norms
    std::vector<double> peaks;    ///< k, largest `squares` since the sums were last taken afresh; bounds their rounding
    std::vector<float> centres;   ///< k x d: exact means, or what the paper's one-sided steps made of them
    std::vector<ClusterId> labels;  ///< by slot, [0, window.size()); `no_cluster` while warming
    std::vector<std::vector<Slot>>
        members;                 ///< k x J: the slots of each (cluster, group), in draw order; empty unless `indexed`.
                                 ///< With several attributes J counts the combinations of their groups
    std::vector<Slot> position;  ///< by slot: where it stands in its `members`; zeros unless `indexed`
    std::vector<std::uint8_t>
        moved;  ///< capacity x k under `Swap::nearest`, else empty: 1 where the point is no candidate of the cluster
    FairnessTally tally;                       ///< all attributes
    std::array<std::uint64_t, 4> generator{};  ///< pcg64: state and stream, high and low words
    std::uint64_t steps = 0;  ///< steps and rounds since the start; decides the growth of candidate batches
    std::vector<std::vector<double>> prices;  ///< of the demands, at which an assignment keeps them: for each demand of
                                              ///< groups k x groups, then k of sizes; empty: none are known
    std::vector<float> plain_centres;         ///< k x d, of a clustering without a target; empty: not known
    std::vector<float> bought_from;           ///< k x d, centres before points were placed for the target at a high
                                              ///< price; empty: they were not, or lead back no more
    double unspent = 0;                       ///< evaluations saved for a new beginning
    std::uint64_t improvements = 0;           ///< taken in so far; decides their draws
    double plain_cost = 0;         ///< f1 that the model found without a target, when it last looked; 0: not known
    std::vector<double> heaviest;  ///< k, largest weight of each cluster since its sums were last taken afresh; empty
                                   ///< where points weigh alike
    double unit = 0;               ///< `Window::weight_unit` of the weights; 0: 1
    double cost_then = 0;          ///< f1 of its own clustering of the points that `plain_cost` is about
    std::uint32_t next_start = 0;  ///< of the starts of open-ended refinements, where one had no budget for all of them
    bool stale = false;            ///< whether sums are to be taken afresh from the window, which is in another measure
    bool started = false;
    bool indexed = false;  ///< whether `members` is kept: only swaps and targets draw from it

    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.sums);
        archive(2, self.squares);
        archive(3, self.peaks);
        archive(4, self.centres);
        archive(5, self.labels);
        archive(6, self.members);
        archive(7, self.position);
        archive(8, self.tally);
        archive(9, self.generator);
        archive(10, self.steps);
        archive(11, self.started);
        archive(12, self.indexed);
        archive(13, self.moved);
        archive.later(14, self.plain_cost);
        archive.later(15, self.prices);
        archive.later(16, self.plain_centres);
        archive.later(17, self.unspent);
        archive.later(18, self.improvements);
        archive.later(19, self.heaviest);
        archive.later(20, self.unit);
        archive.later(21, self.stale);
        archive.later(22, self.cost_then);
        archive.later(23, self.bought_from);
        archive.later(24, self.next_start);
    }
    /// What a point of weight 1 weighs that comes now.
    [[nodiscard]] double weight_unit() const noexcept { return unit == 0 ? 1 : unit; }
};

/// Result of work beside the stream on a snapshot of the window.
struct Improvement {
    std::vector<ClusterId> labels;            ///< by slot of the snapshot; empty: none better than those there were
    std::vector<float> centres;               ///< k x d, the means of those labels
    std::vector<std::vector<double>> prices;  ///< as in `State`, here and below
    std::vector<float> plain_centres;
    double plain_cost = 0;
    double cost_then = 0;
    double unspent = 0;
    std::uint64_t number = 0;  ///< counts improvements from 1; 0: nothing was done
    bool operator==(const Improvement&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.labels);
        archive(2, self.centres);
        archive(3, self.prices);
        archive(4, self.plain_centres);
        archive(5, self.plain_cost);
        archive(6, self.unspent);
        archive(7, self.number);
        archive.later(8, self.cost_then);
    }
};

/// Memory that one improvement leaves to the next for reuse; carries no results.
class ImprovementMemory {
public:
    struct Parts;
    ImprovementMemory();
    ~ImprovementMemory();
    ImprovementMemory(ImprovementMemory&&) noexcept;
    ImprovementMemory& operator=(ImprovementMemory&&) noexcept;
    [[nodiscard]] Parts& parts() { return *parts_; }

private:
    std::unique_ptr<Parts> parts_;
};

/// Scratch; carries nothing between calls.
struct Workspace {
    std::vector<float> packed;                    ///< centres as the kernels read them
    std::vector<float> frozen;                    ///< the same, as they were at the start of a paper mini-batch
    std::vector<float> distances;                 ///< of one point to all centres
    std::vector<float> direction;                 ///< d
    std::vector<ClusterId> labels;                ///< of a batch
    std::vector<ClusterId> carried;               ///< of a batch: labels of points that moved to another slot
    std::array<std::vector<Slot>, 2> candidates;  ///< drawn in turn: one lot is looked at while the next is fetched
    std::size_t drawn = 0;                        ///< which of them was drawn last
    std::vector<Slot> unmoved;
    std::vector<ClusterId> targets;  ///< at most k
    std::vector<double> bounds;      ///< by balanced attribute
    std::vector<Slot> best_slot;     ///< k and padding
    std::vector<float> best_score;   ///< k and padding
    std::vector<Slot> journal;       ///< slots written or relabelled in this step, each once
    std::vector<ClusterId> before;   ///< their labels before it
    std::vector<Slot> mark;          ///< by slot: its place in `journal`, if that place names it
};

struct Model {
    static constexpr std::string_view name = "safairkm";
    using Options = safairkm::Options;
    using State = safairkm::State;
    using Workspace = safairkm::Workspace;
    using Improvement = safairkm::Improvement;
    using ImprovementMemory = safairkm::ImprovementMemory;
    using Output = ClusterId;
    static constexpr bool takes_weights = true;
    static const ModelAbout about;

    /// Puts the state into another measure: centres at once, sums with the next step.
    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static const ModelKind& kind();
    /// Returns the part of a state that predictions and assignments read.
    [[nodiscard]] static State without_points(const State& state);
    /// Throws `InvalidInput` (bad_option) naming the option, its value and its range.
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    /// Throws `InvalidInput` (bad_state) when `state` cannot be one of a stream of this format, whatever its points;
    /// O(n + k d).
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    /// Throws `InvalidInput` (bad_state) when `state` cannot be one of this window's; O(n a + k d).
    static void verify(const Options& options, const State& state, const Window& window);
    /// The work of a step with `points` new points when `retained` are in the window, and of refining them.
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// Makes one step: evictions, arrivals at their nearest centre, n_a revisits, n_b swaps. With an empty change, only
    /// revisits and swaps.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Makes one step that first applies an improvement of an earlier snapshot. `changed` says of each slot, by 1,
    /// whether it was written since that snapshot.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, const Improvement& improvement, std::span<const std::uint8_t> changed,
                     StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Returns the number of points that arrive between two improvements; 0: none is made.
    [[nodiscard]] static std::uint64_t improvement_interval(const Options& options, const Window& window);
    /// Improves a snapshot with what `points` arriving points pay for (`Options::effort`). `state`, its own copy, is
    /// used up. Pure: any thread may run it beside anything.
    [[nodiscard]] static Improvement improve(const Options& options, State& state, const Window& window,
                                             std::uint64_t points, ImprovementMemory& memory,
                                             const WorkHandle& work = {});
    /// Throws `InvalidInput` (bad_state) when `improvement` cannot be one of an earlier state of this window.
    static void verify(const Options& options, const Improvement& improvement, const Window& window);
    /// Runs `rounds` rounds of (n_a, n_b) on the retained points; 0: runs `starts` starts until neither objective
    /// improves, keeps the best, and tells its progress. A budget that does not last for all starts is for some of
    /// them, and the next refinement goes on with the others.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Labels points by their nearest centre; ties to the lower index; `no_cluster` while warming. `rows` is n x d,
    /// `out` is n.
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out);
    /// Labels points whose groups are known for the targets. Where each group that counts has at least as many of them
    /// as there are clusters, they are labelled together: for the centres as they are, so that they keep the targets on
    /// groups among themselves by their own groups' rates and shares, at about the least cost. Otherwise they are
    /// labelled one after another, against the points of the state and those of this call before them: each gets the
    /// nearest cluster that it does not take further below a target, or the one that it takes the least further.
    /// Targets that no labels keep are missed. `groups` is n x the number of balanced attributes, `format` the
    /// stream's.
    static void assign_fair(const Options& options, const State& state, const StreamFormat& format, ConstRows rows,
                            std::span<const GroupId> groups, std::span<ClusterId> out);

    [[nodiscard]] static int cluster_count(const Options& options) { return options.clusters; }
    [[nodiscard]] static const OneOrMore<int>& balanced_attributes(const Options& options) {
        return options.targets.attribute;
    }
    [[nodiscard]] static std::span<const ClusterId> outputs(const State& state) { return state.labels; }
    [[nodiscard]] static const FairnessTally& tally(const State& state) { return state.tally; }
    /// f1: mean squared distance of the retained points to the exact mean of their cluster; 0 while warming.
    [[nodiscard]] static double objective(const State& state);
    /// Cluster centres, k x d row-major; empty while warming.
    [[nodiscard]] static std::span<const float> centres(const State& state) { return state.centres; }
    /// Returns `plain_cost` and `price_of_fairness`, where the first is known: both are of the points that were
    /// retained when the model last looked for it. Where targets leave out rare groups, also `balance_without_rare` and
    /// `parity_without_rare`.
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

/// Returns the targets in force.
[[nodiscard]] ClusterTargets targets_of(const Options& options);

/// Makes a step without a list of its changes: `workspace.journal` and `before` hold the slots it may have changed,
/// those written first, and their labels before it.
Solve advance(const Options& options, State& state, Workspace& workspace, const Window& window,
              const WindowChange& change, const Improvement* improvement = nullptr,
              std::span<const std::uint8_t> changed = {}, const WorkHandle& work = {});
/// Gives cluster l the name `names[l]`, a permutation of [0, k). What the state does later is the same under the new
/// names.
void rename_clusters(State& state, std::span<const ClusterId> names, const Window& window);

}  // namespace fairstream::safairkm
