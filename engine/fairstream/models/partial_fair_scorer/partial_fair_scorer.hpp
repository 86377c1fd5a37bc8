#pragma once
/// Scores whose distribution is equal across groups within intervals of ranks, kept warm while the window moves. Y. He,
/// Y. Huang, Y. Yao, Q. Lin, "Enforcing fair predicted scores on intervals of percentiles by difference-of-convex
/// constraints", arXiv:2505.12530.
///
/// A score h_w(x, g) minimises a loss of the labelled points in the window subject to a fairness constraint inside the
/// interval of ranks, replaced by a surrogate of the indicator: problems (15), (21), (49), (50) and (56). They are
/// differences of convex functions, and IDCA (Algorithm 1) solves them. A step restores feasibility on the window as it
/// is now and takes a few rounds more; the scores of all points follow.
///
/// A point is positive when its target is above 0. A score is a positive decision when it is above `threshold`.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::partial_fair_scorer {

enum class Metric : std::uint8_t {
    psp,           ///< partial statistical parity, (15)
    pdp,           ///< partial demographic parity at the threshold, (21)
    eop,           ///< partial equal opportunity, Definition A.2: pdp of positives, by their ranks in their group
    eod,           ///< partial equalised odds, Definition A.3: that, or of negatives
    gauc,          ///< partial group AUC, (49)
    none,          ///< unconstrained
    eop_in_class,  ///< as the training problem (50) has eop: by ranks among the positives of the group
    eod_in_class,  ///< as (56) has eod
};
/// Say whether a class is compared by its ranks in the group and class, and whether the metric is about positives
/// alone, or about both classes.
[[nodiscard]] constexpr bool ranks_in_class(Metric metric) {
    return metric == Metric::eop_in_class || metric == Metric::eod_in_class;
}
[[nodiscard]] constexpr bool is_of_positives(Metric metric) {
    return metric == Metric::eop || metric == Metric::eop_in_class;
}
[[nodiscard]] constexpr bool is_of_classes(Metric metric) {
    return metric == Metric::eod || metric == Metric::eod_in_class;
}

enum class Loss : std::uint8_t {
    logistic,   ///< log(1 + exp(-y h)), y = 1 or -1: scores are log-odds
    hinge,      ///< max(0, 1 - y h)
    squared,    ///< (h - target)^2 / 2, the target as the stream has it
    sigmoid,    ///< 1 / (1 + exp(2 y h)) plus a tenth of logistic: what follows accuracy most closely
    automatic,  ///< sigmoid or logistic, whichever does better on a part of the window that is held back: `LossChoice`
};
enum class Over : std::uint8_t {
    points,       ///< the mean over points
    auc,          ///< over pairs of a positive and a negative, by the difference of their scores, (81)
    partial_auc,  ///< the same with the negatives within `false_positives` of the ranks of negatives, (83)
};
enum class Surrogate : std::uint8_t {
    clipped,   ///< (x / width + 1/2) clipped to [0, 1], Example D.3
    logistic,  ///< 1 / (1 + exp(-x / width)), Example D.4
};
enum class IntervalFor : std::uint8_t {
    all,    ///< each pair of `interval` is one interval of a union, for every group
    group,  ///< the i-th pair is the interval of the i-th group (Remark 5.3)
};
enum class GroupTerms : std::uint8_t {
    none,       ///< (1, x): the group is not needed to score a point
    intercept,  ///< (1, x, g)
    all,        ///< (1, x, g, g x), as the paper
};
enum class Form : std::uint8_t {
    linear,
    mlp,  ///< one hidden layer of tanh units over those terms
};
enum class Enforce : std::uint8_t {
    surrogate,  ///< the constraints hold by the surrogate, as in the paper; the points may exceed kappa
    empirical,  ///< the surrogate's kappa is lowered until the window's points keep to kappa; `stalled` where they do
                ///< not
};
enum class Inner : std::uint8_t {
    quadratic,  ///< a quadratic problem over the multipliers
    ssg,        ///< the switching subgradient method, as the paper
};

struct Model;

struct Options {
    using Model = partial_fair_scorer::Model;

    int attribute = 0;                            ///< index of the protected attribute whose groups are compared
    Metric metric = Metric::psp;                  ///< what is constrained
    IntervalFor interval_for = IntervalFor::all;  ///< the groups to which the intervals apply
    OneOrMore<double> interval{0.05, 0.30};       ///< alpha, beta of each interval of ranks, 0 the top, in [0, 1]
    double kappa = 0.05;                          ///< largest gap allowed, in [0, 1]
    /// With `enforce` = empirical, what keeps to kappa is the upper limit that the gap of the population has with this
    /// chance, in [0, 0.999], as far as the sampling of the window's points goes; 0: the gap of those points.
    double confidence = 0;
    Enforce enforce = Enforce::empirical;  ///< what keeps to kappa
    /// Of pSP: ranks at which the tails are compared, |Î|, in [2, 200]; with `empirical` up to four times as many
    /// where the points do not keep to kappa otherwise.
    int rank_levels = 10;
    double threshold = 0;  ///< of decisions, in [-1e6, 1e6]
    Loss loss = Loss::automatic;
    Over over = Over::points;
    Surrogate surrogate = Surrogate::clipped;
    OneOrMore<double> false_positives{0.0, 1.0};  ///< of `partial_auc`: the ranks among negatives, in [0, 1]
    /// ridge/2 |w|^2 is added to the loss, w of features scaled by mean and deviation, in [0, 1e6]; without it
    /// separable points have no minimum.
    double ridge = 3e-4;
    double width = 1;  ///< of the surrogate, in units of the score, in [1e-6, 1e6]
    GroupTerms group_terms = GroupTerms::all;
    Form form = Form::linear;
    int hidden = 16;  ///< units of `mlp`, in [1, 1024]
    Inner inner = Inner::quadratic;
    int solve_iterations = 60;  ///< K: outer iterations of the first solve and of a refinement, in [1, 1e6]
    int iterations = 3;         ///< outer iterations of a step, in [0, 1e6]
    /// Steps after which a solve from nothing runs beside the one that goes on, and is taken where it is better; 0:
    /// never. In [0, 1e6].
    int fresh_every = 4;
    int inner_iterations = 150;  ///< T of `ssg`, in [1, 1e6]
    double epsilon = 1e-3;       ///< of `ssg`: step and feasibility, in [1e-9, 1]
    double tolerance = 1e-3;     ///< KKT residual at which a solve ends, in [1e-12, 1]
    std::uint64_t seed = 1;      ///< of the first weights of `mlp`
    bool operator==(const Options&) const = default;
};

/// Figures of the last solve.
struct Quality {
    double loss = 0;                                    ///< f_0 on the window
    double stationarity = 0;                            ///< (28)
    double infeasibility = 0;                           ///< largest f_i, at least 0: (29)
    double complementarity = 0;                         ///< (30)
    double outer_iterations = 0, inner_iterations = 0;  ///< of this solve, the inner ones in points evaluated
    double kappa = 0;                                   ///< of the surrogate
    double measured = 0;  ///< the constrained metric by its definition, on the window; 0 without constraints
    double limit = 0;     ///< upper limit of that metric in the population, where a confidence is asked for
    /// Largest difference between a share of the surrogate and of the points themselves, over all tails of pSP.
    double surrogate_gap = 0;
    bool restarted = false;   ///< no feasible point was found near the last one: the solve began from w = 0
    std::int32_t levels = 0;  ///< of pSP, that were compared; 0: as many as the options have
    bool tied = false;        ///< all scores of the window are alike: they are fair, and say nothing
    bool operator==(const Quality&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.loss);
        archive(2, self.stationarity);
        archive(3, self.infeasibility);
        archive(4, self.complementarity);
        archive(5, self.outer_iterations);
        archive(6, self.inner_iterations);
        archive(7, self.surrogate_gap);
        archive(8, self.restarted);
        archive(9, self.kappa);
        archive(10, self.measured);
        archive.later(11, self.levels);
        archive.later(12, self.limit);
        archive.later(13, self.tied);
    }
};

/// Returns what is to keep to kappa where the points decide: the upper limit where a confidence is asked for, which is
/// not less than the gap of the points.
[[nodiscard]] inline double judged_gap(const Quality& quality) noexcept {
    return std::max(quality.measured, quality.limit);
}

/// The choice of `loss` = automatic: what scores learnt from a part of the window with either loss are worth on the
/// rest of it, a quarter.
struct LossChoice {
    Loss loss = Loss::automatic;                         ///< the one chosen; automatic: none yet
    std::uint64_t points_left = 0;                       ///< to arrive until it is made again
    std::uint64_t held_back = 0;                         ///< points; 0: too few to compare
    double logistic_accuracy = 0, sigmoid_accuracy = 0;  ///< in [0, 1]
    double logistic_auc = 0, sigmoid_auc = 0;            ///< in [0, 1]
    double standard_error = 0;                           ///< of the difference of the accuracies
    bool operator==(const LossChoice&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.loss);
        archive(2, self.points_left);
        archive(3, self.held_back);
        archive(4, self.logistic_accuracy);
        archive(5, self.sigmoid_accuracy);
        archive(6, self.logistic_auc);
        archive(7, self.sigmoid_auc);
        archive(8, self.standard_error);
    }
};

/// The answer of a solve, from which another one goes on.
struct Solution {
    std::vector<double> weights;      ///< w, of the features as they are; empty while warming
    std::vector<double> thresholds;   ///< theta_p of pSP, by level; otherwise empty
    std::vector<double> multipliers;  ///< of the constraints, where the last solve had them
    double kappa = 0;                 ///< of the surrogate in the next solve, at most the options'; 0 before the first
    std::int32_t levels = 0;          ///< of pSP in the next solve; 0: as many as the options have
    Quality quality;                  ///< of the last solve
    bool operator==(const Solution&) const = default;
};

/// State from which a step starts warm.
struct State : Solution {
    std::uint32_t dimensions = 0, attributes = 0, groups = 1;  ///< of the stream, and groups of the attribute
    std::uint32_t known_groups = 0;                            ///< of those, the first ones, that are compared; 0: all
    std::vector<Score> scores;    ///< by slot, [0, window.size()); `no_score` while warming
    std::uint64_t steps = 0;      ///< solves since the start
    double inner_iterations = 0;  ///< of all solves
    bool started = false;
    LossChoice choice;  ///< where the options leave the loss open

    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.weights);
        archive(2, self.thresholds);
        archive(3, self.multipliers);
        archive(4, self.scores);
        archive(5, self.steps);
        archive(6, self.quality);
        archive(7, self.inner_iterations);
        archive(8, self.started);
        archive(9, self.dimensions);
        archive(10, self.attributes);
        archive(11, self.groups);
        archive(12, self.kappa);
        archive.later(13, self.levels);
        archive.later(14, self.choice);
        archive.later(15, self.known_groups);
    }
};

/// Upper bound of pSP on the window, as a sum of terms: the tails may differ by kappa, between two levels by the
/// spacing more, and at a level by what its constraints and the surrogate miss. Where ranks differ by group the
/// shortest decide.
struct FairnessBound {
    double kappa = 0;          ///< of the surrogate
    double spacing = 0;        ///< (1 - kappa) / (levels - 1)
    double infeasibility = 0;  ///< twice the largest f_i over the length of the ranks
    double surrogate = 0;      ///< twice the surrogate's gap over the length of the ranks
    [[nodiscard]] double total() const noexcept { return kappa + spacing + infeasibility + surrogate; }
};
struct State;
[[nodiscard]] FairnessBound fairness_bound(const Options& options, const State& state);

/// Empty: nothing is worth keeping between steps.
struct Workspace {};

struct Model {
    static constexpr std::string_view name = "partial_fair_scorer";
    using Options = partial_fair_scorer::Options;
    using State = partial_fair_scorer::State;
    using Workspace = partial_fair_scorer::Workspace;
    using Output = Score;
    static constexpr bool takes_weights = true;
    static const ModelAbout about;

    /// Puts the state into another measure.
    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static const ModelKind& kind();
    /// Returns the part of a state that predictions and assignments read.
    [[nodiscard]] static State without_points(const State& state);
    /// Throws `InvalidInput` (bad_option) naming the option, its value and its range, and for a stream without targets.
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    /// Throws `InvalidInput` (bad_state) when `state` cannot be one of a stream of this format, whatever its points.
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    /// Throws `InvalidInput` (bad_state) when `state` cannot be one of this window's.
    static void verify(const Options& options, const State& state, const Window& window);
    /// The work of a step with `points` new points when `retained` are in the window, and of refining them.
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// Makes one step. Warms until there are a positive and a negative point. The first solve takes up to `outer`
    /// iterations, each later one up to `refresh`. `Solve::iterations` are points at which the problem was evaluated.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<Score>& report, const WorkHandle& work = {});
    /// Runs `rounds` outer iterations from the present state; 0: up to `outer`.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<Score>& report, const WorkHandle& work = {});
    /// Scores points; `no_score` while warming. `rows` is n x d, `groups` n x the stream's attributes, and may be empty
    /// unless `needs_groups`; `out` is n.
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<const GroupId> groups,
                        std::span<Score> out);

    /// Says whether a point's group is needed for its score.
    [[nodiscard]] static bool needs_groups(const Options& options) { return options.group_terms != GroupTerms::none; }
    /// The protected attribute whose groups are compared.
    [[nodiscard]] static int score_attribute(const Options& options) { return options.attribute; }
    [[nodiscard]] static double decision_threshold(const Options& options) { return options.threshold; }
    [[nodiscard]] static std::span<const Score> outputs(const State& state) { return state.scores; }
    /// Returns f_0 of the last solve.
    [[nodiscard]] static double objective(const State& state) { return state.quality.loss; }
    /// Measures the fairness of these scores within the options' ranks.
    [[nodiscard]] static ScoreFairness measure(const Options& options, const ScoreTally& settled);
    /// Works out the intervals of what `measure` says of these scores, for up to eight groups.
    [[nodiscard]] static std::optional<ScoreIntervals> intervals(const Options& options, const ScoreFairness& measured,
                                                                 const ScoreTally& settled);
    /// Returns figures of the last solve: `kkt_residual` and its three parts, iterations, the constrained metric as
    /// `measured` and by how much it is above kappa as `excess`, and for `psp` the bound of `fairness_bound`.
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

}  // namespace fairstream::partial_fair_scorer
