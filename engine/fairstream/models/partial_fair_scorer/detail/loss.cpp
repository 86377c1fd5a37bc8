#include <fairstream/models/partial_fair_scorer/detail/loss.hpp>

#include <stdexcept>

#include <fairstream/models/partial_fair_scorer/detail/pair_loss.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// A loss of the margin t, its derivative, and a model of its second derivative, each times the number of points.
struct Margin {
    double plus = 0, minus = 0, plus_slope = 0, minus_slope = 0, curvature = 0;
};

Margin hinge(double t) {
    return t < 1 ? Margin{1 - t, 0, -1, 0, hinge_curvature} : Margin{0, 0, 0, 0, hinge_curvature};
}

/// Returns a model of the second derivative. For t far below 0 the true second derivative approaches 0 while the slope
/// does not, so Newton's step would be unbounded. For t < 0 the model is that of the parabola that touches the loss at
/// t and at -t and is nowhere below it (Jaakkola and Jordan).
double logistic_curvature(double t, double p) {
    return t < 0 ? (p - 0.5) / t : p * (1 - p);
}

/// `log_loss` and `p` are log(1 + exp(-t)) and 1 / (1 + exp(-t)).
Margin logistic(double t, double log_loss, double p) {
    return {log_loss, 0, p - 1, 0, logistic_curvature(t, p)};
}

/// The sigmoid loss plus a tenth of the logistic loss. 1 / (1 + exp(2 t)) is convex for t >= 0; below, plus is its
/// tangent at 0, and minus is the excess of the tangent.
Margin sigmoid(double t, double log_loss, double p) {
    const double q = (1 - p) * (1 - p) / ((1 - p) * (1 - p) + p * p);  // 1 / (1 + exp(2 t))
    const bool tangent = t < 0;
    const double line = tangent ? 0.5 - t / 2 : q, line_slope = tangent ? -0.5 : -2 * q * (1 - q);
    return {line + logistic_share * log_loss, line - q, line_slope + logistic_share * (p - 1),
            line_slope + 2 * q * (1 - q), q * (1 - q) + logistic_share * logistic_curvature(t, p)};
}

/// The squared loss of `rest`, score minus target, as a function of the margin; `sign` is 1 or -1.
Margin squared(double rest, double sign) {
    return {rest * rest / 2, 0, sign * rest, 0, 1};
}

bool needs_logistic(Loss loss) {
    return loss == Loss::logistic || loss == Loss::sigmoid;
}

}  // namespace

// Adds the loss of `rows`; `margin` computes a row's loss from its index in `rows` and its index in the sample.
template <class F> void PointLoss::add_rows(RowRange rows, LossParts& parts, double* sum, const F& margin) const {
    const double* const y = sample_.signs().data();
    double plus = 0, minus = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t row = rows.first + i;
        const Margin m = margin(i, row);
        const double weight = sample_.weight(row), own = each_ * weight;
        plus += weight * m.plus, minus += weight * m.minus;
        parts.plus_slopes[row] = own * y[row] * m.plus_slope;
        parts.minus_slopes[row] = own * y[row] * m.minus_slope;
        parts.curvatures[row] = own * m.curvature;
    }
    sum[0] += each_ * plus, sum[1] += each_ * minus;
}

void PointLoss::evaluate(std::span<const double> scores, LossParts& parts) const {
    const std::size_t n = sample_.size();
    for (std::vector<double>* const column : {&parts.plus_slopes, &parts.minus_slopes, &parts.curvatures})
        column->resize(n);
    parts.has_minus = loss_ == Loss::sigmoid;
    double sums[2] = {};
    add_in_order({0, n}, 2, sums, [&](RowRange rows, double* sum) {
        std::vector<double> t(rows.size()), log_loss(rows.size()), p(rows.size());
        const double* const y = sample_.signs().data() + rows.first;
        for (std::size_t i = 0; i < rows.size(); ++i) t[i] = y[i] * scores[rows.first + i];
        if (needs_logistic(loss_)) kernels().logistic(t.data(), t.size(), log_loss.data(), p.data());
        if (loss_ == Loss::logistic)
            add_rows(rows, parts, sum, [&](std::size_t i, std::size_t) { return logistic(t[i], log_loss[i], p[i]); });
        if (loss_ == Loss::sigmoid)
            add_rows(rows, parts, sum, [&](std::size_t i, std::size_t) { return sigmoid(t[i], log_loss[i], p[i]); });
        if (loss_ == Loss::hinge) add_rows(rows, parts, sum, [&](std::size_t i, std::size_t) { return hinge(t[i]); });
        if (loss_ == Loss::squared)
            add_rows(rows, parts, sum,
                     [&](std::size_t i, std::size_t row) { return squared(scores[row] - sample_.target(row), y[i]); });
    });
    parts.plus = sums[0], parts.minus = sums[1];
}

std::unique_ptr<LossFunction> make_loss(const Options& options, const Sample& sample) {
    if (options.loss == Loss::automatic) throw std::logic_error("a loss must be chosen before it is constructed");
    if (options.over == Over::points) return std::make_unique<PointLoss>(options.loss, sample);
    if (options.over == Over::auc) return std::make_unique<PairLoss>(options.loss, sample, 0, 1);
    return std::make_unique<PairLoss>(options.loss, sample, options.false_positives[0], options.false_positives[1]);
}

}  // namespace fairstream::partial_fair_scorer
