#pragma once
/// The updates of a step.

#include <cstdint>
#include <span>

#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

/// Makes one swap for attribute a: a point of the least balanced cluster's abundant group for one of its scarce group
/// from another cluster. Under `exact_change`, if no exchange helps, makes only one of the two moves. The balance of
/// other attributes stays at least `enough`, or does not fall. Returns false, with nothing changed, if the least
/// balanced cluster has `enough` or nothing helps.
bool swap_once(Clustering& clustering, std::size_t a, std::span<const double> enough);

/// Makes at most `limit` swaps, for the attributes in turn, until every cluster has at least `enough` for each
/// attribute or no swap helps. Returns the number of swaps.
std::int64_t swap_until(Clustering& clustering, std::span<const double> enough, std::int64_t limit);

/// Makes `updates` k-means updates on points drawn from the window. With a balance target they never push a cluster
/// below it. Returns the number of points that changed cluster.
std::int64_t revisit(Clustering& clustering, std::int64_t updates);

/// The updates that may move a point.
enum class Rule : std::uint8_t {
    cost,         ///< any that lowers f1
    keep_balance  ///< updates that lower f1 and push no cluster below the target, or further below it
};

/// Makes the update of one point that lowers the cost most under `rule`: a move to another cluster, or if only its
/// balance forbids that, an exchange with a candidate there. Returns the number of points moved: 0, 1 or 2.
int improve(Clustering& clustering, Slot slot, Rule rule);

/// Sets centres to k-means++ seeds drawn from the retained points (Arthur and Vassilvitskii; the best of a few draws
/// each).
void seed_centres(Clustering& clustering);

}  // namespace fairstream::safairkm
