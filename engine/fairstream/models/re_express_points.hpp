#pragma once
/// Conversion of what models keep of points to another measure.

#include <span>

#include <fairstream/data/measure_change.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/numeric/anchors.hpp>

namespace fairstream {

/// Returns the root mean square of the factors: the approximate factor of distances; 1 if features do not change.
[[nodiscard]] double usual_factor(const MeasureChange& change);
/// Converts means of clusters, k x d; those of clusters without points stay zeros.
void re_express_means(const MeasureChange& change, const FairnessTally& tally, std::span<float> means);
/// Converts the features and scales of anchors. Scales change by the average factor of distances, so affinities are
/// approximate until the next step computes them again.
void re_express_anchors(const MeasureChange& change, Anchors& anchors);

}  // namespace fairstream
