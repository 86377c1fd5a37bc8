#pragma once
/// The state of live_front, and the functions that the engine calls.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/fairness/pareto.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/models/safairkm/live_front/live_front.hpp>

namespace fairstream::live_front {

struct State {
    std::vector<safairkm::State> points;  ///< by operating point; at least one
    std::uint32_t published = 0;          ///< index in `points` of the operating point whose labels are published
    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.points);
        archive(2, self.published);
    }
};

/// Improvements of all operating points, in their order.
struct Improvement {
    std::vector<safairkm::Improvement> points;
    bool operator==(const Improvement&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) { archive(1, self.points); }
};

struct Workspace {
    std::vector<safairkm::Workspace> points;
    std::vector<StepReport<ClusterId>> reports;
    std::vector<TradeOff> trade_offs;
    std::vector<Slot> slots;
    std::vector<ClusterId> before;
    std::vector<ClusterId> visible;  ///< by slot: labels of the published operating point, before another replaces it
};

struct Model {
    static constexpr std::string_view name = "live_front";
    using Options = live_front::Options;
    using State = live_front::State;
    using Workspace = live_front::Workspace;
    using Improvement = live_front::Improvement;
    using ImprovementMemory = std::vector<safairkm::ImprovementMemory>;
    using Output = ClusterId;
    static constexpr bool takes_weights = true;
    static const ModelAbout about;

    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static State without_points(const State& state);
    static void check(const Options& options, const StreamFormat& format);
    /// The number of operating points must not change.
    static void check_change(const Options& now, const Options& changed);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    static void verify(const Options& options, const State& state, const Window& window);
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// Steps every operating point, each as a task.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// The improvement functions do the same as safairkm's for every operating point, each as a task. All operating
    /// points together spend at most four times the work of one.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, const Improvement& improvement, std::span<const std::uint8_t> changed,
                     StepReport<ClusterId>& report, const WorkHandle& work = {});
    [[nodiscard]] static ImprovementIntervals improvement_intervals(const Options& options, const State& state,
                                                                    const Window& window);
    [[nodiscard]] static Improvement improve(const Options& options, State& state, const Window& window,
                                             std::vector<safairkm::ImprovementMemory>& memory,
                                             const WorkHandle& work = {});
    static void verify(const Options& options, const Improvement& improvement, const Window& window);
    /// Publishes another operating point if the option `published` changed.
    static void adjust(const Options& options, State& state, const Window& window, StepReport<ClusterId>& report);
    /// Refines every operating point as safairkm does.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work = {});

    [[nodiscard]] static std::string_view group_option(const Options&) { return "attribute"; }
    [[nodiscard]] static int cluster_count(const Options& options) { return options.common.clusters; }

    // The functions below answer for the published operating point.
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out);
    static void assign_fair(const Options& options, const State& state, const StreamFormat& format, ConstRows rows,
                            std::span<const GroupId> groups, std::span<ClusterId> out);
    [[nodiscard]] static std::span<const ClusterId> outputs(const State& state) {
        return state.points[state.published].labels;
    }
    [[nodiscard]] static const FairnessTally& tally(const State& state) { return state.points[state.published].tally; }
    [[nodiscard]] static double objective(const State& state) {
        return safairkm::Model::objective(state.points[state.published]);
    }
    [[nodiscard]] static std::span<const float> centres(const State& state) {
        return state.points[state.published].centres;
    }
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
    [[nodiscard]] static std::vector<OperatingPoint> front(const Options& options, const State& state);
};

}  // namespace fairstream::live_front
