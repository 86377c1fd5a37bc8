#pragma once
/// Starts of V from clusters of low cut.

#include <cstdint>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/lord/detail/setting.hpp>

namespace fairstream::lord {

/// Returns matrices near Omega(mu) with each point in one cluster, V_ij = 1 / (W mu_j): from k-means of the graph's
/// spectral embedding, and from its connected parts if there are k or more. Empty for one cluster. `work` counts
/// `of_iteration` multiply-adds for each iteration of the eigensolver.
[[nodiscard]] std::vector<Matrix> low_cut_starts(const Setting& setting, std::span<const ClusterId> parts,
                                                 int start_count, std::uint64_t seed, const WorkHandle& work = {},
                                                 double of_iteration = 0);

}  // namespace fairstream::lord
