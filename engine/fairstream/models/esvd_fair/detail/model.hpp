#pragma once
/// The state of esvd_fair, and what the engine calls.

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

/// The network's last layer as it was found.
struct Solution {
    std::uint64_t solves = 0;  ///< since the start
    std::uint64_t alarms = 0;  ///< of those, solves that a change made necessary
    double points = 0;         ///< that came since, by weight
    double since_alarm = 0;    ///< points that came since the newest alarm, by weight
    double next = 0;           ///< `since_alarm` at which to solve again; 0: nothing from before the change is left
    std::uint32_t groups = 0;  ///< known groups that had points enough to be compared
    bool is_left = false;      ///< whether the network is as it was given: its adjustment brought groups no nearer
    double means = 1, spreads = 1, inputs = 1, ridge = 0;  ///< the limits and the ridge that were taken
    double mean_gap = 0;                                   ///< of the outputs before, in squares of the targets' unit
    double spread_gap = 0;                                 ///< of the outputs before, where it was limited; otherwise 0
    Fit before, after;  ///< of the window's points then, by the network as given and as found
    Fit held_back;      ///< of the quarter held back, where a wish was to be met; otherwise 0
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
    }
};

struct State {
    std::uint32_t dimensions = 0, attributes = 0;  ///< of the stream
    std::uint32_t groups = 1, known_groups = 1;    ///< of the attribute; the known ones, the first, are compared
    bool started = false;
    std::uint64_t version = 0;  ///< changes of the network
    Network network;            ///< that predicts; empty while warming
    bool is_erased = false;     ///< whether the first layer erases the gap of its inputs' means
    Network base;               ///< as it was given or trained
    GroupMoments moments;       ///< of the inputs of the last layer, followed by the target, by group
    bool is_stale = false;      ///< whether the moments are to be summed anew, since the measure changed
    /// By known group, of points that came since the last solution: predictions, their squared distances from
    /// `centres`, and errors.
    std::vector<ChangeDetector> outputs, squares, errors;
    std::vector<double> centres;     ///< by known group: mean prediction of the window when it was solved last
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
    /// The batches of the training are of rows, whatever they weigh: the same points weighted and repeated train
    /// networks that differ.
    static constexpr bool takes_weights = true;
    static const ModelAbout about;

    /// Changes the first layer's weights as the features do.
    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static State without_points(const State& state);
    /// Throws for a network that does not fit the stream, too, and for a stream without targets where none is given.
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    static void verify(const Options& options, const State& state, const Window& window);
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// `Solve::iterations` is the number of solutions found in it, 0 or 1. Ends as `stalled` while the KS distance
    /// wished for was not met on the points held back, or on all of the window.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<Score>& report, const WorkHandle& work = {});
    /// Trains the network that the model trained itself on, for `rounds` epochs (0: `epochs`) on the retained points,
    /// and solves anew.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<Score>& report, const WorkHandle& work = {});
    static void adjust(const Options& options, State& state, const Window& window, StepReport<Score>& report,
                       const WorkHandle& work = {});
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<const GroupId> groups,
                        std::span<Score> out);
    [[nodiscard]] static bool needs_groups(const Options&) { return false; }
    [[nodiscard]] static int score_attribute(const Options& options) { return options.attribute; }
    [[nodiscard]] static const Network* network(const State& state) { return state.started ? &state.network : nullptr; }
    [[nodiscard]] static std::uint64_t network_version(const State& state) { return state.version; }
    [[nodiscard]] static std::span<const Score> outputs(const State& state) { return state.predictions; }
    /// The mean squared error on the window when it was solved last; without targets the mean gap. 0 while warming.
    [[nodiscard]] static double objective(const State& state);
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

}  // namespace fairstream::esvd_fair
