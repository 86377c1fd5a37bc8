#pragma once
/// The constrained metric of a sample's points, by its definition.

#include <span>

#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>

namespace fairstream::partial_fair_scorer {

/// Returns whether kappa applies to the points themselves.
[[nodiscard]] bool is_kept_by_points(const Options& options);

/// Returns whether kappa applies to the points and they exceed it.
[[nodiscard]] bool exceeds_kappa(const Options& options, const Quality& quality);

/// Sets the metric of these scores, by row, and its upper limit if the options ask for a limit.
void measure_gap(const Options& options, const Sample& sample, std::span<const double> scores, Quality& quality);

}  // namespace fairstream::partial_fair_scorer
