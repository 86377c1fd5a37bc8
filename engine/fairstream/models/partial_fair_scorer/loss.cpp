#include <fairstream/models/partial_fair_scorer/loss.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/numeric/kernels.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// A loss of the margin t, its derivative and a model of the second one, times the number of points.
struct Margin {
    double plus = 0, minus = 0, plus_slope = 0, minus_slope = 0, bend = 0;
};

Margin hinge(double t) {
    // Second derivatives are nowhere but in the kink: an eighth of the logistic loss's largest keeps steps bounded.
    return t < 1 ? Margin{1 - t, 0, -1, 0, 1.0 / 32} : Margin{0, 0, 0, 0, 1.0 / 32};
}

/// `log_loss` and `p` are log(1 + exp(-t)) and 1 / (1 + exp(-t)).
/// Where t < 0, far out the second derivative is next to 0 though the slope is not, and Newton's step without end: the
/// one of the parabola that touches the loss at t and at -t and is nowhere below it (Jaakkola and Jordan).
double logistic_bend(double t, double p) {
    return t < 0 ? (p - 0.5) / t : p * (1 - p);
}

Margin logistic(double t, double log_loss, double p) {
    return {log_loss, 0, p - 1, 0, logistic_bend(t, p)};
}

/// 1 / (1 + exp(2 t)) is convex from t = 0 on; before that its tangent there is, and what that has too much is minus.
Margin sigmoid(double t, double log_loss, double p) {
    constexpr double share = 0.1;
    const double q = (1 - p) * (1 - p) / ((1 - p) * (1 - p) + p * p);  // 1 / (1 + exp(2 t))
    const bool tangent = t < 0;
    const double line = tangent ? 0.5 - t / 2 : q, line_slope = tangent ? -0.5 : -2 * q * (1 - q);
    return {line + share * log_loss, line - q, line_slope + share * (p - 1), line_slope + 2 * q * (1 - q),
            q * (1 - q) + share * logistic_bend(t, p)};
}

void clear(LossParts& parts, std::size_t n, bool has_minus) {
    parts.plus = parts.minus = 0;
    parts.has_minus = has_minus;
    parts.plus_slopes.assign(n, 0.0);
    parts.minus_slopes.assign(n, 0.0);
    parts.bends.assign(n, 0.0);
}

}  // namespace

void PointLoss::evaluate(std::span<const double> scores, LossParts& parts) const {
    const std::size_t n = sample_.size();
    clear(parts, n, loss_ == Loss::sigmoid);
    if (n == 0) return;
    const std::span<const double> y = sample_.signs();
    const double each = 1 / static_cast<double>(n);
    std::vector<double> sums(2, 0.0);
    add_in_order({0, n}, 2, sums, [&](RowRange rows, double* sum) {
        std::vector<double> t(rows.size()), log_loss(rows.size()), p(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) t[i] = y[rows.first + i] * scores[rows.first + i];
        if (loss_ == Loss::logistic || loss_ == Loss::sigmoid)
            kernels().logistic(t.data(), t.size(), log_loss.data(), p.data());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t row = rows.first + i;
            Margin m;
            double sign = y[row];
            switch (loss_) {
                case Loss::logistic:
                    m = logistic(t[i], log_loss[i], p[i]);
                    break;
                case Loss::hinge:
                    m = hinge(t[i]);
                    break;
                case Loss::sigmoid:
                    m = sigmoid(t[i], log_loss[i], p[i]);
                    break;
                case Loss::squared: {
                    const double rest = scores[row] - sample_.target(row);
                    m = {rest * rest / 2, 0, rest, 0, 1};
                    sign = 1;
                    break;
                }
            }
            sum[0] += m.plus, sum[1] += m.minus;
            parts.plus_slopes[row] = each * sign * m.plus_slope;
            parts.minus_slopes[row] = each * sign * m.minus_slope;
            parts.bends[row] = each * m.bend;
        }
    });
    parts.plus = each * sums[0], parts.minus = each * sums[1];
}

PairLoss::PairLoss(Loss loss, const Sample& sample, double from, double to) : loss_(loss) {
    for (std::size_t row = 0; row < sample.size(); ++row)
        (sample.signs()[row] > 0 ? positives_ : negatives_).push_back(row);
    const auto count = static_cast<double>(negatives_.size());
    from_ = static_cast<std::size_t>(std::ceil(from * count));
    to_ = static_cast<std::size_t>(std::ceil(to * count));
}

void PairLoss::evaluate(std::span<const double> scores, LossParts& parts) const {
    clear(parts, scores.size(), from_ > 0);
    if (positives_.empty() || to_ <= from_) return;
    std::vector<std::size_t> ranked = negatives_;
    std::ranges::stable_sort(ranked, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    const double each = 1 / (static_cast<double>(positives_.size()) * static_cast<double>(to_ - from_));
    const std::span<const std::size_t> all(ranked);
    parts.plus = each * add_pairs(scores, all.first(to_), each, parts.plus_slopes, &parts.bends);
    if (from_ > 0) parts.minus = each * add_pairs(scores, all.first(from_), each, parts.minus_slopes, nullptr);
}

double PairLoss::add_pairs(std::span<const double> scores, std::span<const std::size_t> negatives, double scale,
                           std::vector<double>& slopes, std::vector<double>* bends) const {
    const auto many = static_cast<double>(positives_.size()), few = static_cast<double>(negatives.size());
    double total = 0;
    const auto bend = [&](double each) {
        if (bends == nullptr) return;
        for (const std::size_t i : positives_) (*bends)[i] += scale * each * few;
        for (const std::size_t j : negatives) (*bends)[j] += scale * each * many;
    };
    if (loss_ == Loss::squared) {
        double high = 0, low = 0, low_squares = 0;
        for (const std::size_t i : positives_) high += scores[i];
        for (const std::size_t j : negatives) low += scores[j], low_squares += scores[j] * scores[j];
        for (const std::size_t i : positives_) {
            const double gap = 1 - scores[i];
            total += (few * gap * gap + 2 * gap * low + low_squares) / 2;
            slopes[i] -= scale * (few * gap + low);
        }
        for (const std::size_t j : negatives) slopes[j] += scale * (many * (1 + scores[j]) - high);
        bend(1);
    } else if (loss_ == Loss::hinge) {
        std::vector<std::size_t> rising = positives_;
        std::ranges::stable_sort(rising, [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
        // `negatives` fall: those above a positive less 1 are the first ones, ever fewer.
        std::size_t above = negatives.size();
        double sum = 0;
        for (const std::size_t j : negatives) sum += scores[j];
        for (const std::size_t i : rising) {
            for (; above > 0 && scores[negatives[above - 1]] <= scores[i] - 1; --above)
                sum -= scores[negatives[above - 1]];
            total += static_cast<double>(above) * (1 - scores[i]) + sum;
            slopes[i] -= scale * static_cast<double>(above);
        }
        std::size_t below = rising.size();
        for (const std::size_t j : negatives) {
            for (; below > 0 && scores[rising[below - 1]] >= scores[j] + 1; --below) {
            }
            slopes[j] += scale * static_cast<double>(below);
        }
        bend(1.0 / 32);
    } else {
        std::vector<double> t(negatives.size()), value(negatives.size()), p(negatives.size());
        for (const std::size_t i : positives_) {
            for (std::size_t b = 0; b < t.size(); ++b) t[b] = scores[i] - scores[negatives[b]];
            kernels().logistic(t.data(), t.size(), value.data(), p.data());
            for (std::size_t b = 0; b < t.size(); ++b) {
                total += value[b];
                slopes[i] -= scale * (1 - p[b]);
                slopes[negatives[b]] += scale * (1 - p[b]);
                if (bends == nullptr) continue;
                (*bends)[i] += scale * p[b] * (1 - p[b]);
                (*bends)[negatives[b]] += scale * p[b] * (1 - p[b]);
            }
        }
    }
    return total;
}

std::unique_ptr<LossFunction> make_loss(const Options& options, const Sample& sample) {
    if (options.over == Over::points) return std::make_unique<PointLoss>(options.loss, sample);
    if (options.over == Over::auc) return std::make_unique<PairLoss>(options.loss, sample, 0, 1);
    return std::make_unique<PairLoss>(options.loss, sample, options.false_positives[0], options.false_positives[1]);
}

}  // namespace fairstream::partial_fair_scorer
