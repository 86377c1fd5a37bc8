#pragma once
/// The measure in which a solve sees the features.
///
/// A solve is about weights of (1, z), z = (x - centre) / length of each feature; what is kept between solves, saved
/// and scored with are weights of (1, x). Without that the ridge, the tolerance and the length of steps are those of
/// whatever unit a feature came in: a year has 2010 times as long a slope as the intercept, whose weight must be -2010
/// times the year's, and the ridge forbids that. The sums over points stay those of x, and are put into z once each.

#include <cstddef>
#include <span>
#include <vector>

namespace fairstream::partial_fair_scorer {

class Sample;

/// Terms are d + 1 numbers, of 1 and of each feature.
struct FeatureScale {
    std::vector<double> centres;  ///< weighted means
    /// Weighted deviations; of a feature of two values their difference, of a constant one 1. The ridge on an indicator
    /// then is what it is on one of 0 and 1: scaled by their deviations rare ones would be as free as common ones, and
    /// follow the few points that have them.
    std::vector<double> lengths;
    double mean_square = 1;  ///< of |(1, z)|, by weight

    /// Puts weights of (1, z) into those of (1, x).
    void weights_to_raw(double* terms) const noexcept;
    /// Puts weights of (1, x) into those of (1, z).
    void weights_from_raw(double* terms) const noexcept;
    /// Puts a weighted sum of (1, x) into that of (1, z).
    void sum_from_raw(double* terms) const noexcept;
    [[nodiscard]] double z(std::size_t feature, float x) const noexcept {
        return (static_cast<double>(x) - centres[feature]) / lengths[feature];
    }
};

[[nodiscard]] FeatureScale scale_of(const Sample& sample);

}  // namespace fairstream::partial_fair_scorer
