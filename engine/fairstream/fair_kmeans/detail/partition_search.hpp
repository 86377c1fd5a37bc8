#pragma once
/// The best of all clusterings of few points, by exhaustive search.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

struct PartitionSearch {
    std::vector<ClusterId> labels;  ///< by slot; empty: no better clustering was found
    double squares = 0;             ///< sum of squared distances of these labels to their centres
    bool is_complete = false;       ///< whether all clusterings were examined or excluded
};

/// Returns whether the retained points are few enough for a search to finish: at most 24, each of weight 1.
[[nodiscard]] bool are_few(const Clustering& c) noexcept;

/// Searches all partitions of the retained points into k nonempty clusters for a better one. It is better if its
/// shortfall is below `total_shortfall` points, or equal to that with a sum of squared distances to its centres below
/// `squares`. Visits at most 2^21 partial partitions. Requires `are_few`.
[[nodiscard]] PartitionSearch search_partitions(const Clustering& c, const Demands& demands, double total_shortfall,
                                                double squares);

}  // namespace fairstream::safairkm
