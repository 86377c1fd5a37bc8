#pragma once
/// Columns whose preparation depends on the retained points.

#include <fairstream/data/point_batch.hpp>
#include <fairstream/data/preparation.hpp>

namespace fairstream {

/// Returns whether a column becomes several columns of 0 and 1.
[[nodiscard]] inline bool is_split(const ColumnPreparation& how, const FeatureColumn& about) noexcept {
    return about.is_category() && how.encoding == Encoding::onehot;
}

/// Returns whether values of the column may have to be filled in: they may be missing, or be levels that are not
/// listed.
[[nodiscard]] inline bool has_gaps(const ColumnPreparation& how, const FeatureColumn& about) noexcept {
    return about.may_be_missing || how.encoding == Encoding::ordinal;
}

/// Returns whether missing values of the column are filled in with the points' most frequent value.
[[nodiscard]] inline bool follows_most_frequent(const ColumnPreparation& how, const FeatureColumn& about) noexcept {
    return about.may_be_missing && how.missing == Missing::most_frequent && !how.fill;
}

/// Returns whether missing values of a column of numbers are filled in with a mean of the points.
[[nodiscard]] inline bool fills_in_mean(const ColumnPreparation& how, const FeatureColumn& about) noexcept {
    const bool has_given_mean = how.scale == Scale::fixed && how.unit == ScaleUnit::deviation;
    return has_gaps(how, about) && !has_given_mean && !follows_most_frequent(how, about) && !how.fill;
}

/// Returns whether the points determine the column's scale, or the mean that fills in its missing values.
[[nodiscard]] inline bool follows_points(const ColumnPreparation& how, const FeatureColumn& about) noexcept {
    if (is_split(how, about)) return false;
    return how.scale == Scale::first || how.scale == Scale::running || fills_in_mean(how, about);
}

}  // namespace fairstream
