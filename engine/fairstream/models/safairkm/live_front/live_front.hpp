#pragma once
/// Several operating points of online SAfairKM over one window: a front of cost and balance that is kept live.
///
/// Each point is a safairkm clustering with its own (n_a, n_b) or balance target (`safairkm.hpp`); all see the same
/// window, which is kept once, and step side by side. As in Algorithm 3 of the paper, which drops what is dominated, a
/// point that falls behind another in both cost and balance goes on from that one's clustering. One of them is
/// published; which one may change while running, and its clusters then take the names that fit the labels before best.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/fairness/pareto.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::live_front {

inline constexpr std::size_t point_limit = 64;

/// Policy for a point when another one is both cheaper and at least as balanced.
enum class Dominated : std::uint8_t {
    replace,  ///< every eighth step it takes that one's clustering over and goes on from there by its own options
    keep,     ///< it goes on alone
};

struct Model;

struct Options {
    using Model = live_front::Model;

    /// Options of all points; `kmeans_updates`, `swaps` and `balance_at_least` in it are not used, and parity is asked
    /// for only where it is given. One attribute is balanced.
    safairkm::Options common;
    /// n_a, n_b and the target of each point, as in `safairkm::Options`: one value for all, or one each, for at
    /// most 64.
    OneOrMore<int> kmeans_updates = 64;
    OneOrMore<int> swaps = 16;
    OneOrMore<double> balance_at_least{0, 0.1, 0.2, 0.3, 0.4};
    int published = 0;  ///< the point whose labels are the model's, from 0
    Dominated dominated = Dominated::replace;
    bool operator==(const Options&) const = default;
};

struct State {
    std::vector<safairkm::State> points;  ///< at least one
    std::uint32_t published = 0;          ///< index of the point whose labels are visible
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
    std::vector<ClusterId> visible;  ///< labels of the published point, by slot, before another one takes its place
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

    /// Puts the state into another measure.
    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static const ModelKind& kind();
    /// Returns the part of a state that predictions and assignments read.
    [[nodiscard]] static State without_points(const State& state);
    /// Throws `InvalidInput` (bad_option) naming the option, its value and its range.
    static void check(const Options& options, const StreamFormat& format);
    /// Throws `InvalidInput` (bad_option) when options cannot change to these while running: the number of points
    /// stays.
    static void check_change(const Options& now, const Options& changed);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    /// Throw `InvalidInput` (bad_state) as those of safairkm, for any of the points.
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    static void verify(const Options& options, const State& state, const Window& window);
    /// The work of a step with `points` new points when `retained` are in the window, and of refining them.
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// A step of every point, as a task each.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<ClusterId>& report, const WorkHandle& work = {});
    /// The improvement functions do what safairkm's do, for every point, as a task each. Together the points spend at
    /// most four times what one would.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, const Improvement& improvement, std::span<const std::uint8_t> changed,
                     StepReport<ClusterId>& report, const WorkHandle& work = {});
    [[nodiscard]] static std::uint64_t improvement_interval(const Options& options, const Window& window);
    [[nodiscard]] static Improvement improve(const Options& options, State& state, const Window& window,
                                             std::uint64_t points, std::vector<safairkm::ImprovementMemory>& memory,
                                             const WorkHandle& work = {});
    static void verify(const Options& options, const Improvement& improvement, const Window& window);
    /// Publishes another point when `published` changed; the changes are those of the published labels.
    static void adjust(const Options& options, State& state, const Window& window, StepReport<ClusterId>& report);
    /// Refines every point as safairkm does.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<ClusterId>& report, const WorkHandle& work = {});

    [[nodiscard]] static int cluster_count(const Options& options) { return options.common.clusters; }

    [[nodiscard]] static const OneOrMore<int>& balanced_attributes(const Options& options) {
        return options.common.targets.attribute;
    }

    // The functions below answer for the published point.
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

    /// Returns all operating points, in the order of the options.
    [[nodiscard]] static std::vector<OperatingPoint> front(const Options& options, const State& state);
};

/// Returns the options of the published point.
[[nodiscard]] safairkm::Options published_options(const Options& options);
/// Returns its targets.
[[nodiscard]] inline ClusterTargets targets_of(const Options& options) {
    return targets_of(published_options(options));
}

}  // namespace fairstream::live_front
