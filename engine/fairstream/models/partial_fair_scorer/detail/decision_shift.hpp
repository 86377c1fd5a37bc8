#pragma once
/// The shift of all scores with which most decisions at the threshold are right.

#include <fairstream/models/partial_fair_scorer/detail/model.hpp>

namespace fairstream::partial_fair_scorer {

/// Returns whether all scores are shifted after a solve with this loss. The sigmoid loss blurs the threshold by about a
/// unit of the score, so where one class is rare near the threshold, the cut of this loss is not the most accurate one.
/// Other losses give scores a meaning, such as log-odds, that a shift would change. A shift would also change a metric
/// at the threshold, so such metrics exclude it.
[[nodiscard]] bool shifts_scores(const Options& options, Loss loss);

/// Returns the shift s for which the decisions score + s > threshold are right most often on these points. The share of
/// right decisions is averaged around each cut, over the cuts within n^(2/3)/2 ranks on either side: the order of the
/// error of the most accurate cut of n points. The cut lies between two scores. Returns 0 if all scores are equal, or
/// if this cut makes no more decisions right on these points than the present one. `unit` is the weight of a point of
/// weight 1.
[[nodiscard]] double most_accurate_shift(std::span<const Score> scores, const PointBatch& points, double unit,
                                         double threshold);

}  // namespace fairstream::partial_fair_scorer
