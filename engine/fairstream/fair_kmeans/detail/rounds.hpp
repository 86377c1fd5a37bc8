#pragma once
/// A round of updates, shared by `step` and `refine`.

#include <fairstream/base/outcome.hpp>
#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

/// Runs one round of (n_a, n_b) and counts it in `solve`.
void run_round(Clustering& clustering, Solve& solve);

}  // namespace fairstream::safairkm
