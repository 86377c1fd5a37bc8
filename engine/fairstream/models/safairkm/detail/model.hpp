#pragma once
/// What the engine calls of safairkm.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/fair_assignment/detail/fair_assignment.hpp>
#include <fairstream/fair_kmeans/detail/state.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::safairkm {

/// Memory that one improvement leaves to the next for reuse; carries no results.
struct ImprovementMemory {
    FairAssignment assignment, assignment_of_sample;
    Workspace workspace;
    State anew;
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

    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static State without_points(const State& state);
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window) {
        return start_state(options, window);
    }
    /// O(n + k d).
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    /// O(n a + k d).
    static void verify(const Options& options, const State& state, const Window& window);
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// Evictions, arrivals at their nearest centre, n_a revisits, n_b swaps; with an empty change, only revisits and
    /// swaps.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work = {});
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, const Improvement& improvement, std::span<const std::uint8_t> changed,
                     StepReport<ClusterId>& report, const WorkHandle& work = {});
    [[nodiscard]] static std::uint64_t improvement_interval(const Options& options, const Window& window);
    /// `points` arriving points pay for it by `Options::effort`.
    [[nodiscard]] static Improvement improve(const Options& options, State& state, const Window& window,
                                             std::uint64_t points, ImprovementMemory& memory,
                                             const WorkHandle& work = {});
    static void verify(const Options& options, const Improvement& improvement, const Window& window);
    /// Runs `rounds` rounds of (n_a, n_b) on the retained points; 0: runs `starts` starts until neither objective
    /// improves, keeps the best, and tells its progress. A budget that does not last for all starts is for some of
    /// them, and the next refinement goes on with the others.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Labels points by their nearest centre; ties to the lower index.
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out);
    /// Where each group that counts has at least as many points as there are clusters, they are labelled together: for
    /// the centres as they are, so that they keep the targets on groups among themselves by their own groups' rates and
    /// shares, at about the least cost. Otherwise they are labelled one after another, against the points of the state
    /// and those of this call before them: each gets the nearest cluster that it does not take further below a target,
    /// or the one that it takes the least further. Targets that no labels keep are missed.
    static void assign_fair(const Options& options, const State& state, const StreamFormat& format, ConstRows rows,
                            std::span<const GroupId> groups, std::span<ClusterId> out);

    [[nodiscard]] static int cluster_count(const Options& options) { return options.clusters; }
    [[nodiscard]] static std::span<const ClusterId> outputs(const State& state) { return state.labels; }
    [[nodiscard]] static const FairnessTally& tally(const State& state) { return state.tally; }
    [[nodiscard]] static double objective(const State& state) { return safairkm::objective(state); }
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
