#pragma once
/// Online SAfairKM: k-means under group balance by alternating k-means updates and swaps.
/// S. Liu, L. N. Vicente, "A stochastic alternating balance k-means algorithm for fair clustering", Algorithms 1 and 2.
///
/// Objectives (2): f1 = mean squared distance of the points to the exact mean of their cluster, minimised;
/// f2 = smallest balance of a cluster, maximised. Where the paper takes the points nearest to the destination centre,
/// the default here takes the swap of smallest exact change of f1; `swap = nearest` and `centre_update = paper` are the
/// paper's.

#include <memory>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/fair_kmeans/state.hpp>
#include <fairstream/models/model.hpp>

namespace fairstream::safairkm {

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
    [[nodiscard]] static State start(const Options& options, const Window& window) {
        return start_state(options, window);
    }
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
    /// f1, as `safairkm::objective`.
    [[nodiscard]] static double objective(const State& state) { return safairkm::objective(state); }
    /// Cluster centres, k x d row-major; empty while warming.
    [[nodiscard]] static std::span<const float> centres(const State& state) { return state.centres; }
    /// Returns `plain_cost` and `price_of_fairness`, where the first is known: both are of the points that were
    /// retained when the model last looked for it. Where targets leave out rare groups, also `balance_without_rare` and
    /// `parity_without_rare`.
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

/// Makes a step without a list of its changes: `workspace.journal` and `before` hold the slots it may have changed,
/// those written first, and their labels before it.
Solve advance(const Options& options, State& state, Workspace& workspace, const Window& window,
              const WindowChange& change, const Improvement* improvement = nullptr,
              std::span<const std::uint8_t> changed = {}, const WorkHandle& work = {});
/// Gives cluster l the name `names[l]`, a permutation of [0, k). What the state does later is the same under the new
/// names.
void rename_clusters(State& state, std::span<const ClusterId> names, const Window& window);

}  // namespace fairstream::safairkm
