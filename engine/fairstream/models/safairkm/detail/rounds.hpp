#pragma once
/// What `step` and `refine` share. Private to the model.

#include <fairstream/models/safairkm/detail/clustering.hpp>

namespace fairstream::safairkm {

/// One round of (n_a, n_b), counted in `solve`.
void run_round(Clustering& clustering, Solve& solve);

}  // namespace fairstream::safairkm
