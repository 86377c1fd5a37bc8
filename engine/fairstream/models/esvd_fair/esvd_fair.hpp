#pragma once
/// Predictions of the targets that are distributed alike in all groups, by a network whose last layer is adjusted in
/// closed form as the window moves, with no group needed at inference: ESVDFair (Z. Zuo, Z. Zhu, M. Khalili) on a
/// stream.
///
/// The network is given, or trained on the first points. Of the inputs of its last layer and of the targets the model
/// keeps the moments by group (`GroupMoments`); from these alone follow the last layer of least squares and its
/// adjustment (`fair_network.hpp`), so that to solve anew costs milliseconds and a pass for the predictions. It solves
/// anew when the groups' mean predictions, their spread or the mean errors on arriving points have changed by more than
/// sampling explains (`ChangeDetector`), then again when a sixteenth, an eighth, a quarter, a half and all of a window
/// have come since; as the window first fills, when its points have doubled; and when a group has points that had none.
/// A network that its adjustment would make no fairer and no more accurate is left as it is.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/esvd_fair/fair_network.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/network/network_option.hpp>
#include <fairstream/numeric/change_detector.hpp>
#include <fairstream/numeric/group_moments.hpp>

namespace fairstream::esvd_fair {

struct Model;

struct Options {
    using Model = esvd_fair::Model;

    int attribute = 0;  ///< index of the protected attribute whose groups are compared
    /// The network that is adjusted, of one output, its last layer without activation, for the stream's columns as
    /// prepared at the start; none: one is trained on the points that are there at the start.
    NetworkOption network{};
    OneOrMore<int> hidden{128, 128};  ///< widths of the hidden layers of a network that is trained, each in [1, 4096]
    int epochs = 20;                  ///< of that training, in [1, 1e4]
    /// Points in the window at which the model starts, or the window's capacity where that is less; in [1, 1e9].
    std::uint64_t start_after = 1000;
    double means = 0.03;  ///< as in `FairOptions`, in (0, 1]
    double spreads = 1;   ///< as in `FairOptions`, in (0, 1]
    double inputs = 1;    ///< as in `FairOptions`, in (0, 1]
    double ridge = 1e-2;  ///< as in `FairOptions`, in [0, 1e15]
    bool refits = true;   ///< as in `FairOptions`; without targets nothing is refitted
    /// Largest KS distance wished for, in (0, 1]: `means`, `spreads`, `inputs` and `ridge` are then chosen for it on a
    /// quarter of the window that is held back, at the start and whenever it is solved anew; 1: they are taken as they
    /// are.
    double ks_at_most = 1;
    /// Chance of a false alarm at a point of a stream that does not change, in [0, 0.5]; 0: nothing is watched.
    double false_alarms = 1e-6;
    std::uint64_t seed = 1;  ///< of the training
    bool operator==(const Options&) const = default;
};

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

    /// Puts the state into another measure: the first layer's weights change as the features do.
    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static const ModelKind& kind();
    /// Returns the part of a state that predictions and assignments read.
    [[nodiscard]] static State without_points(const State& state);
    /// Throws `InvalidInput` (bad_option) naming the option, its value and its range, for a network that does not fit
    /// the stream, and for a stream without targets where none is given.
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    /// Throws `InvalidInput` (bad_state) when `state` cannot be one of a stream of this format, whatever its points.
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    /// Throws `InvalidInput` (bad_state) when `state` cannot be one of this window's.
    static void verify(const Options& options, const State& state, const Window& window);
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// Makes one step. `Solve::iterations` is the number of solutions found in it, 0 or 1. Ends as `stalled` while the
    /// KS distance wished for was not met on the points held back, or on all of the window.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<Score>& report, const WorkHandle& work = {});
    /// Trains the network that the model trained itself on, for `rounds` epochs (0: `epochs`) on the retained points,
    /// and solves anew.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<Score>& report, const WorkHandle& work = {});
    /// Solves anew under the options as they are.
    static void adjust(const Options& options, State& state, const Window& window, StepReport<Score>& report,
                       const WorkHandle& work = {});
    /// Predicts points; `no_score` while warming. `rows` is n x d, `out` is n; groups are not needed.
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
