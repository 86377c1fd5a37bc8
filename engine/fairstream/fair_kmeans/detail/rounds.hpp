#pragma once
/// A round of updates, shared by `step` and `refine`.

#include <fairstream/base/outcome.hpp>
#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

/// Revisits this many retained points, makes swaps or repairs the target, and counts both in `solve`.
void run_round(Clustering& clustering, std::int64_t revisits, Solve& solve);

}  // namespace fairstream::safairkm
