#pragma once
/// Moves and swaps that bring clusters to their demands. Private to the model.

#include <cstdint>

#include <fairstream/models/safairkm/detail/clustering.hpp>

namespace fairstream::safairkm {

/// Moves and swaps, each the one that costs least for the points by which it lowers the shortfall of the two clusters
/// together, until every cluster keeps the demands or none helps. Returns how many. `Clustering::falls_short` says
/// whether demands are left open.
std::int64_t mend(Clustering& clustering);

/// At most so many of those, for the cluster that falls farthest short first.
std::int64_t mend_some(Clustering& clustering, std::int64_t limit);

/// Rounds in which the points of every cell take the cheapest places that leave the counts as they are, and centres
/// become the means: moves and exchanges of pairs stop where exchanges among three clusters or more still help. Ends
/// when a round lowers f1 by less than `worthwhile` of it, or after `limit` rounds. Returns the rounds.
int rearrange(Clustering& clustering, double worthwhile, int limit);

/// The cheapest assignment to the present centres with counts that keep the demands, where a search finds such counts.
/// Has no dead ends, where `mend` has some, and costs O(n k). Returns whether the demands are kept now; where none are
/// found nothing changes.
bool reassign(Clustering& clustering);

/// The same, and then counts, centres and labels in turn while f1 falls: where counts are tight the first ones found
/// are dear. Returns the passes over all points that it took.
int place_anew(Clustering& clustering);

}  // namespace fairstream::safairkm
