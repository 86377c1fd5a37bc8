#pragma once
/// Says of which columns the preparation changes with the points that are retained.

#include <fairstream/data/point_batch.hpp>
#include <fairstream/data/preparation.hpp>

namespace fairstream {

/// Says whether a column becomes several columns of 0 and 1.
[[nodiscard]] inline bool is_split(const ColumnPreparation& how, const FeatureColumn& about) noexcept {
    return about.is_category() && how.encoding == Encoding::onehot;
}

/// Says whether a value of the column may have to be filled in: it may be missing, or be a level that is not listed.
[[nodiscard]] inline bool has_gaps(const ColumnPreparation& how, const FeatureColumn& about) noexcept {
    return about.may_be_missing || how.encoding == Encoding::ordinal;
}

/// Says whether gaps of the column are filled in by the most frequent value of the points.
[[nodiscard]] inline bool follows_most_frequent(const ColumnPreparation& how, const FeatureColumn& about) noexcept {
    return about.may_be_missing && how.missing == Missing::most_frequent && !how.fill;
}

/// Says whether the column is scaled, or its gaps are filled in, by the mean of points.
[[nodiscard]] inline bool follows_mean(const ColumnPreparation& how, const FeatureColumn& about) noexcept {
    if (is_split(how, about)) return false;
    if (how.scale == Scale::first || how.scale == Scale::running) return true;
    return has_gaps(how, about) && how.scale == Scale::none && !follows_most_frequent(how, about) && !how.fill;
}

}  // namespace fairstream
