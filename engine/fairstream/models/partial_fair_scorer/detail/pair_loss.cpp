#include <fairstream/models/partial_fair_scorer/detail/pair_loss.hpp>

#include <algorithm>
#include <cmath>
#include <ranges>

#include <fairstream/models/partial_fair_scorer/detail/pair_sums.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// Rows of the positives by ascending and of the negatives by descending score, with the part of their weights that
/// counts.
struct Ranked {
    std::span<const std::size_t> positives, negatives;
    std::span<const double> of_positives, of_negatives;
    double positive_mass, negative_mass;
};

void clear(LossParts& parts, std::size_t n, bool has_minus) {
    parts.plus = parts.minus = 0;
    parts.has_minus = has_minus;
    parts.plus_slopes.assign(n, 0.0);
    parts.minus_slopes.assign(n, 0.0);
    parts.curvatures.assign(n, 0.0);
}

/// Adds a second derivative of `each` for every pair.
void add_even_curvatures(const Ranked& ranked, double each, std::vector<double>& curvatures) {
    for (std::size_t a = 0; a < ranked.positives.size(); ++a)
        curvatures[ranked.positives[a]] += each * ranked.negative_mass * ranked.of_positives[a];
    for (std::size_t b = 0; b < ranked.negatives.size(); ++b)
        curvatures[ranked.negatives[b]] += each * ranked.positive_mass * ranked.of_negatives[b];
}

// Return the sum over pairs and add the slopes.
double add_squared(std::span<const double> scores, const Ranked& ranked, double each, std::vector<double>& slopes) {
    const double many = ranked.positive_mass, few = ranked.negative_mass;
    double high = 0, low = 0, low_squares = 0, total = 0;
    for (std::size_t a = 0; a < ranked.positives.size(); ++a)
        high += ranked.of_positives[a] * scores[ranked.positives[a]];
    for (std::size_t b = 0; b < ranked.negatives.size(); ++b) {
        const double score = scores[ranked.negatives[b]], weight = ranked.of_negatives[b];
        low += weight * score, low_squares += weight * (score * score);
    }
    for (std::size_t a = 0; a < ranked.positives.size(); ++a) {
        const std::size_t i = ranked.positives[a];
        const double gap = 1 - scores[i], weight = ranked.of_positives[a];
        total += weight * ((few * gap * gap + 2 * gap * low + low_squares) / 2);
        slopes[i] -= each * weight * (few * gap + low);
    }
    for (std::size_t b = 0; b < ranked.negatives.size(); ++b) {
        const std::size_t j = ranked.negatives[b];
        slopes[j] += each * ranked.of_negatives[b] * (many * (1 + scores[j]) - high);
    }
    return each * total;
}

double add_hinge(std::span<const double> scores, const Ranked& ranked, double each, std::vector<double>& slopes) {
    const std::span<const std::size_t> rising = ranked.positives, falling = ranked.negatives;
    // The negatives above a positive's score minus 1 come first in `falling`. Their number decreases from one positive
    // to the next.
    std::size_t above = falling.size();
    double sum = 0, mass = ranked.negative_mass, total = 0;
    for (std::size_t b = 0; b < falling.size(); ++b) sum += ranked.of_negatives[b] * scores[falling[b]];
    for (std::size_t a = 0; a < rising.size(); ++a) {
        const std::size_t i = rising[a];
        for (; above > 0 && scores[falling[above - 1]] <= scores[i] - 1; --above) {
            sum -= ranked.of_negatives[above - 1] * scores[falling[above - 1]];
            mass -= ranked.of_negatives[above - 1];
        }
        if (above == 0) sum = mass = 0;
        total += ranked.of_positives[a] * (mass * (1 - scores[i]) + sum);
        slopes[i] -= each * ranked.of_positives[a] * mass;
    }
    std::size_t below = rising.size();
    mass = ranked.positive_mass;
    for (std::size_t b = 0; b < falling.size(); ++b) {
        const std::size_t j = falling[b];
        for (; below > 0 && scores[rising[below - 1]] - 1 >= scores[j]; --below) mass -= ranked.of_positives[below - 1];
        if (below == 0) mass = 0;
        slopes[j] += each * ranked.of_negatives[b] * mass;
    }
    return each * total;
}

/// Returns a model of the second derivative of the logistic loss that is analytic and nowhere below it. For t far below
/// 0, where the true second derivative approaches 0 and the slope does not, the model decreases like 1 / (2 |t|), as
/// for single points. There it is within a sixth of the curvature of the touching parabola; for t >= 0 it is within 4 %
/// of the true one.
double smooth_logistic_curvature(double t, double p) {
    const double square = (1 - p) * (1 - p);
    return p * (1 - p) + square * square / (2 * std::sqrt(16 + t * t));
}

// The functions below write the functions that are summed over pairs, one per row. Rows that are only needed as a total
// come first.
void logistic_of_pairs(std::span<const double> t, Matrix& out) {
    double *const loss = out.row(0), *const slope = out.row(1), *const curvature = out.row(2);
    kernels().logistic(t.data(), t.size(), loss, slope);
    for (std::size_t b = 0; b < t.size(); ++b) {
        curvature[b] = smooth_logistic_curvature(t[b], slope[b]);
        slope[b] -= 1;
    }
}

// With q = 1 / (1 + exp(2 t)), both log(1 + exp(-2 t)) and its sum with q are convex, with second derivatives 4 q (1 -
// q) and 8 q (1 - q)^2, and both decrease in t. Unlike the tangent below 0 used for single points, they are smooth.
void sigmoid_of_pairs(std::span<const double> t, Matrix& out) {
    double *const plus = out.row(0), *const minus = out.row(1);
    double *const slope = out.row(2), *const curvature = out.row(3), *const minus_slope = out.row(4);
    for (std::size_t b = 0; b < t.size(); ++b) curvature[b] = 2 * t[b];
    kernels().logistic(curvature, t.size(), minus, minus_slope);
    kernels().logistic(t.data(), t.size(), plus, slope);
    for (std::size_t b = 0; b < t.size(); ++b) {
        const double q = 1 - minus_slope[b], p = slope[b];
        plus[b] = q + minus[b] + logistic_share * plus[b];
        minus_slope[b] = -2 * q;
        slope[b] = -2 * q * (1 - q) - 2 * q + logistic_share * (p - 1);
        curvature[b] = q * (1 - q) + logistic_share * smooth_logistic_curvature(t[b], p);
    }
}

/// Returns the functions of a loss. Beyond `reach` they are linear, with an error of at most exp(-36) = 2e-16. The
/// sigmoid's poles are half as far from the real line as the poles of the logistic loss.
PairKernel kernel_of(Loss loss) {
    constexpr double reach = 36;
    if (loss == Loss::logistic) return {3, 1, 1, reach, logistic_of_pairs};
    return {5, 2, 0.5, reach, sigmoid_of_pairs};
}

/// Destination of a sum over pairs; `curvatures` is null if not wanted.
struct Sink {
    double* value;
    std::vector<double>*slopes, *curvatures;
};

void add_smooth(std::span<const double> scores, const Ranked& ranked, double each, const PairKernel& kernel,
                const Sink& plus, const Sink& minus) {
    std::vector<double> high, low;
    for (const std::size_t i : ranked.positives) high.push_back(scores[i]);
    for (const std::size_t j : std::views::reverse(ranked.negatives)) low.push_back(scores[j]);
    const std::vector<double> rising(ranked.of_negatives.rbegin(), ranked.of_negatives.rend());
    const PairSums sums = pair_sums(high, low, kernel, ranked.of_positives, rising);
    const auto add = [&](std::size_t c, double sign, std::vector<double>* to) {
        if (to == nullptr) return;
        for (std::size_t i = 0; i < high.size(); ++i)
            (*to)[ranked.positives[i]] += each * ranked.of_positives[i] * sums.by_first.at(c, i);
        for (std::size_t j = 0; j < low.size(); ++j)
            (*to)[ranked.negatives[low.size() - 1 - j]] += sign * each * rising[j] * sums.by_second.at(c, j);
    };
    *plus.value += each * sums.totals[0];
    add(0, -1, plus.slopes);
    add(1, 1, plus.curvatures);
    if (kernel.totals == 1) return;
    *minus.value += each * sums.totals[1];
    add(2, -1, minus.slopes);
}

/// Adds `each` times the sum over pairs.
void add_pairs(Loss loss, std::span<const double> scores, const Ranked& ranked, double each, const Sink& plus,
               const Sink& minus) {
    if (loss == Loss::logistic || loss == Loss::sigmoid) add_smooth(scores, ranked, each, kernel_of(loss), plus, minus);
    if (loss == Loss::squared) *plus.value += add_squared(scores, ranked, each, *plus.slopes);
    if (loss == Loss::hinge) *plus.value += add_hinge(scores, ranked, each, *plus.slopes);
    if (plus.curvatures == nullptr) return;
    if (loss == Loss::squared) add_even_curvatures(ranked, each, *plus.curvatures);
    if (loss == Loss::hinge) add_even_curvatures(ranked, each * hinge_curvature, *plus.curvatures);
}

}  // namespace

PairLoss::PairLoss(Loss loss, const Sample& sample, double from, double to) : loss_(loss), sample_(sample) {
    double negatives = 0;
    for (std::size_t row = 0; row < sample.size(); ++row) {
        (sample.signs()[row] > 0 ? positives_ : negatives_).push_back(row);
        (sample.signs()[row] > 0 ? mass_ : negatives) += sample.weight(row);
    }
    from_ = mass_up_to(from, negatives);
    to_ = mass_up_to(to, negatives);
}

// If both parts of a loss l+ - l- decrease in the margin, the sum of a part over the highest negatives is the largest
// of its sums over negatives of the same total weight, so this sum is convex. The ranks left out at the top are
// subtracted: there l+ goes to the minus part and l- to the plus part.
void PairLoss::evaluate(std::span<const double> scores, LossParts& parts) const {
    clear(parts, scores.size(), from_ > 0 || loss_ == Loss::sigmoid);
    if (positives_.empty() || to_ <= from_) return;
    std::vector<std::size_t> rising = positives_, falling = negatives_;
    std::ranges::stable_sort(rising, [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
    std::ranges::stable_sort(falling, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    const double each = 1 / (mass_ * (to_ - from_));
    std::vector<double> of_positives, of_negatives;
    for (const std::size_t row : rising) of_positives.push_back(sample_.weight(row));
    // Returns the pairs with the highest negatives of this total weight.
    const auto up_to = [&](double mass) -> Ranked {
        of_negatives.clear();
        for (double above = 0; of_negatives.size() < falling.size() && above < mass;) {
            const double weight = sample_.weight(falling[of_negatives.size()]);
            of_negatives.push_back(std::min(weight, mass - above));
            above += weight;
        }
        return {rising, std::span(falling).first(of_negatives.size()), of_positives, of_negatives, mass_, mass};
    };
    const Sink plus{&parts.plus, &parts.plus_slopes, nullptr}, minus{&parts.minus, &parts.minus_slopes, nullptr};
    add_pairs(loss_, scores, up_to(to_), each, {plus.value, plus.slopes, &parts.curvatures}, minus);
    if (from_ > 0) add_pairs(loss_, scores, up_to(from_), each, minus, plus);
}

}  // namespace fairstream::partial_fair_scorer
