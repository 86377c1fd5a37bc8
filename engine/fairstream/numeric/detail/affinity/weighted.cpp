#include <fairstream/numeric/detail/affinity/weighted.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/numeric/detail/blocks.hpp>

namespace fairstream {
namespace {

void weigh_rows(std::span<const double> weights, Matrix& x) {
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < x.cols; ++j) x.at(i, j) *= weights[i];
    });
}

}  // namespace

WeightedAffinity::WeightedAffinity(const Affinity& points, std::span<const double> weights, bool own_left_out)
    : points_(points), weights_(weights), own_(weights.size(), 0.0) {
    for (std::size_t i = 0; own_left_out && i < own_.size(); ++i) own_[i] = weights[i] * std::max(weights[i] - 1, 0.0);
    if (std::optional<AffinityFactors> factors = points.factors()) {
        has_factors_ = true;
        left_ = factors->left;
        right_ = std::move(factors->right);
        weigh_rows(weights_, left_);
        weigh_rows(weights_, right_);
    }
    Matrix ones(weights.size(), 1), sums;
    std::ranges::fill(ones.values, 1.0);
    multiply(ones, sums);
    degrees_ = std::move(sums.values);
    for (double& degree : degrees_) degree = std::max(degree, 0.0);
}

Matrix WeightedAffinity::weighted(const Matrix& x) const {
    Matrix out = x;
    weigh_rows(weights_, out);
    return out;
}

void WeightedAffinity::multiply(const Matrix& x, Matrix& out) const {
    points_.multiply(weighted(x), out);
    for_row_blocks(out.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < out.cols; ++j) out.at(i, j) = weights_[i] * out.at(i, j) + own_[i] * x.at(i, j);
    });
}

void WeightedAffinity::multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const {
    points_.multiply_rows(which, weighted(x), out);
    for (std::size_t at = 0; at < which.size(); ++at) {
        const Slot i = which[at];
        for (std::size_t j = 0; j < out.cols; ++j) out.at(at, j) = weights_[i] * out.at(at, j) + own_[i] * x.at(i, j);
    }
}

void WeightedAffinity::copy_row(Slot i, AffinityRow& out) const {
    points_.copy_row(i, out);
    for (std::size_t e = 0; e < out.at.size(); ++e)
        out.weights[e] = static_cast<float>(weights_[i] * weights_[out.at[e]] * static_cast<double>(out.weights[e]));
    if (own_[i] == 0) return;
    const auto place = std::ranges::lower_bound(out.at, i) - out.at.begin();
    out.at.insert(out.at.begin() + place, i);
    out.weights.insert(out.weights.begin() + place, static_cast<float>(own_[i]));
}

std::optional<AffinityFactors> WeightedAffinity::factors() const {
    if (!has_factors_) return std::nullopt;
    return AffinityFactors{left_, right_};
}

std::vector<double> WeightedAffinity::diagonal() const {
    std::vector<double> entries = points_.diagonal();
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = weights_[i] * weights_[i] * entries[i] + own_[i];
    return entries;
}

}  // namespace fairstream
