#pragma once
/// Moves and swaps that make clusters meet their demands.

#include <cstddef>
#include <cstdint>

#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

/// Makes moves and swaps, each with the least cost per point by which it lowers the shortfall of both clusters
/// together, until every cluster meets the demands or none helps. Returns their number. `Clustering::falls_short` then
/// says whether demands are still missed.
std::int64_t repair(Clustering& clustering);

/// Makes at most `limit` such moves and swaps, for the cluster with the largest shortfall first.
std::int64_t repair_some(Clustering& clustering, std::int64_t limit);

/// Runs rounds that assign the points of every cell at least cost with unchanged counts, and move centres to the means.
/// This helps where moves and exchanges of pairs have stopped but exchanges among three or more clusters still gain.
/// Ends when a round lowers f1 by a share of less than `worthwhile`, or after `limit` rounds. Returns the number of
/// rounds.
int rearrange(Clustering& clustering, double worthwhile, int limit);

/// Makes the cheapest assignment to the present centres with counts that meet the demands, if a search finds such
/// counts; otherwise changes nothing. Unlike `repair` it has no dead ends; it costs O(n k). `thorough` as in
/// `CountLimits`. If counts are tight, a search finds them in several ways; `rank` 0 chooses the counts with the
/// cheapest assignment, 1 the next counts. Returns the number of ways if the demands are now met, otherwise 0.
std::size_t reassign(Clustering& clustering, bool thorough = false, std::size_t rank = 0);

/// Calls `reassign`, and then improves counts, centres and labels in turn while f1 falls: if counts are tight, the
/// first counts found are expensive. In large windows it stops after about a second of work. Returns the number of
/// passes over all points.
int reassign_repeatedly(Clustering& clustering);

/// Makes at most `limit` moves and exchanges of differently weighted points, each with the least cost per decrease of
/// the shortfall among sampled points. Weights are indivisible, so it may miss a demand that other clusterings meet.
std::int64_t repair_weighted(Clustering& clustering, std::int64_t limit);

}  // namespace fairstream::safairkm
