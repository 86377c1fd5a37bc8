#include <fairstream/models/partial_fair_scorer/detail/loss.hpp>

#include <algorithm>
#include <stdexcept>

#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// A loss of the margin t, its derivative and a model of the second one, times the number of points.
struct Margin {
    double plus = 0, minus = 0, plus_slope = 0, minus_slope = 0, bend = 0;
};

/// Second derivative that stands for the hinge's kink, as it is 0 elsewhere: an eighth of the logistic loss's largest
/// keeps steps bounded.
constexpr double hinge_bend = 1.0 / 32;

Margin hinge(double t) {
    return t < 1 ? Margin{1 - t, 0, -1, 0, hinge_bend} : Margin{0, 0, 0, 0, hinge_bend};
}

/// Returns a model of the second derivative. For t far below 0 the true one nears 0, though the slope does not, and
/// Newton's step would be unbounded: for t < 0 the model is that of the parabola that touches the loss at t and at -t
/// and is nowhere below it (Jaakkola and Jordan).
double logistic_bend(double t, double p) {
    return t < 0 ? (p - 0.5) / t : p * (1 - p);
}

/// `log_loss` and `p` are log(1 + exp(-t)) and 1 / (1 + exp(-t)).
Margin logistic(double t, double log_loss, double p) {
    return {log_loss, 0, p - 1, 0, logistic_bend(t, p)};
}

/// The sigmoid loss plus a tenth of the logistic one. 1 / (1 + exp(2 t)) is convex for t >= 0; below, plus is its
/// tangent at 0, and minus what that has too much.
Margin sigmoid(double t, double log_loss, double p) {
    constexpr double share = 0.1;
    const double q = (1 - p) * (1 - p) / ((1 - p) * (1 - p) + p * p);  // 1 / (1 + exp(2 t))
    const bool tangent = t < 0;
    const double line = tangent ? 0.5 - t / 2 : q, line_slope = tangent ? -0.5 : -2 * q * (1 - q);
    return {line + share * log_loss, line - q, line_slope + share * (p - 1), line_slope + 2 * q * (1 - q),
            q * (1 - q) + share * logistic_bend(t, p)};
}

/// The squared loss of `rest`, the score less the target, as a function of the margin; `sign` is 1 or -1.
Margin squared(double rest, double sign) {
    return {rest * rest / 2, 0, sign * rest, 0, 1};
}

bool needs_logistic(Loss loss) {
    return loss == Loss::logistic || loss == Loss::sigmoid;
}

void clear(LossParts& parts, std::size_t n, bool has_minus) {
    parts.plus = parts.minus = 0;
    parts.has_minus = has_minus;
    parts.plus_slopes.assign(n, 0.0);
    parts.minus_slopes.assign(n, 0.0);
    parts.bends.assign(n, 0.0);
}

/// Adds the derivative by the margin scores[i] - scores[j] to those by both scores.
void add_slope(std::vector<double>& slopes, std::size_t i, std::size_t j, double slope) {
    slopes[i] += slope;
    slopes[j] -= slope;
}

}  // namespace

// Adds the loss of `rows`; `margin` gives it from a row's number in `rows` and overall.
template <class F> void PointLoss::add_rows(RowRange rows, LossParts& parts, double* sum, const F& margin) const {
    const double each = 1 / static_cast<double>(sample_.size());
    const double* const y = sample_.signs().data();
    double plus = 0, minus = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t row = rows.first + i;
        const Margin m = margin(i, row);
        plus += m.plus, minus += m.minus;
        parts.plus_slopes[row] = each * y[row] * m.plus_slope;
        parts.minus_slopes[row] = each * y[row] * m.minus_slope;
        parts.bends[row] = each * m.bend;
    }
    sum[0] += each * plus, sum[1] += each * minus;
}

void PointLoss::evaluate(std::span<const double> scores, LossParts& parts) const {
    const std::size_t n = sample_.size();
    for (std::vector<double>* const column : {&parts.plus_slopes, &parts.minus_slopes, &parts.bends}) column->resize(n);
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

PairLoss::PairLoss(Loss loss, const Sample& sample, double from, double to) : loss_(loss) {
    for (std::size_t row = 0; row < sample.size(); ++row)
        (sample.signs()[row] > 0 ? positives_ : negatives_).push_back(row);
    from_ = count_up_to(from, negatives_.size());
    to_ = count_up_to(to, negatives_.size());
}

// Sums over the highest negatives are the largest where both parts of a loss l+ - l- fall with the margin: those of l+
// and of l- are convex, and change sides for the ranks that are left out.
void PairLoss::evaluate(std::span<const double> scores, LossParts& parts) const {
    clear(parts, scores.size(), from_ > 0 || loss_ == Loss::sigmoid);
    if (positives_.empty() || to_ <= from_) return;
    std::vector<std::size_t> ranked = negatives_;
    std::ranges::stable_sort(ranked, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    const double each = 1 / (static_cast<double>(positives_.size()) * static_cast<double>(to_ - from_));
    const std::span<const std::size_t> all(ranked);
    const Sink plus{&parts.plus, &parts.plus_slopes, nullptr}, minus{&parts.minus, &parts.minus_slopes, nullptr};
    add_pairs(scores, all.first(to_), each, {plus.value, plus.slopes, &parts.bends}, minus);
    if (from_ > 0) add_pairs(scores, all.first(from_), each, minus, plus);
}

void PairLoss::add_pairs(std::span<const double> scores, std::span<const std::size_t> negatives, double each,
                         const Sink& plus, const Sink& minus) const {
    if (loss_ == Loss::squared) {
        add_squared(scores, negatives, each, plus);
        add_even_bends(negatives, each, plus);
    } else if (loss_ == Loss::hinge) {
        add_hinge(scores, negatives, each, plus);
        add_even_bends(negatives, each * hinge_bend, plus);
    } else {
        add_smooth(scores, negatives, each, plus, minus);
    }
}

void PairLoss::add_even_bends(std::span<const std::size_t> negatives, double each, const Sink& out) const {
    if (out.bends == nullptr) return;
    for (const std::size_t i : positives_) (*out.bends)[i] += each * static_cast<double>(negatives.size());
    for (const std::size_t j : negatives) (*out.bends)[j] += each * static_cast<double>(positives_.size());
}

void PairLoss::add_squared(std::span<const double> scores, std::span<const std::size_t> negatives, double each,
                           const Sink& out) const {
    const auto many = static_cast<double>(positives_.size()), few = static_cast<double>(negatives.size());
    double high = 0, low = 0, low_squares = 0, total = 0;
    for (const std::size_t i : positives_) high += scores[i];
    for (const std::size_t j : negatives) low += scores[j], low_squares += scores[j] * scores[j];
    for (const std::size_t i : positives_) {
        const double gap = 1 - scores[i];
        total += (few * gap * gap + 2 * gap * low + low_squares) / 2;
        (*out.slopes)[i] -= each * (few * gap + low);
    }
    for (const std::size_t j : negatives) (*out.slopes)[j] += each * (many * (1 + scores[j]) - high);
    *out.value += each * total;
}

void PairLoss::add_hinge(std::span<const double> scores, std::span<const std::size_t> negatives, double each,
                         const Sink& out) const {
    std::vector<std::size_t> rising = positives_;
    std::ranges::stable_sort(rising, [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
    // `negatives` are by falling score: those above a positive's score less 1 are the first ones, ever fewer.
    std::size_t above = negatives.size();
    double sum = 0, total = 0;
    for (const std::size_t j : negatives) sum += scores[j];
    for (const std::size_t i : rising) {
        for (; above > 0 && scores[negatives[above - 1]] <= scores[i] - 1; --above) sum -= scores[negatives[above - 1]];
        total += static_cast<double>(above) * (1 - scores[i]) + sum;
        (*out.slopes)[i] -= each * static_cast<double>(above);
    }
    std::size_t below = rising.size();
    for (const std::size_t j : negatives) {
        while (below > 0 && scores[rising[below - 1]] - 1 >= scores[j]) --below;
        (*out.slopes)[j] += each * static_cast<double>(below);
    }
    *out.value += each * total;
}

void PairLoss::add_smooth(std::span<const double> scores, std::span<const std::size_t> negatives, double each,
                          const Sink& plus, const Sink& minus) const {
    std::vector<double> t(negatives.size()), log_loss(negatives.size()), p(negatives.size());
    for (const std::size_t i : positives_) {
        for (std::size_t b = 0; b < t.size(); ++b) t[b] = scores[i] - scores[negatives[b]];
        kernels().logistic(t.data(), t.size(), log_loss.data(), p.data());
        for (std::size_t b = 0; b < t.size(); ++b) {
            const std::size_t j = negatives[b];
            const Margin m =
                loss_ == Loss::sigmoid ? sigmoid(t[b], log_loss[b], p[b]) : logistic(t[b], log_loss[b], p[b]);
            *plus.value += each * m.plus;
            add_slope(*plus.slopes, i, j, each * m.plus_slope);
            *minus.value += each * m.minus;
            add_slope(*minus.slopes, i, j, each * m.minus_slope);
            if (plus.bends == nullptr) continue;
            (*plus.bends)[i] += each * m.bend;
            (*plus.bends)[j] += each * m.bend;
        }
    }
}

std::unique_ptr<LossFunction> make_loss(const Options& options, const Sample& sample) {
    if (options.loss == Loss::automatic) throw std::logic_error("a loss must be chosen before it is made");
    if (options.over == Over::points) return std::make_unique<PointLoss>(options.loss, sample);
    if (options.over == Over::auc) return std::make_unique<PairLoss>(options.loss, sample, 0, 1);
    return std::make_unique<PairLoss>(options.loss, sample, options.false_positives[0], options.false_positives[1]);
}

}  // namespace fairstream::partial_fair_scorer
