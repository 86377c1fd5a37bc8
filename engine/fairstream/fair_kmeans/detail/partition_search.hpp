#pragma once
/// The best of all clusterings of few points, found by looking at them one after another.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

struct PartitionSearch {
    std::vector<ClusterId> labels;  ///< by slot; empty: none is better than what was given
    double squares = 0;             ///< of these labels: the sum of squared distances to the centres
    bool is_complete = false;       ///< whether all clusterings were looked at, or were no better for certain
};

/// Says whether there are so few retained points that a search may come to its end: at most 24, each of weight 1.
[[nodiscard]] bool are_few(const Clustering& c) noexcept;

/// Searches all partitions of the retained points into k clusters, none empty, for one that falls short of the demands
/// by less than `short_by` points, or by as many and has a smaller sum of squared distances to its centres than
/// `squares`. Visits at most 2^21 partial partitions. For `are_few` points.
[[nodiscard]] PartitionSearch search_partitions(const Clustering& c, const Demands& demands, double short_by,
                                                double squares);

}  // namespace fairstream::safairkm
