#pragma once
/// Scores with equal distributions across groups within intervals of ranks, with warm starts while the window moves. Y.
/// He, Y. Huang, Y. Yao, Q. Lin, "Enforcing fair predicted scores on intervals of percentiles by difference-of-convex
/// constraints", arXiv:2505.12530.
///
/// A score h_w(x, g) minimises a loss of the labelled points in the window, subject to a fairness constraint inside
/// the interval of ranks: problems (15), (21), (49), (50), (56). With a surrogate for the indicator they are
/// differences of convex functions, which IDCA (Algorithm 1) solves. A step restores feasibility on the present
/// window and takes a few more rounds; then all points are scored.
///
/// A point is positive if its target is above 0. A score above `threshold` is a positive decision.

#include <cstdint>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::partial_fair_scorer {

enum class Metric : std::uint8_t {
    psp,           ///< partial statistical parity, (15)
    pdp,           ///< partial demographic parity at the threshold, (21)
    eop,           ///< partial equal opportunity, Definition A.2: pdp of positives, by their ranks in their whole group
    eod,           ///< partial equalised odds, Definition A.3: eop, and pdp of negatives
    gauc,          ///< partial group AUC, (49)
    none,          ///< unconstrained
    eop_in_class,  ///< eop as in the training problem (50): by ranks among the positives of the group
    eod_in_class,  ///< eod as in (56)
};
/// Return whether a class is compared by its ranks within group and class, and whether the metric is about positives
/// only, or about both classes.
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
    logistic,  ///< log(1 + exp(-y h)), y = 1 or -1: scores are log-odds
    hinge,     ///< max(0, 1 - y h)
    squared,   ///< (h - target)^2 / 2, with the stream's target
    /// 1 / (1 + exp(2 y h)) plus a tenth of logistic: follows accuracy most closely. For a loss over points, all scores
    /// are then shifted so that most decisions are right, unless the metric is at the threshold.
    sigmoid,
    automatic,  ///< sigmoid or logistic, whichever is better on a held-back part of the window: `LossChoice`
};
enum class Over : std::uint8_t {
    points,       ///< the mean over points
    auc,          ///< over pairs of a positive and a negative, by the difference of their scores, (81)
    partial_auc,  ///< as auc, but only negatives whose rank is within `false_positives`, (83)
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
    none,       ///< (1, x): groups are not needed to score a point
    intercept,  ///< (1, x, g)
    all,        ///< (1, x, g, g x), as in the paper
};
enum class Form : std::uint8_t {
    linear,
    mlp,  ///< one hidden layer of tanh units over the terms of `GroupTerms`
};
enum class Enforce : std::uint8_t {
    surrogate,  ///< the constraints apply to the surrogate, as in the paper; the points may exceed kappa
    empirical,  ///< the surrogate's kappa is lowered until the window's points meet kappa; `stalled` while they do not
};
enum class Inner : std::uint8_t {
    quadratic,  ///< a quadratic problem over the multipliers
    ssg,        ///< the switching subgradient method, as in the paper
};

struct Options {
    int attribute = 0;                            ///< index of the protected attribute whose groups are compared
    Metric metric = Metric::psp;                  ///< the constrained metric
    IntervalFor interval_for = IntervalFor::all;  ///< the groups to which the intervals apply
    OneOrMore<double> interval{0.05, 0.30};       ///< alpha, beta of each interval of ranks, 0 the top, in [0, 1]
    double kappa = 0.05;                          ///< largest allowed gap, in [0, 1]
    /// With `enforce` = empirical, kappa applies to an upper limit of the population's gap with this confidence, in [0,
    /// 0.999], by the sampling error of the window's points. 0: kappa applies to the gap of the points.
    double confidence = 0;
    Enforce enforce = Enforce::empirical;  ///< whether kappa applies to the surrogate or to the points
    /// For pSP: number of ranks at which tails are compared, |Î|, in [2, 200]; with `empirical` up to four times as
    /// many if the points do not meet kappa otherwise.
    int rank_levels = 10;
    double threshold = 0;  ///< threshold of decisions, in [-1e6, 1e6]
    Loss loss = Loss::automatic;
    Over over = Over::points;
    Surrogate surrogate = Surrogate::clipped;
    OneOrMore<double> false_positives{0.0, 1.0};  ///< range of ranks among negatives in `partial_auc`, in [0, 1]
    /// In [0, 1e6]: ridge/2 |w|^2 is added to the loss, with w for features scaled by mean and deviation. With 0,
    /// separable points have no minimum.
    double ridge = 3e-4;
    double width = 1;  ///< width of the surrogate, in units of the score, in [1e-6, 1e6]
    GroupTerms group_terms = GroupTerms::all;
    Form form = Form::linear;
    int hidden = 16;  ///< units of `mlp`, in [1, 1024]
    Inner inner = Inner::quadratic;
    int solve_iterations = 60;  ///< K: outer iterations of the first solve and of a refinement, in [1, 1e6]
    int iterations = 3;         ///< outer iterations of a step, in [0, 1e6]
    /// Number of steps after which a cold solve runs besides the warm one, and is taken if it is better; 0: never. In
    /// [0, 1e6].
    int fresh_every = 4;
    int inner_iterations = 150;  ///< T of `ssg`, in [1, 1e6]
    double epsilon =
        1e-3;  ///< largest amount by which a constraint may be missed; also the step size of `ssg`; in [1e-9, 1]
    double tolerance = 1e-3;  ///< KKT residual at which a solve ends, in [1e-12, 1]
    std::uint64_t seed = 1;   ///< seed of the first weights of `mlp`
    bool operator==(const Options&) const = default;
};
/// Returns the kind of model that these options belong to.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::partial_fair_scorer
