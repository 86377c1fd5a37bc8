#include <fairstream/models/partial_fair_scorer/detail/feature_scale.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// Calls `body` with the column, the value and the weight of each stored feature of the sample.
template <class Body> void for_entries(const Sample& sample, const Body& body) {
    for (std::size_t row = 0; row < sample.size(); ++row) {
        const double weight = sample.weight(row);
        if (!sample.is_sparse()) {
            const float* const x = sample.features(row);
            for (std::size_t j = 0; j < sample.dimensions(); ++j) body(j, x[j], weight);
            continue;
        }
        const float* entry = sample.entries(row);
        for (const std::uint32_t j : sample.columns(row)) body(std::size_t{j}, *entry++, weight);
    }
}

/// The values of each feature, including zeros that a sparse sample does not store.
struct Columns {
    std::vector<float> least, most;
    std::vector<double> means, zeros;  ///< `zeros`: weight of the zeros not stored
};

Columns columns_of(const Sample& sample, double mass) {
    const std::size_t d = sample.dimensions();
    Columns all{std::vector<float>(d, std::numeric_limits<float>::max()),
                std::vector<float>(d, std::numeric_limits<float>::lowest()), std::vector<double>(d, 0.0),
                std::vector<double>(d, 0.0)};
    std::vector<std::size_t> left_out(d, sample.is_sparse() ? sample.size() : 0);
    if (sample.is_sparse()) std::ranges::fill(all.zeros, mass);
    for_entries(sample, [&](std::size_t j, float x, double weight) {
        all.least[j] = std::min(all.least[j], x);
        all.most[j] = std::max(all.most[j], x);
        all.means[j] += weight * static_cast<double>(x);
    });
    if (sample.is_sparse())
        for_entries(sample, [&](std::size_t j, float, double weight) {
            all.zeros[j] -= weight;
            --left_out[j];
        });
    for (std::size_t j = 0; j < d; ++j) {
        if (left_out[j] == 0) {
            all.zeros[j] = 0;
        } else {
            all.least[j] = std::min(all.least[j], 0.0F);
            all.most[j] = std::max(all.most[j], 0.0F);
        }
        // The mean of equal values may differ from them by rounding.
        all.means[j] = all.least[j] == all.most[j] ? static_cast<double>(all.most[j]) : all.means[j] / mass;
    }
    return all;
}

}  // namespace

void FeatureScale::weights_to_raw(double* terms) const noexcept {
    for (std::size_t j = 0; j < centres.size(); ++j) {
        terms[1 + j] /= lengths[j];
        terms[0] -= terms[1 + j] * centres[j];
    }
}

void FeatureScale::weights_from_raw(double* terms) const noexcept {
    for (std::size_t j = 0; j < centres.size(); ++j) {
        terms[0] += terms[1 + j] * centres[j];
        terms[1 + j] *= lengths[j];
    }
}

void FeatureScale::sum_from_raw(double* terms) const noexcept {
    for (std::size_t j = 0; j < centres.size(); ++j) terms[1 + j] = (terms[1 + j] - centres[j] * terms[0]) / lengths[j];
}

FeatureScale scale_of(const Sample& sample) {
    const std::size_t d = sample.dimensions();
    const double mass = sample.mass();
    FeatureScale scale{std::vector<double>(d, 0.0), std::vector<double>(d, 1.0), 1};
    if (mass == 0) return scale;
    const Columns columns = columns_of(sample, mass);
    std::vector<double> squares(d), between(d, 0.0);  // `between`: weight of values other than the two extremes
    for (std::size_t j = 0; j < d; ++j) squares[j] = columns.zeros[j] * columns.means[j] * columns.means[j];
    for_entries(sample, [&](std::size_t j, float x, double weight) {
        const double from_mean = static_cast<double>(x) - columns.means[j];
        squares[j] += weight * from_mean * from_mean;
        between[j] += x == columns.least[j] || x == columns.most[j] ? 0 : weight;
    });
    for (std::size_t j = 0; j < d; ++j) {
        const double range = static_cast<double>(columns.most[j]) - static_cast<double>(columns.least[j]);
        const bool zeros_between = columns.zeros[j] > 0 && columns.least[j] < 0 && columns.most[j] > 0;
        const double length = between[j] > 0 || zeros_between ? std::sqrt(squares[j] / mass) : range;
        scale.centres[j] = columns.means[j];
        if (length == 0) continue;
        scale.lengths[j] = length;
        scale.mean_square += squares[j] / mass / (length * length);
    }
    return scale;
}

}  // namespace fairstream::partial_fair_scorer
