#pragma once
/// The functions of safairkm that the engine calls.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/fair_assignment/detail/fair_assignment.hpp>
#include <fairstream/fair_kmeans/detail/state.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::safairkm {

/// Memory that one improvement leaves for reuse by the next; carries no results.
struct ImprovementMemory {
    FairAssignment assignment, assignment_of_sample;
    Workspace workspace;
    State new_state;
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
    /// Evicts points, labels arrivals by their nearest centre, then makes n_a revisits and n_b swaps; with an empty
    /// change, only revisits and swaps.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work = {});
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, const Improvement& improvement, std::span<const std::uint8_t> changed,
                     StepReport<ClusterId>& report, const WorkHandle& work = {});
    [[nodiscard]] static ImprovementIntervals improvement_intervals(const Options& options, const State& state,
                                                                    const Window& window);
    /// The work is at most what arriving points have granted, by `Options::effort`.
    [[nodiscard]] static Improvement improve(const Options& options, State& state, const Window& window,
                                             ImprovementMemory& memory, const WorkHandle& work = {});
    static void verify(const Options& options, const Improvement& improvement, const Window& window);
    /// Runs `rounds` rounds of (n_a, n_b) on the retained points. With 0, runs `starts` starts until neither objective
    /// improves, keeps the best, and reports its progress. If a budget is not enough for all starts, it runs some of
    /// them, and the next refinement continues with the others.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// Labels points by their nearest centre; ties to the lower index.
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out);
    /// Labels new points together if each group that counts has at least as many of them as there are clusters. For the
    /// present centres, they then meet the targets on groups among themselves, measured with the rates and shares of
    /// the new points, at about the least cost. Otherwise labels them one after another, against the points of the
    /// state and the earlier points of this call. Each gets the nearest cluster that it moves no further below a
    /// target; if there is none, the cluster that it moves the least further. Targets that no labels can meet are
    /// missed.
    static void assign_fair(const Options& options, const State& state, const StreamFormat& format, ConstRows rows,
                            std::span<const GroupId> groups, std::span<ClusterId> out);

    [[nodiscard]] static std::string_view group_option(const Options& options) {
        const std::string_view of_targets = first_group_option(targets_of(options));
        return of_targets.empty() && options.swaps > 0 ? "swaps" : of_targets;
    }
    [[nodiscard]] static int cluster_count(const Options& options) { return options.clusters; }
    [[nodiscard]] static std::span<const ClusterId> outputs(const State& state) { return state.labels; }
    [[nodiscard]] static const FairnessTally& tally(const State& state) { return state.tally; }
    [[nodiscard]] static double objective(const State& state) { return safairkm::objective(state); }
    [[nodiscard]] static std::span<const float> centres(const State& state) { return state.centres; }
    /// Returns `plain_cost` and `price_of_fairness` of the points retained when the model last computed them; neither
    /// if they are unknown, or if the cost has changed since. If targets leave out rare groups, also returns
    /// `balance_without_rare` and `parity_without_rare`.
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

/// Makes a step without listing its changes: `workspace.journal` and `before` hold the slots that it may have changed,
/// written slots first, and their former labels.
Solve advance(const Options& options, State& state, Workspace& workspace, const Window& window,
              const WindowChange& change, const Improvement* improvement = nullptr,
              std::span<const std::uint8_t> changed = {}, const WorkHandle& work = {});
/// Renames cluster l to `names[l]`, a permutation of [0, k). Later steps give the same results under the new names.
void rename_clusters(State& state, std::span<const ClusterId> names, const Window& window);

}  // namespace fairstream::safairkm
