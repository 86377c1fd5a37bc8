#pragma once
/// The scale of features within a solve.
///
/// A solve is over weights of (1, z), with z = (x - centre) / length for each feature. State, saved bytes and scoring
/// use weights of (1, x). Without this scale, ridge, tolerance and step lengths would depend on the units of features.
/// For example, a year has a slope 2010 times that of the intercept; the intercept's weight would have to be -2010
/// times the year's, and the ridge prevents that. Sums over points are of x, and each is converted to z once.

#include <cstddef>
#include <span>
#include <vector>

namespace fairstream::partial_fair_scorer {

class Sample;

/// Terms are d + 1 numbers: one for 1 and one per feature.
struct FeatureScale {
    std::vector<double> centres;  ///< weighted means
    /// Weighted deviations. For a feature with two values their difference, for a constant 1. The ridge on an indicator
    /// is then that on a feature of 0 and 1. Scaled by deviations, rare indicators would be as free as common ones and
    /// fit their few points.
    std::vector<double> lengths;
    double mean_square = 1;  ///< weighted mean of |(1, z)|^2

    /// Converts weights of (1, z) to weights of (1, x).
    void weights_to_raw(double* terms) const noexcept;
    /// Converts weights of (1, x) to weights of (1, z).
    void weights_from_raw(double* terms) const noexcept;
    /// Converts a weighted sum of (1, x) to a sum of (1, z).
    void sum_from_raw(double* terms) const noexcept;
    [[nodiscard]] double z(std::size_t feature, float x) const noexcept {
        return (static_cast<double>(x) - centres[feature]) / lengths[feature];
    }
};

[[nodiscard]] FeatureScale scale_of(const Sample& sample);

}  // namespace fairstream::partial_fair_scorer
