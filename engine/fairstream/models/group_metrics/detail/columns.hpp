#pragma once
/// The columns and attributes in the options of group_metrics.

#include <cstdint>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/fairness/group_tally.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>

namespace fairstream::group_metrics {

/// Returns the index, among the features that models see, of the prediction. Throws `InvalidInput` (bad_option) if
/// there is no feature of that name.
[[nodiscard]] std::uint32_t prediction_column(const Options& options, const StreamFormat& format);

/// Returns the attributes to measure, and their intersections.
[[nodiscard]] std::vector<AttributeSet> sets_of(const Options& options, const StreamFormat& format);

}  // namespace fairstream::group_metrics
