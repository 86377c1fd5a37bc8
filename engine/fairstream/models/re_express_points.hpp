#pragma once
/// What models keep of points, put into another measure.

#include <span>

#include <fairstream/data/measure_change.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/numeric/anchors.hpp>

namespace fairstream {

/// Returns the root of the mean square of the factors: what distances change by, about; 1 where features stay.
[[nodiscard]] double usual_factor(const MeasureChange& change);
/// Changes means of clusters, k x d; those of clusters without points stay zeros.
void re_express_means(const MeasureChange& change, const FairnessTally& tally, std::span<float> means);
/// Changes the features of anchors. Affinities are not those of the new distances: scales are taken to change as
/// distances do on the whole, until all of it is worked out anew.
void re_express_anchors(const MeasureChange& change, Anchors& anchors);

}  // namespace fairstream
