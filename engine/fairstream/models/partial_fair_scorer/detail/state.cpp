#include <algorithm>
#include <cmath>
#include <string>

#include <fairstream/fairness/score_intervals.hpp>
#include <fairstream/models/partial_fair_scorer/detail/constraints.hpp>
#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/options.hpp>
#include <fairstream/models/partial_fair_scorer/detail/score_function.hpp>
#include <fairstream/models/verify_state.hpp>
#include <fairstream/targets/check_attributes.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

std::size_t groups_of(const Options& options, const StreamFormat& format) {
    return format.attributes.empty() ? 1 : format.attributes[static_cast<std::size_t>(options.attribute)].groups.size();
}

// Returns the number of groups that are compared; 0: all.
std::uint32_t known_groups_of(const Options& options, const StreamFormat& format) {
    if (format.attributes.empty()) return 0;
    const Attribute& attribute = format.attributes[static_cast<std::size_t>(options.attribute)];
    return attribute.has_unknown ? static_cast<std::uint32_t>(attribute.known_groups()) : 0;
}

std::size_t compared_groups(const Options& options, const StreamFormat& format) {
    const std::size_t known = known_groups_of(options, format);
    return known == 0 ? groups_of(options, format) : known;
}

void refuse(const std::string& why) {
    throw InvalidInput(Reason::bad_option, why);
}

void check_intervals(const Options& options, const StreamFormat& format) {
    const std::string given = "interval = " + number_text(options.interval) + ": ";
    if (options.interval.size() % 2 != 0)
        refuse(given + "must be pairs of ranks: first and last rank of each interval");
    const std::size_t pairs = options.interval.size() / 2, groups = compared_groups(options, format);
    if (options.interval_for == IntervalFor::group && pairs != groups)
        refuse(given + std::to_string(pairs) + " intervals for " + std::to_string(groups) +
               " groups: must be one interval per group");
    if (options.metric == Metric::gauc && options.interval_for == IntervalFor::all && pairs > 1)
        refuse(given + "must be one interval for metric = gauc");
    check(ranks_of(options, groups), groups);
}

constexpr StateCheck expect(Model::name);

bool within(const std::vector<double>& values, double low, double high) {
    return std::ranges::all_of(values, [&](double x) { return x >= low && x <= high; });
}

// If kappa applies to the points, a solution has at least the options' number of levels.
bool thresholds_fit(const Options& options, const State& state) {
    const std::size_t least = state.started ? threshold_count(options) : 0;
    if (state.levels == 0 || least == 0) return state.thresholds.size() == least;
    return state.levels >= options.rank_levels && state.levels <= most_levels &&
           state.thresholds.size() == (state.started ? static_cast<std::size_t>(state.levels) : 0);
}

// Keeps scores of features within `feature_limit` finite.
constexpr double largest_weight = 1e100;

}  // namespace

void Model::check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    check_attributes(options.attribute, format);
    if (!format.has_targets) refuse("partial_fair_scorer: needs targets in the stream, and there are none");
    check_intervals(options, format);
    const auto& ranks = options.false_positives;
    if (ranks.size() != 2 || ranks[0] >= ranks[1])
        refuse("false_positives = " + number_text(ranks) + ": must be two ranks, the first below the second");
}

State Model::start(const Options& options, const Window& window) {
    State state;
    state.dimensions = window.dimensions();
    state.attributes = window.attributes();
    state.groups = static_cast<std::uint32_t>(groups_of(options, window.format()));
    state.known_groups = known_groups_of(options, window.format());
    state.scores.assign(window.size(), no_score);
    return state;
}

void Model::verify(const Options& options, const State& state, const StreamFormat& format) {
    const std::size_t groups = groups_of(options, format);
    expect(state.dimensions == format.dimensions && state.attributes == format.attributes.size() &&
               state.groups == groups && state.known_groups == known_groups_of(options, format),
           "it belongs to another stream");
    const std::size_t parameters = state.started ? parameter_count(options, format.dimensions, groups) : 0;
    expect(state.weights.size() == parameters, "the weights do not match the options");
    expect(thresholds_fit(options, state), "the thresholds do not match the options");
    expect(within(state.weights, -largest_weight, largest_weight) &&
               within(state.thresholds, -largest_weight, largest_weight) &&
               within({state.shift}, -largest_weight, largest_weight),
           "a weight is out of range");
    const std::size_t levels = static_cast<std::size_t>(std::max(options.rank_levels, state.levels));
    const std::size_t most = 2 * groups * (levels + groups);
    expect(state.multipliers.size() <= most && within(state.multipliers, 0, largest_weight),
           "the multipliers are impossible");
    const Quality& q = state.quality;
    expect(
        within({q.stationarity, q.infeasibility, q.complementarity, q.outer_iterations, q.inner_iterations,
                q.surrogate_gap, q.kappa, q.measured, q.limit, state.inner_iterations, static_cast<double>(q.levels)},
               0, 1e300) &&
            std::isfinite(q.loss),
        "a figure is out of range");
    expect(state.kappa >= 0 && state.kappa <= 1, "kappa is out of range");
    const LossChoice& c = state.choice;
    expect(c.loss == Loss::automatic || c.loss == Loss::logistic || c.loss == Loss::sigmoid,
           "the chosen loss is unknown");
    expect(within({c.logistic_accuracy, c.sigmoid_accuracy, c.logistic_auc, c.sigmoid_auc, c.standard_error}, 0, 1),
           "a figure of the points held back is out of range");
    expect(std::ranges::all_of(state.scores,
                               [&](Score score) { return state.started ? std::isfinite(score) : score == no_score; }),
           "a score is not finite");
}

void Model::verify(const Options& options, const State& state, const Window& window) {
    verify(options, state, window.format());
    expect(state.scores.size() == window.size(), "the scores do not match the window");
}

ScoreFairness Model::measure(const Options& options, const ScoreTally& settled) {
    return score_fairness(settled, ranks_of(options, settled.known_groups()), options.threshold);
}

std::optional<ScoreIntervals> Model::intervals(const Options& options, const ScoreFairness& measured,
                                               const ScoreTally& settled) {
    constexpr std::size_t most_judged = 8;  // largest number of groups; pairs of more would cost more than a step
    if (settled.groups() > most_judged) return std::nullopt;
    return score_intervals(measured, settled, ranks_of(options, settled.known_groups()), options.threshold);
}

FairnessBound fairness_bound(const Options& options, const State& state) {
    const double shortest = shortest_ranks(options, state.known_groups == 0 ? state.groups : state.known_groups);
    const double kappa = state.quality.kappa;
    const std::int32_t levels = state.quality.levels > 0 ? state.quality.levels : options.rank_levels;
    return {kappa, (1 - kappa) / (levels - 1), 2 * state.quality.infeasibility / shortest,
            2 * state.quality.surrogate_gap / shortest};
}

std::vector<Figure> Model::figures(const Options& options, const State& state) {
    const Quality& q = state.quality;
    std::vector<Figure> all{{"kkt_residual", std::max({q.stationarity, q.infeasibility, q.complementarity})},
                            {"stationarity", q.stationarity},
                            {"infeasibility", q.infeasibility},
                            {"complementarity", q.complementarity},
                            {"outer_iterations", q.outer_iterations},
                            {"inner_iterations", q.inner_iterations},
                            {"measured", q.measured},
                            {"excess", std::max(0.0, judged_gap(q) - options.kappa)},
                            {"restarts", q.restarted ? 1.0 : 0.0}};
    if (options.loss == Loss::automatic) {
        const LossChoice& choice = state.choice;
        all.insert(all.end(), {{"sigmoid_loss", choice.loss == Loss::sigmoid ? 1.0 : 0.0},
                               {"held_back_sigmoid", choice.sigmoid_accuracy},
                               {"held_back_logistic", choice.logistic_accuracy}});
    }
    if (options.confidence > 0) all.push_back({"limit", q.limit});
    if (options.metric != Metric::psp) return all;
    all.push_back({"rank_levels", static_cast<double>(q.levels > 0 ? q.levels : options.rank_levels)});
    const FairnessBound bound = fairness_bound(options, state);
    all.insert(all.end(), {{"bound", std::min(1.0, bound.total())},
                           {"bound_spacing", bound.spacing},
                           {"bound_infeasibility", bound.infeasibility},
                           {"bound_surrogate", bound.surrogate}});
    return all;
}

}  // namespace fairstream::partial_fair_scorer
