#pragma once
/// The updates that a step is made of.

#include <cstdint>
#include <span>

#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

/// Makes one swap for attribute a: a point of the least balanced cluster's abundant group for one of its scarce group
/// from another cluster; under `exact_change`, where no exchange helps, one of the two moves alone. The balance of the
/// other attributes stays at `enough`, or at what it is. Returns false, with nothing changed, when the least balanced
/// cluster meets `enough` or nothing helps.
bool swap_once(Clustering& clustering, std::size_t a, std::span<const double> enough);

/// Makes swaps for the attributes in turn, until every cluster has at least `enough` of each or no swap helps; at most
/// `limit`. Returns the swaps made.
std::int64_t swap_until(Clustering& clustering, std::span<const double> enough, std::int64_t limit);

/// Makes `updates` k-means updates on points drawn from the window. With a balance target they never push a cluster
/// below it. Returns the points that changed cluster.
std::int64_t revisit(Clustering& clustering, std::int64_t updates);

/// Which updates may move a point.
enum class Rule : std::uint8_t {
    cost,         ///< any that lowers f1
    keep_balance  ///< those that lower f1 and push no cluster below the target, or further below it
};

/// Makes the best cost-lowering update of one point under `rule`: a move to another cluster or, where only its balance
/// forbids that, an exchange with a candidate there. Returns the points moved: 0, 1 or 2.
int improve(Clustering& clustering, Slot slot, Rule rule);

/// k-means++ seeds drawn from the retained points (Arthur and Vassilvitskii; the best of a few draws each), as centres.
void seed_centres(Clustering& clustering);

}  // namespace fairstream::safairkm
