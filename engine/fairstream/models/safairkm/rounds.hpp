#pragma once
/// What `step` and `refine` share. Private to the model.

#include <fairstream/models/safairkm/clustering.hpp>

namespace fairstream::safairkm {

/// One round of (n_a, n_b), counted in `solve`.
void run_round(Clustering& clustering, Solve& solve);

/// Whether every cluster has the balance that is asked for; true when none is.
[[nodiscard]] bool meets_target(const Clustering& clustering);

}  // namespace fairstream::safairkm
