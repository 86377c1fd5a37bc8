#pragma once
/// Labels from probabilities: the most probable ones with which every cluster keeps its targets.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/models/lord/lord.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream::lord {

/// The rows that labels are made of.
struct Rows {
    const Affinity& affinity;            ///< of the weighted points
    std::span<const float> probability;  ///< n x k
    std::span<const GroupId> groups;     ///< n x the attributes of `format`
    const StreamFormat& format;
    std::span<const double> weights;  ///< n; empty: 1 each
};

/// Returns the most probable cluster of each row of n x k, and of equal ones the first.
[[nodiscard]] std::vector<ClusterId> most_probable(std::span<const float> rows, std::size_t k);

/// Returns labels of the largest sum of probabilities at prices of the targets (`safairkm::FairAssignment`: the squared
/// distance of a row p to the unit vector of cluster l is |p|^2 + 1 - 2 p_l), and makes moves of least cut where single
/// points then miss them. Without targets each point has its most probable cluster, ties to the lower one.
[[nodiscard]] std::vector<ClusterId> labels_of(const Options& options, const Rows& rows, std::uint64_t draw);

}  // namespace fairstream::lord
