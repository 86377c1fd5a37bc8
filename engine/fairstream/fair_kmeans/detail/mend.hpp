#pragma once
/// Moves and swaps that bring clusters to their demands.

#include <cstddef>
#include <cstdint>

#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

/// Makes moves and swaps, each the one of least cost per point by which it lowers the shortfall of the two clusters
/// together, until every cluster keeps the demands or none helps. Returns how many. `Clustering::falls_short` says
/// whether demands are left open.
std::int64_t mend(Clustering& clustering);

/// Makes at most `limit` of those, first for the cluster that falls farthest short.
std::int64_t mend_some(Clustering& clustering, std::int64_t limit);

/// Runs rounds that assign the points of every cell at least cost with the counts as they are, and move centres to the
/// means: moves and exchanges of pairs stop where exchanges among three clusters or more still help. Ends when a round
/// lowers f1 by less than `worthwhile` of it, or after `limit` rounds. Returns the rounds.
int rearrange(Clustering& clustering, double worthwhile, int limit);

/// Makes the cheapest assignment to the present centres with counts that keep the demands, where a search finds such
/// counts; changes nothing where it does not. Unlike `mend` it has no dead ends, and it costs O(n k). `thorough` as in
/// `CountLimits`. Where the counts are tight, a search finds them in several ways: `rank` chooses those whose
/// assignment costs least, 0, or the next. Returns the number of ways where the demands are kept now, otherwise 0.
std::size_t reassign(Clustering& clustering, bool thorough = false, std::size_t rank = 0);

/// Does the same, and then improves counts, centres and labels in turn while f1 falls: where counts are tight the first
/// ones found are dear. Stops early in large windows, after about a second's work. Returns the passes over all points
/// that it took.
int place_anew(Clustering& clustering);

/// Makes at most `limit` moves and exchanges where points weigh differently, each at the least cost for its fall of the
/// shortfall among sampled points. Weights are indivisible: a demand can be missed that clusterings keep.
std::int64_t mend_weighted(Clustering& clustering, std::int64_t limit);

}  // namespace fairstream::safairkm
