#pragma once
/// Labels from probabilities: the most probable labels for which every cluster meets its targets.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/lord/lord.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>

namespace fairstream::lord {

/// The rows that get labels.
struct Rows {
    const Affinity& affinity;            ///< affinity of the weighted points
    std::span<const float> probability;  ///< n x k
    std::span<const GroupId> groups;     ///< n x the attributes of `format`
    const StreamFormat& format;
    std::span<const double> weights;  ///< n; empty: 1 each

    [[nodiscard]] double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
};

/// Returns the most probable cluster of each row of n x k, the first of equals.
[[nodiscard]] std::vector<ClusterId> most_probable(std::span<const float> rows, std::size_t k);

/// Returns the most probable labels if every cluster then meets its targets, or if there are no targets. Otherwise
/// returns labels that meet the targets, or the labels nearest to the targets that the search found. The search starts
/// from labels of the largest sum of probabilities at prices of the targets (`FairAssignment`: the squared distance of
/// a row p to the unit vector of cluster l is |p|^2 + 1 - 2 p_l), and changes them by moves of least cut. Points then
/// return to their most probable label unless that pushes a cluster below its targets, or further below. Points without
/// a clearly most probable label go where the cut is least. If the work is ended, leaves out the last way to the
/// targets, which takes longest.
[[nodiscard]] std::vector<ClusterId> labels_of(const Options& options, const Rows& rows, std::uint64_t draw,
                                               const WorkHandle& work = {});

}  // namespace fairstream::lord
