#pragma once
/// The state of esvd_fair, and the functions that the engine calls.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/esvd_fair/esvd_fair.hpp>
#include <fairstream/models/esvd_fair/fair_network.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/numeric/change_detector.hpp>
#include <fairstream/numeric/group_moments.hpp>

namespace fairstream::esvd_fair {

/// The last solution for the network's last layer.
struct Solution {
    std::uint64_t solves = 0;  ///< number of solutions since the start
    std::uint64_t alarms = 0;  ///< number of solutions after a detected change
    double points = 0;         ///< weight of the points that came since the last solution
    double since_alarm = 0;    ///< weight of the points that came since the newest alarm
    double next = 0;  ///< value of `since_alarm` at the next planned solution; 0: none, as no point from before the
                      ///< change is left
    std::uint32_t groups = 0;  ///< known groups with enough points to be compared
    bool is_left = false;      ///< whether the given network is kept, because adjustment brings groups no nearer
    double means = 1, spreads = 1, inputs = 1, ridge = 0;  ///< limits and ridge in use
    double mean_gap = 0;                                   ///< gap of outputs' means before adjustment, in squares of
                                                           ///< the targets' unit
    double spread_gap = 0;                                 ///< gap of spreads before adjustment; 0: not limited
    Fit before, after;    ///< fits of the given and the adjusted network to the window's points at the solution
    Fit held_back;        ///< fit to the held-back quarter, if `ks_at_most` was to be met; otherwise 0
    double aimed_ks = 0;  ///< `wish_for_new_rows`, to meet on the held-back quarter; 0: no wish, or groups too small
    bool operator==(const Solution&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.solves);
        archive(2, self.alarms);
        archive(3, self.points);
        archive(4, self.next);
        archive(5, self.means);
        archive(6, self.spreads);
        archive(7, self.ridge);
        archive(8, self.mean_gap);
        archive(9, self.before);
        archive(10, self.after);
        archive(11, self.held_back);
        archive(12, self.since_alarm);
        archive(13, self.inputs);
        archive(14, self.spread_gap);
        archive(15, self.groups);
        archive(16, self.is_left);
        archive.later(17, self.aimed_ks);
    }
};

struct State {
    std::uint32_t dimensions = 0, attributes = 0;  ///< sizes of the stream
    std::uint32_t groups = 1,
                  known_groups = 1;  ///< groups of the attribute; the known groups come first, and are compared
    bool started = false;
    std::uint64_t version = 0;  ///< number of changes of the network
    Network network;            ///< the network that predicts; empty while warming
    bool is_erased = false;     ///< whether the first layer removes the gap of its inputs' means
    Network base;               ///< as given or trained
    GroupMoments moments;       ///< moments of the inputs of the last layer followed by the target, by group
    bool is_stale = false;      ///< whether the moments must be computed afresh, because the measure changed
    /// By known group, of the points that came since the last solution: predictions, their squared distances from
    /// `centres`, and errors.
    std::vector<ChangeDetector> outputs, squares, errors;
    std::vector<double> centres;     ///< by known group: mean prediction of the window at the last solution
    std::vector<Score> predictions;  ///< by slot, [0, window.size()); `no_score` while warming
    Solution solution;

    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.dimensions);
        archive(2, self.attributes);
        archive(3, self.groups);
        archive(4, self.known_groups);
        archive(5, self.started);
        archive(6, self.version);
        archive(7, self.network);
        archive(8, self.base);
        archive(9, self.moments);
        archive(10, self.is_stale);
        archive(11, self.outputs);
        archive(12, self.errors);
        archive(13, self.predictions);
        archive(14, self.solution);
        archive(15, self.is_erased);
        archive(16, self.squares);
        archive(17, self.centres);
    }
};

/// Empty: nothing is worth keeping between steps.
struct Workspace {};

struct Model {
    static constexpr std::string_view name = "esvd_fair";
    using Options = esvd_fair::Options;
    using State = esvd_fair::State;
    using Workspace = esvd_fair::Workspace;
    using Output = Score;
    /// A training batch has a fixed number of rows, whatever their weights. So weighted points do not train the same
    /// network as repeated points.
    static constexpr bool takes_weights = true;
    static const ModelAbout about;

    /// Converts the first layer's weights to the new measure of the features.
    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static State without_points(const State& state);
    /// Also throws for a network that does not fit the stream, and for a stream without targets if no network is given.
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    static void verify(const Options& options, const State& state, const Window& window);
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// `Solve::iterations` is the number of solutions found in the step, 0 or 1. Ends as `stalled` while the wished KS
    /// distance is not met on the held-back points, or on the whole window.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<Score>& report, const WorkHandle& work = {});
    /// Trains a network that the model trained itself for `rounds` more epochs (0: `epochs`) on the retained points,
    /// and solves again.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<Score>& report, const WorkHandle& work = {});
    static void adjust(const Options& options, State& state, const Window& window, StepReport<Score>& report,
                       const WorkHandle& work = {});
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<const GroupId> groups,
                        std::span<Score> out);
    [[nodiscard]] static bool needs_groups(const Options&) { return false; }
    [[nodiscard]] static int score_attribute(const Options& options) { return options.attribute; }
    [[nodiscard]] static NetworkUse network_use(const Options& options);
    [[nodiscard]] static const Network* network(const State& state) { return state.started ? &state.network : nullptr; }
    [[nodiscard]] static std::uint64_t network_version(const State& state) { return state.version; }
    [[nodiscard]] static std::span<const Score> outputs(const State& state) { return state.predictions; }
    /// Returns the mean squared error on the window at the last solution; without targets the mean gap. 0 while
    /// warming.
    [[nodiscard]] static double objective(const State& state);
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

}  // namespace fairstream::esvd_fair
