#pragma once
/// The columns and attributes that options of group_metrics name.

#include <cstdint>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/fairness/group_tally.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>

namespace fairstream::group_metrics {

/// Returns the feature, as models see them, that is the prediction. Throws `InvalidInput` (bad_option) where there is
/// none of that name.
[[nodiscard]] std::uint32_t prediction_column(const Options& options, const StreamFormat& format);

/// Returns the attributes that are measured, and their intersections.
[[nodiscard]] std::vector<AttributeSet> sets_of(const Options& options, const StreamFormat& format);

}  // namespace fairstream::group_metrics
