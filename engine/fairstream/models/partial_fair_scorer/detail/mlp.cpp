#include <fairstream/models/partial_fair_scorer/detail/mlp.hpp>

#include <algorithm>
#include <cmath>

namespace fairstream::partial_fair_scorer {
namespace {

/// Mean over the sample of |(1, x)|^2.
double mean_square(const Sample& sample) {
    double sum = 0;
    for (std::size_t row = 0; row < sample.size(); ++row) {
        const std::size_t entries = sample.is_sparse() ? sample.columns(row).size() : sample.dimensions();
        const float* const x = sample.is_sparse() ? sample.entries(row) : sample.features(row);
        for (std::size_t j = 0; j < entries; ++j) sum += static_cast<double>(x[j]) * static_cast<double>(x[j]);
    }
    return 1 + (sample.size() == 0 ? 0 : sum / static_cast<double>(sample.size()));
}

}  // namespace

// The second derivatives of v tanh(u z) are z tanh' between u and v, at most |z|, and v tanh'' z z' in u, at most
// 0.77 |v| |z|^2: an estimate for |v| <= 1, since w is not bounded.
MlpScores::MlpScores(const Sample& sample, GroupTerms terms, std::size_t hidden)
    : sample_(sample),
      linear_(sample, terms),
      inputs_(linear_.parameters()),
      hidden_(hidden),
      weak_convexity_(std::sqrt(mean_square(sample)) + 0.77 * mean_square(sample)),
      v_(hidden, 0.0),
      activations_(hidden, sample.size()) {}

void MlpScores::evaluate(std::span<const double> w, std::span<double> scores) {
    linear_.evaluate(w.first(inputs_), scores);
    std::ranges::copy(w.last(hidden_), v_.begin());
    for (std::size_t j = 0; j < hidden_; ++j) {
        double* const active = activations_.row(j);
        linear_.evaluate(w.subspan((j + 1) * inputs_, inputs_), {active, sample_.size()});
        for_parts({0, sample_.size()}, [&](RowRange rows) {
            for (std::size_t row = rows.first; row < rows.last; ++row) {
                active[row] = std::tanh(active[row]);
                scores[row] += v_[j] * active[row];
            }
        });
    }
}

void MlpScores::add_gradients(RowRange rows, std::span<const double> weights, std::span<double> out) const {
    linear_.add_gradients(rows, weights, out.first(inputs_));
    std::vector<double> scaled(sample_.size());
    for (std::size_t j = 1; j <= hidden_; ++j) {
        double& v = out[(hidden_ + 1) * inputs_ + j - 1];
        for (std::size_t row = rows.first; row < rows.last; ++row) {
            scaled[row] = weights[row] * slope(j, row);
            v += weights[row] * activations_.at(j - 1, row);
        }
        linear_.add_gradients(rows, scaled, out.subspan(j * inputs_, inputs_));
    }
}

void MlpScores::add_bucket_gradients(RowRange rows, std::span<const std::uint16_t> bucket,
                                     std::span<const double> weights, Matrix& out) const {
    std::vector<double> scaled(sample_.size());
    Matrix block(out.rows, inputs_);
    for (std::size_t j = 0; j <= hidden_; ++j) {
        for (std::size_t row = rows.first; row < rows.last; ++row) {
            const double weight = weights.empty() ? 1 : weights[row];
            scaled[row] = j == 0 ? weight : weight * slope(j, row);
            if (j > 0) out.at(bucket[row], (hidden_ + 1) * inputs_ + j - 1) += weight * activations_.at(j - 1, row);
        }
        std::ranges::fill(block.values, 0.0);
        linear_.add_bucket_gradients(rows, bucket, scaled, block);
        for (std::size_t b = 0; b < out.rows; ++b)
            for (std::size_t i = 0; i < inputs_; ++i) out.at(b, j * inputs_ + i) += block.at(b, i);
    }
}

bool MlpScores::gram(std::span<const double> weights, Matrix& out) const {
    out.reshape(parameters(), 1);
    std::ranges::fill(out.values, 0.0);
    const std::span<double> all(out.values);
    linear_.add_squares(weights, all.first(inputs_));
    std::vector<double> scaled(sample_.size());
    for (std::size_t j = 1; j <= hidden_; ++j) {
        double& v = all[(hidden_ + 1) * inputs_ + j - 1];
        for (std::size_t row = 0; row < sample_.size(); ++row) {
            const double a = activations_.at(j - 1, row), s = slope(j, row);
            scaled[row] = weights[row] * s * s;
            v += weights[row] * a * a;
        }
        linear_.add_squares(scaled, all.subspan(j * inputs_, inputs_));
    }
    return false;
}

}  // namespace fairstream::partial_fair_scorer
