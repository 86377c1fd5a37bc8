#pragma once
/// The state of partial_fair_scorer, and the functions that the engine calls.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>

namespace fairstream::partial_fair_scorer {

/// Figures of the last solve.
struct Quality {
    double loss = 0;                                    ///< f_0 on the window
    double stationarity = 0;                            ///< (28)
    double infeasibility = 0;                           ///< largest f_i, at least 0: (29)
    double complementarity = 0;                         ///< (30)
    double outer_iterations = 0, inner_iterations = 0;  ///< iterations of this solve; inner iterations are evaluations
    double kappa = 0;                                   ///< kappa of the surrogate
    double measured = 0;  ///< the constrained metric by its definition, on the window; 0 without constraints
    double limit = 0;     ///< upper limit of that metric in the population, if a confidence is asked for
    /// Largest difference between a tail's share by the surrogate and its share of the points, over all tails of pSP.
    double surrogate_gap = 0;
    bool restarted = false;   ///< no feasible v was found near the last one, so the solve began from w = 0
    std::int32_t levels = 0;  ///< number of levels of pSP; 0: as in the options
    bool tied = false;        ///< all scores of the window are equal: fair, but without information
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

/// Returns the value compared with kappa if kappa applies to the points: the upper limit if a confidence is asked for,
/// which is not less than the gap of the points.
[[nodiscard]] inline double judged_gap(const Quality& quality) noexcept {
    return std::max(quality.measured, quality.limit);
}

/// The choice of `loss` = automatic, with the quality of both losses. Scores are learned from three quarters of the
/// window and measured on the held-back quarter.
struct LossChoice {
    Loss loss = Loss::automatic;                         ///< the chosen loss; automatic: none yet
    std::uint64_t points_left = 0;                       ///< number of points to arrive before the next choice
    std::uint64_t held_back = 0;                         ///< number of points held back; 0: too few to compare
    double logistic_accuracy = 0, sigmoid_accuracy = 0;  ///< in [0, 1]
    double logistic_auc = 0, sigmoid_auc = 0;            ///< in [0, 1]
    double standard_error = 0;                           ///< standard error of the difference of accuracies
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

/// The result of a solve, and the start of the next.
struct Solution {
    std::vector<double> weights;      ///< w, for unscaled features; empty while warming
    std::vector<double> thresholds;   ///< theta_p of pSP, by level; otherwise empty
    std::vector<double> multipliers;  ///< multipliers of the constraints, if the last solve had constraints
    double kappa = 0;         ///< surrogate's kappa in the next solve, at most the options' kappa; 0 before the first
    std::int32_t levels = 0;  ///< levels of pSP in the next solve; 0: as in the options
    Quality quality;          ///< figures of the last solve
    bool operator==(const Solution&) const = default;
};

/// State for a warm start of a step.
struct State : Solution {
    std::uint32_t dimensions = 0, attributes = 0,
                  groups = 1;        ///< sizes of the stream; groups are those of the attribute
    std::uint32_t known_groups = 0;  ///< only the first `known_groups` groups are compared; 0: all
    std::vector<Score> scores;       ///< by slot, [0, window.size()); `no_score` while warming
    std::uint64_t steps = 0;         ///< number of solves since the start
    double inner_iterations = 0;     ///< over all solves
    bool started = false;
    LossChoice choice;  ///< used if the options leave the loss open
    double shift = 0;   ///< added to the scores that `weights` give: `most_accurate_shift`

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
        archive.later(16, self.shift);
    }
};

/// Upper bound of pSP on the window, as a sum of terms. Tails may differ by kappa, and between two levels also by the
/// spacing. At a level they may also differ by the errors of its constraints and of the surrogate. If ranks differ
/// between groups, the shortest determine the bound.
struct FairnessBound {
    double kappa = 0;          ///< kappa of the surrogate
    double spacing = 0;        ///< (1 - kappa) / (levels - 1)
    double infeasibility = 0;  ///< twice the largest f_i divided by the length of the ranks
    double surrogate = 0;      ///< twice the surrogate's gap divided by the length of the ranks
    [[nodiscard]] double total() const noexcept { return kappa + spacing + infeasibility + surrogate; }
};
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

    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static State without_points(const State& state);
    /// Also throws for a stream without targets.
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    static void verify(const Options& options, const State& state, const Window& window);
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    [[nodiscard]] static WorkEstimate refine_work(const Options& options, const StreamFormat& format,
                                                  std::int64_t rounds, std::uint64_t retained);
    /// Warms until there are a positive and a negative point. The first solve takes up to `solve_iterations`, each
    /// later one up to `iterations`. `Solve::iterations` counts evaluations of the problem.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<Score>& report, const WorkHandle& work = {});
    /// Runs `rounds` outer iterations from the present state; 0: up to `solve_iterations`.
    static void refine(const Options& options, State& state, Workspace& workspace, const Window& window,
                       std::int64_t rounds, StepReport<Score>& report, const WorkHandle& work = {});
    static void predict(const Options& options, const State& state, ConstRows rows, std::span<const GroupId> groups,
                        std::span<Score> out);

    [[nodiscard]] static bool needs_groups(const Options& options) { return options.group_terms != GroupTerms::none; }
    [[nodiscard]] static int score_attribute(const Options& options) { return options.attribute; }
    [[nodiscard]] static double decision_threshold(const Options& options) { return options.threshold; }
    [[nodiscard]] static std::span<const Score> outputs(const State& state) { return state.scores; }
    [[nodiscard]] static double objective(const State& state) { return state.quality.loss; }
    [[nodiscard]] static ScoreFairness measure(const Options& options, const ScoreTally& settled);
    /// Returns nothing for more than eight groups.
    [[nodiscard]] static std::optional<ScoreIntervals> intervals(const Options& options, const ScoreFairness& measured,
                                                                 const ScoreTally& settled);
    [[nodiscard]] static std::vector<Figure> figures(const Options& options, const State& state);
};

}  // namespace fairstream::partial_fair_scorer
