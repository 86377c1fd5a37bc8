#include <fairstream/models/partial_fair_scorer/detail/tails.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// The density of scores at a kink is measured in a band around it; half the band's width, in widths of the surrogate.
constexpr double band = 0.25;

}  // namespace

LogisticParts::LogisticParts(double x) {
    const double e = std::exp(-std::abs(x)), s = x < 0 ? e / (1 + e) : 1 / (1 + e);
    const double slope = s * (1 - s), curvature = std::abs(slope * (1 - 2 * s));
    if (x < 0) {
        plus = {s, slope, curvature};
    } else {
        plus = {0.5 + x / 4, 0.25, 0};
        minus = {plus.value - s, plus.slope - slope, curvature};
    }
}

void Slopes::clear() {
    for (const RowRange range : touched)
        std::fill(rows.begin() + static_cast<std::ptrdiff_t>(range.first),
                  rows.begin() + static_cast<std::ptrdiff_t>(range.last), 0.0);
    touched.clear();
    std::ranges::fill(thresholds, 0.0);
}

Tails::Tails(const Options& options, const Sample& sample, std::vector<Tail> tails)
    : surrogate_(options.surrogate),
      width_(options.width),
      points_(sample.size()),
      weights_(sample.weights()),
      tails_(std::move(tails)),
      plus_(tails_.size()),
      minus_(tails_.size()),
      plus_count_(tails_.size()),
      minus_count_(tails_.size()) {
    for (std::size_t t = 0; t < tails_.size(); ++t) {
        const bool same = t > 0 && tails_[t].rows == tails_[t - 1].rows;
        masses_.push_back(same ? masses_.back() : tails_[t].rows.size() == 0 ? 1 : sample.mass(tails_[t].rows));
    }
}

double Tails::theta(std::size_t tail) const {
    return tails_[tail].variable == Tail::fixed ? tails_[tail].at : thetas_[tails_[tail].variable];
}

double Tails::kink(std::size_t tail, Side side) const {
    return theta(tail) + (side == Side::plus ? -0.5 : 0.5) * width_;
}

void Tails::evaluate(std::span<const double> scores, std::span<const double> thetas) {
    scores_ = scores;
    thetas_.assign(thetas.begin(), thetas.end());
    surrogate_ == Surrogate::clipped ? evaluate_clipped() : evaluate_logistic();
}

// Adds the sums of weighted excesses over each kink, then the weights above each.
void Tails::add_excesses(RowRange rows, std::span<const double> kinks, double* sums) const {
    const std::size_t m = kinks.size();
    if (weights_.empty())
        return kernels().excesses(scores_.data() + rows.first, rows.size(), kinks.data(), m, sums, sums + m);
    for (std::size_t row = rows.first; row < rows.last; ++row)
        for (std::size_t t = 0; t < m; ++t) {
            const double excess = scores_[row] - kinks[t];
            sums[t] += excess > 0 ? weights_[row] * excess : 0;
            sums[m + t] += excess > 0 ? weights_[row] : 0;
        }
}

// Evaluates tails of the same rows together, at all their kinks, S+ before S-.
void Tails::evaluate_clipped() {
    std::vector<double> kinks, sums;
    for (std::size_t first = 0; first < tails_.size();) {
        std::size_t last = first;
        while (last < tails_.size() && tails_[last].rows == tails_[first].rows) ++last;
        kinks.clear();
        for (std::size_t t = first; t < last; ++t)
            kinks.push_back(kink(t, Side::plus)), kinks.push_back(kink(t, Side::minus));
        const std::size_t m = kinks.size();
        sums.assign(2 * m, 0.0);
        add_in_order(tails_[first].rows, 2 * m, sums,
                     [&](RowRange rows, double* out) { add_excesses(rows, kinks, out); });
        const double each = this->each(first);
        for (std::size_t t = first; t < last; ++t) {
            const std::size_t at = 2 * (t - first);
            plus_[t] = sums[at] * each / width_, minus_[t] = sums[at + 1] * each / width_;
            plus_count_[t] = sums[m + at], minus_count_[t] = sums[m + at + 1];
        }
        first = last;
    }
}

void Tails::evaluate_logistic() {
    for (std::size_t t = 0; t < tails_.size(); ++t) {
        const RowRange rows = tails_[t].rows;
        std::vector<double> sums(2, 0.0);
        add_in_order(rows, 2, sums, [&](RowRange part, double* out) {
            for (std::size_t row = part.first; row < part.last; ++row) {
                const LogisticParts parts((scores_[row] - theta(t)) / width_);
                const double weight = weights_.empty() ? 1 : weights_[row];
                out[0] += weight * parts.plus.value;
                out[1] += weight * parts.minus.value;
            }
        });
        plus_[t] = sums[0] * each(t), minus_[t] = sums[1] * each(t);
    }
}

void Tails::add_slopes(std::size_t tail, Side side, double scale, Slopes& out) const {
    const RowRange rows = tails_[tail].rows;
    if (rows.size() == 0) return;
    const double each = scale / (masses_[tail] * width_);
    const double* const weights = weights_.empty() ? nullptr : weights_.data();
    const double from = kink(tail, side), middle = theta(tail);
    std::vector<double> sum(1, 0.0);
    add_in_order(rows, 1, sum, [&](RowRange part, double* total) {
        const double* const scores = scores_.data();
        double* const to = out.rows.data();
        double all = 0;
        if (surrogate_ == Surrogate::clipped) {
            for (std::size_t row = part.first; row < part.last; ++row) {
                const double slope = scores[row] > from ? (weights == nullptr ? each : each * weights[row]) : 0;
                to[row] += slope;
                all += slope;
            }
        } else {
            for (std::size_t row = part.first; row < part.last; ++row) {
                const double own = weights == nullptr ? each : each * weights[row];
                const double slope = own * LogisticParts((scores[row] - middle) / width_).of(side).slope;
                to[row] += slope;
                all += slope;
            }
        }
        total[0] += all;
    });
    out.touched.push_back(rows);
    if (tails_[tail].variable != Tail::fixed) out.thresholds[tails_[tail].variable] -= sum[0];
}

void Tails::gradients(const ScoreFunction& function, Matrix& out) const {
    const std::size_t p = function.parameters();
    out.reshape(2 * tails_.size(), p + thetas_.size());
    std::ranges::fill(out.values, 0.0);
    if (surrogate_ == Surrogate::clipped) return clipped_gradients(function, out);
    Slopes slopes(points_, thetas_.size());
    for (std::size_t t = 0; t < tails_.size(); ++t)
        for (const Side side : {Side::plus, Side::minus}) {
            slopes.clear();
            add_slopes(t, side, 1, slopes);
            double* const row = out.row(2 * t + static_cast<std::size_t>(side));
            function.add_gradients(tails_[t].rows, slopes.rows, {row, p});
            std::ranges::copy(slopes.thresholds, row + p);
        }
}

// Computes the gradients of all sides in one pass over the rows. A side's gradient is a sum over the rows above its
// kink: rows are put into buckets between kinks, and the sums of buckets are accumulated from the top down.
void Tails::clipped_gradients(const ScoreFunction& function, Matrix& out) const {
    const std::size_t p = function.parameters();
    std::vector<std::uint16_t> bucket(points_);
    for (std::size_t first = 0; first < tails_.size();) {
        std::size_t last = first;
        while (last < tails_.size() && tails_[last].rows == tails_[first].rows) ++last;
        std::vector<std::pair<double, std::size_t>> kinks;  // with the row of `out`
        for (std::size_t t = first; t < last; ++t)
            for (const Side side : {Side::plus, Side::minus})
                kinks.emplace_back(kink(t, side), 2 * t + static_cast<std::size_t>(side));
        std::ranges::sort(kinks);
        const RowRange rows = tails_[first].rows;
        for_parts(rows, [&](RowRange part) {
            for (std::size_t row = part.first; row < part.last; ++row)
                bucket[row] = static_cast<std::uint16_t>(
                    std::ranges::lower_bound(kinks, scores_[row], {}, &std::pair<double, std::size_t>::first) -
                    kinks.begin());
        });
        Matrix sums(kinks.size() + 1, p);
        function.add_bucket_gradients(rows, bucket, weights_, sums);
        const double each = 1 / (masses_[first] * width_);
        for (std::size_t b = kinks.size(); b > 0; --b) {
            double* const above = sums.row(b);
            double* const to = out.row(kinks[b - 1].second);
            for (std::size_t j = 0; j < p; ++j) to[j] = each * above[j];
            for (std::size_t j = 0; j < p; ++j) sums.row(b - 1)[j] += above[j];
        }
        for (std::size_t t = first; t < last; ++t) {
            if (tails_[t].variable == Tail::fixed) continue;
            out.at(2 * t, p + tails_[t].variable) = -each * plus_count_[t];
            out.at(2 * t + 1, p + tails_[t].variable) = -each * minus_count_[t];
        }
        first = last;
    }
}

double Tails::add_curvatures(std::size_t tail, Side side, double scale, std::span<double> out) const {
    const RowRange rows = tails_[tail].rows;
    if (rows.size() == 0) return 0;
    const double of_one = scale / (masses_[tail] * width_ * width_);
    const double at = kink(tail, side), middle = theta(tail), reach = band * width_;
    double sum = 0;
    for (std::size_t row = rows.first; row < rows.last; ++row) {
        const double each = weights_.empty() ? of_one : of_one * weights_[row];
        const double curvature = surrogate_ == Surrogate::clipped
                                     ? (std::abs(scores_[row] - at) < reach ? each / (2 * band) : 0)
                                     : each * LogisticParts((scores_[row] - middle) / width_).of(side).curvature;
        out[row] += curvature;
        sum += curvature;
    }
    return sum;
}

}  // namespace fairstream::partial_fair_scorer
