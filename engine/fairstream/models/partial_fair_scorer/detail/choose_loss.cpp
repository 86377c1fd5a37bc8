#include <fairstream/models/partial_fair_scorer/detail/choose_loss.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/models/partial_fair_scorer/detail/decision_shift.hpp>
#include <fairstream/models/partial_fair_scorer/detail/solve.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// The points of the window that scores are learned from, and the held-back ones.
struct Parts {
    PointColumns learnt, held_back;
    double unit = 1;  ///< unit of weights
    [[nodiscard]] double weight(std::size_t i) const {
        return held_back.weights.empty() ? 1 : held_back.weights[i] / unit;
    }
};

Parts divided(const Window& window, std::uint64_t seed) {
    constexpr std::uint32_t held_back_of = 4;  // one point in this many is held back
    Random random(seed);
    Parts parts;
    parts.unit = window.weight_unit();
    const PointBatch all = window.points();
    for (std::size_t i = 0; i < all.size(); ++i)
        (random.below(held_back_of) == 0 ? parts.held_back : parts.learnt).append(all.slice(i, 1));
    return parts;
}

struct LossTrial {
    std::vector<bool> right;  ///< by held-back point: whether the decision is right
    double auc = 0.5, evaluations = 0;
};

/// Learns from one part and scores the other.
LossTrial try_loss(const Options& given, Loss loss, const State& state, const Parts& parts, const WorkHandle& work) {
    Options options = given;
    options.loss = loss;
    const Sample sample(parts.learnt.view(), state.dimensions, state.attributes,
                        static_cast<std::size_t>(options.attribute), state.groups, parts.unit, state.known_groups);
    State trial = state;
    static_cast<Solution&>(trial) = solve(options, sample, options.solve_iterations, {}, work).solution;
    trial.started = true;
    trial.shift = 0;
    const auto scores_of = [&](const PointBatch& points) {
        std::vector<Score> scores(points.size());
        Model::predict(options, trial, points.features, points.groups, scores);
        return scores;
    };
    if (const PointBatch learnt = parts.learnt.view(); shifts_scores(options, loss))
        trial.shift = most_accurate_shift(scores_of(learnt), learnt, parts.unit, options.threshold);
    const PointBatch points = parts.held_back.view();
    const std::vector<Score> scores = scores_of(points);
    LossTrial trial_result;
    ScoreTally tally(1);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool positive = points.targets[i] > 0;
        trial_result.right.push_back((scores[i] > options.threshold) == positive);
        tally.add(scores[i], 0, positive, parts.weight(i));
    }
    tally.settle();
    trial_result.auc = score_fairness(tally, {{{0, 1}}}, options.threshold).auc;
    trial_result.evaluations = trial.quality.inner_iterations;
    return trial_result;
}

/// Returns whether the sigmoid loss is chosen among losses over pairs: by the AUC, unless the other loss is in use and
/// hardly worse.
bool takes_sigmoid_over_pairs(const LossChoice& found, Loss present) {
    constexpr double clear = 0.002;
    const double lead = found.sigmoid_auc - found.logistic_auc;
    return present == Loss::logistic ? lead > clear : lead >= -(present == Loss::sigmoid ? clear : 0);
}

/// Returns whether the sigmoid loss is chosen: if it is better, or good enough and in use, or if no loss is in use yet.
bool takes_sigmoid(const LossChoice& found, Loss present) {
    constexpr double most_auc_lost = 0.02;
    const double lead = found.sigmoid_accuracy - found.logistic_accuracy, error = found.standard_error;
    if (present == Loss::logistic) return lead > 2 * error;
    if (lead < -2 * error) return false;
    return lead > 2 * error || found.logistic_auc - found.sigmoid_auc <= most_auc_lost;
}

}  // namespace

double choose_loss(const Options& options, const Window& window, State& state, const WorkHandle& work) {
    LossChoice& choice = state.choice;
    choice.points_left = window.size();
    const Parts parts = divided(window, options.seed);
    if (!has_both_classes(parts.learnt.targets) || parts.held_back.ids.empty()) {
        if (choice.loss == Loss::automatic) choice.loss = Loss::sigmoid;
        return 0;
    }
    LossTrial sigmoid, logistic;
    {
        WorkShares shares(work, 2);
        parallel_for(std::size_t{0}, std::size_t{2}, [&](std::size_t i) {
            (i == 0 ? sigmoid : logistic) =
                try_loss(options, i == 0 ? Loss::sigmoid : Loss::logistic, state, parts, shares[i]);
        });
    }
    double n = 0, both = 0, by_sigmoid = 0, by_logistic = 0, squares = 0;
    for (std::size_t i = 0; i < sigmoid.right.size(); ++i) {
        const double weight = parts.weight(i);
        n += weight;
        both += sigmoid.right[i] && logistic.right[i] ? weight : 0;
        by_sigmoid += sigmoid.right[i] && !logistic.right[i] ? weight : 0;
        by_logistic += !sigmoid.right[i] && logistic.right[i] ? weight : 0;
        squares += sigmoid.right[i] != logistic.right[i] ? weight * weight : 0;
    }
    choice.held_back = sigmoid.right.size();
    choice.logistic_accuracy = (both + by_logistic) / n;
    choice.sigmoid_accuracy = (both + by_sigmoid) / n;
    choice.logistic_auc = logistic.auc;
    choice.sigmoid_auc = sigmoid.auc;
    choice.standard_error = std::min(1.0, std::sqrt(squares) / n);
    const auto takes = options.over == Over::points ? takes_sigmoid : takes_sigmoid_over_pairs;
    choice.loss = takes(choice, choice.loss) ? Loss::sigmoid : Loss::logistic;
    return sigmoid.evaluations + logistic.evaluations;
}

}  // namespace fairstream::partial_fair_scorer
