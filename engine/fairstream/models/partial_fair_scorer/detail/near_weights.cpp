#include <fairstream/models/partial_fair_scorer/detail/near_weights.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/measured_gap.hpp>
#include <fairstream/models/partial_fair_scorer/detail/score_problem.hpp>
#include <fairstream/models/partial_fair_scorer/detail/solve.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/optimisation/detail/dc/idca.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// Evaluates weights of the scaled features on the points.
class Trials {
public:
    Trials(const Options& options, const Sample& sample)
        : options_(options),
          sample_(sample),
          function_(make_score_function(options, sample)),
          loss_(make_loss(options, sample)),
          scores_(sample.size()) {}

    void measure(std::span<const double> own, Quality& quality) {
        function_->evaluate(own, scores_);
        loss_->evaluate(scores_, parts_);
        quality.loss = parts_.plus - parts_.minus +
                       options_.ridge / 2 * std::inner_product(own.begin(), own.end(), own.begin(), 0.0);
        measure_gap(options_, sample_, scores_, quality);
    }

private:
    const Options& options_;
    const Sample& sample_;
    std::unique_ptr<ScoreFunction> function_;
    std::unique_ptr<LossFunction> loss_;
    std::vector<double> scores_;
    LossParts parts_;
};

/// Returns the size of the nonzero weights. Weights of 0 are for things that no point has, such as a group without
/// points.
double root_mean_square(std::span<const double> values) {
    const auto used = static_cast<double>(values.size()) - static_cast<double>(std::ranges::count(values, 0.0));
    return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0) / std::max(1.0, used));
}

/// Length of the next trial: longer after a better one, shorter after a worse one, so that about one in five is better.
class Reach {
public:
    explicit Reach(double first) : first_(first), now_(first) {}
    [[nodiscard]] double now() const { return now_; }
    void note(bool better) {
        constexpr double further = 1.6, least = 1e-3;
        now_ *= better ? further : std::pow(further, -0.25);
        if (now_ < least * first_) now_ = first_;
    }

private:
    double first_, now_;
};

/// Takes these weights, with thresholds that fit their scores, and sets the figures of the problem there.
void take(const Options& given, const Sample& sample, std::span<const double> own, Solution& solution) {
    Options options = given;
    options.kappa = solution.quality.kappa;
    if (solution.levels > 0) options.rank_levels = solution.levels;
    ScoreProblem problem(options, sample);
    const std::vector<double> v = problem.with_fitting_thresholds(own);
    dc::Values values;
    dc::Gradients gradients;
    problem.evaluate(v, values);
    dc::take_gradients(problem, gradients);
    const dc::Kkt kkt = dc::kkt(values, gradients, dc::IdcaOptions{}.near);
    const auto parameters = static_cast<std::ptrdiff_t>(own.size());
    solution.weights.assign(own.begin(), own.end());
    to_raw(options, sample, solution.weights);
    solution.thresholds.assign(v.begin() + parameters, v.end());
    solution.multipliers = kkt.multipliers;
    Quality& quality = solution.quality;
    quality.stationarity = kkt.stationarity;
    quality.infeasibility = kkt.infeasibility;
    quality.complementarity = kkt.complementarity;
    quality.surrogate_gap = problem.surrogate_gap();
}

}  // namespace

bool search_near(const Options& options, const Sample& sample, double trials, Solution& solution,
                 const WorkHandle& work) {
    constexpr double first_reach = 0.3;  // relative to the size of the weights
    std::vector<double> best = solution.weights;
    from_raw(options, sample, best);
    Trials points(options, sample);
    Random random(1);
    Reach reach(first_reach * root_mean_square(best));
    bool moved = false;
    double spent = 0;
    const double of_trial = (options.confidence > 0 ? 64 : 1) * ScoreProblem(options, sample).work_of_values();
    for (; spent < trials && !work.stopped(); ++spent) {
        work.settle(of_trial);
        std::vector<double> near = best;
        for (double& w : near)
            if (w != 0) w += reach.now() * (2 * random.unit() - 1);
        Solution trial;
        trial.quality = solution.quality;
        points.measure(near, trial.quality);
        const bool better = is_better(options, trial, solution);
        reach.note(better);
        if (!better) continue;
        moved = true;
        best = std::move(near);
        solution.quality = trial.quality;
    }
    solution.quality.inner_iterations += spent;
    if (moved) take(options, sample, best, solution);
    return moved;
}

}  // namespace fairstream::partial_fair_scorer
